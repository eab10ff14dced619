"""Compares the rates of the service with those of Envoy, an empty server and itself, and measures its start and its memory.

usage: compare.py SERVICE_BINARY ECHO_BINARY [--postgresql] [--rounds 8] [--seconds 3] [--output FILE]

Each ratio divides the requests per second of two loads. wrk sends them in turns, in each round and in alternating order, so that
variations of the machine's speed affect both. The first round fills caches, and is discarded. Envoy verifies the same ID tokens
as the service, with its filter jwt_authn, with keys in its configuration and as many workers as processors. ECHO_BINARY is
Tests/EchoServer. With --postgresql, which requires a SERVICE_BINARY with this trait, sessions are also read from PostgreSQL.
Missed goals are reported, and do not fail the run.
"""

import argparse
import json
import resource
import socket
import statistics
import sys
import tempfile
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from pathlib import Path

import rig
from api import API, bearer
from connections import answers
from issuer import AUDIENCE, Issuer
from load import (
    PROCESSORS,
    SETTINGS,
    VERIFIED,
    Load,
    Report,
    describe,
    distinct_tokens,
    listening,
    resident_mib,
    verification,
    write_requests,
)
from postgresql import PostgreSQL
from rates import spread
from service import Service

ALIVE, FORWARD_AUTH, SESSION = "GET /healthz", "GET /v1/forward-auth", "GET /v1/session"
# The goals: minimum ratios, and the maxima of the milliseconds of a start and of the resident memory in MiB.
VERIFY_MIN, FORWARD_AUTH_MIN, ALIVE_MIN, SQLITE_MIN, POSTGRESQL_MIN = 0.80, 0.80, 0.85, 0.70, 0.45
START_MAX, MEMORY_MAX = 100, 150
# The number of users whose sessions are sent, and of the clients that sign them in.
PEOPLE, CLIENTS = 200, 4
# More than two runs of wrk open, as the connections of one can still be open when the next one begins.
CONNECTIONS_PER_NETWORK = 400
# The number of measured starts, and the time between two requests of one.
STARTS, POLL_SECONDS = 10, 0.001
# The number of idle connections, and of the other files that a process can open.
IDLE, OTHER_FILES = 10_000, 500
FILTERS = "type.googleapis.com/envoy.extensions.filters"


@dataclass
class Ratio:
    """The ratio of the rates of two loads."""

    name: str
    above: Load
    below: Load
    goal: float
    # The rates of each round, in requests per second.
    rates: list[tuple[float, float]] = field(default_factory=list)

    def measure(self, checks: rig.Checks, seconds: int, is_reversed: bool) -> None:
        """Measures one round."""
        pair = (self.above, self.below)
        results = {load: load.run(seconds) for load in (reversed(pair) if is_reversed else pair)}
        for result in results.values():
            wrong = result["bad"] + result["broken"]
            checks.that(not wrong, f"{self.name}: the server responds to each request as expected", result)
        self.rates.append((results[self.above]["rate"], results[self.below]["rate"]))


# ------------------------------------------------------------------------------------------------ servers


def envoy_configuration(port: int, issuer: Issuer) -> dict:
    """Returns the configuration of an Envoy that verifies bearer tokens and responds itself."""
    verify = {
        "@type": f"{FILTERS}.http.jwt_authn.v3.JwtAuthentication",
        "providers": {
            "demo": {
                "issuer": issuer.url,
                "audiences": [AUDIENCE],
                "local_jwks": {"inline_string": json.dumps(issuer.documents()["/keys"])},
            }
        },
        "rules": [{"match": {"prefix": "/"}, "requires": {"provider_name": "demo"}}],
    }
    route = {"match": {"prefix": "/"}, "direct_response": {"status": 200, "body": {"inline_string": VERIFIED}}}
    manager = {
        "@type": f"{FILTERS}.network.http_connection_manager.v3.HttpConnectionManager",
        "stat_prefix": "http",
        "route_config": {"virtual_hosts": [{"name": "all", "domains": ["*"], "routes": [route]}]},
        "http_filters": [
            {"name": "envoy.filters.http.jwt_authn", "typed_config": verify},
            {
                "name": "envoy.filters.http.router",
                "typed_config": {"@type": f"{FILTERS}.http.router.v3.Router"},
            },
        ],
    }
    connections = {"name": "envoy.filters.network.http_connection_manager", "typed_config": manager}
    listener = {
        "name": "http",
        "address": {"socket_address": {"address": "127.0.0.1", "port_value": port}},
        "filter_chains": [{"filters": [connections]}],
    }
    return {"static_resources": {"listeners": [listener]}}


def envoy_port(stack: ExitStack, folder: Path, issuer: Issuer) -> int:
    """Starts Envoy and returns its port."""
    file, port = folder / "envoy.json", rig.free_port()
    file.write_text(json.dumps(envoy_configuration(port, issuer)))
    # The package installs it beside the interpreter.
    command = [str(Path(sys.executable).parent / "envoy"), "-c", str(file), "--disable-hot-restart", "-l", "warning"]
    command += ["--concurrency", str(PROCESSORS)]
    return stack.enter_context(listening("envoy", command, folder, port))


def echo_port(stack: ExitStack, folder: Path, binary: str) -> int:
    """Starts the empty server and returns its port."""
    port = rig.free_port()
    return stack.enter_context(listening("echo", [binary, str(port)], folder, port))


def service_port(stack: ExitStack, folder: Path, binary: str, issuer: Issuer, **settings) -> int:
    """Starts the service and returns its port."""
    settings = SETTINGS | {"connections-per-network": CONNECTIONS_PER_NETWORK} | settings
    return stack.enter_context(Service(binary, folder, issuer.url, **settings)).port


def session_tokens(port: int, issuer: Issuer) -> list[str]:
    """Signs users in and returns their session tokens."""
    with ThreadPoolExecutor(CLIENTS) as pool:
        people = pool.map(API(port, issuer).sign_in, [f"person-{number}" for number in range(PEOPLE)])
        return [person.token for person in people]


# ------------------------------------------------------------------------------------------------ ratios


def ratios(stack: ExitStack, folder: Path, arguments: argparse.Namespace, issuer: Issuer) -> list[Ratio]:
    """Starts the servers and returns the ratios to measure."""

    def load(port: int, name: str, requests: Iterable[bytes], **response) -> Load:
        return Load(write_requests(folder / name, requests), port, arguments.connections, **response)

    def cookie_ratio(store: str, goal: float, port: int, sessions: list[str]) -> Ratio:
        """Returns the ratio of a protected route with a session to its refusal without one."""
        cookies = ([("Cookie", f"__Host-session={token}")] for token in sessions)
        return Ratio(
            f"{SESSION}, {store}: with a session cookie ÷ without",
            load(port, f"{store}-cookies", (rig.request(SESSION, headers=each) for each in cookies), wanted='"id"'),
            load(port, f"{store}-none", [rig.request(SESSION)], status=401, wanted="missing-session"),
            goal,
        )

    echo, proxy = echo_port(stack, folder, arguments.echo), envoy_port(stack, folder, issuer)
    port = service_port(stack, folder / "sqlite", arguments.binary, issuer)
    tokens, sessions = list(distinct_tokens(issuer, arguments.tokens)), session_tokens(port, issuer)
    verify = load(port, "verify", map(verification, tokens), wanted=VERIFIED)
    authorize = load(port, "forward-auth", (rig.request(FORWARD_AUTH, headers=bearer(each)) for each in sessions))
    jwt_authn = load(proxy, "envoy", (rig.request("GET /", headers=bearer(each)) for each in tokens), wanted=VERIFIED)
    alive = [load(each, "alive", [rig.request(ALIVE)], wanted='"alive"') for each in (port, echo)]
    found = [
        Ratio("POST /v1/verify ÷ Envoy's jwt_authn", verify, jwt_authn, VERIFY_MIN),
        Ratio(f"{FORWARD_AUTH} ÷ Envoy's jwt_authn", authorize, jwt_authn, FORWARD_AUTH_MIN),
        Ratio(f"{ALIVE} ÷ a bare route of Hummingbird", *alive, ALIVE_MIN),
        cookie_ratio("SQLite", SQLITE_MIN, port, sessions),
    ]
    if arguments.postgresql:
        store = stack.enter_context(PostgreSQL()).store
        port = service_port(stack, folder / "postgresql", arguments.binary, issuer, store=store)
        found.append(cookie_ratio("PostgreSQL", POSTGRESQL_MIN, port, session_tokens(port, issuer)))
    return found


def measured(checks: rig.Checks, folder: Path, arguments: argparse.Namespace, issuer: Issuer) -> list[Ratio]:
    """Measures all ratios, in turns."""
    with ExitStack() as stack:
        found = ratios(stack, folder, arguments, issuer)
        for number in range(arguments.rounds + 1):
            for ratio in found:
                ratio.measure(checks, arguments.seconds, is_reversed=number % 2 == 1)
    for ratio in found:
        del ratio.rates[0]
    return found


# ------------------------------------------------------------------------------------------------ start and memory


def first_verification(starting: Service, issuer: Issuer, token: str) -> float:
    """Starts a service and returns the milliseconds until it has verified a token."""

    def is_verified() -> bool:
        try:
            answer = API(starting.port, issuer).call("POST", "/v1/verify", {"token": token, "policy": "load"})
        except OSError:
            return False
        return answer.status == 200 and VERIFIED.encode() in answer.body

    began = time.perf_counter()
    starting.start(lambda: True)
    try:
        while not is_verified():
            if time.perf_counter() - began > rig.START_SECONDS:
                raise TimeoutError(f"no token was verified: {starting.last_words()}")
            time.sleep(POLL_SECONDS)
        return (time.perf_counter() - began) * 1000
    finally:
        starting.stop()


def starts(checks: rig.Checks, binary: str, folder: Path, issuer: Issuer) -> list[float]:
    """Measures starts of a service that has stored the keys of its provider, in milliseconds."""
    starting = Service(binary, folder, issuer.url, **SETTINGS)
    with starting:
        rig.wait_until(lambda: any((folder / "keys").glob("*.json")), "the service has stored the keys")
    fetches = issuer.asked.count("/keys")
    token = issuer.token("person")
    times = [first_verification(starting, issuer, token) for _ in range(STARTS)]
    checks.equal(issuer.asked.count("/keys"), fetches, "a service that has stored keys does not fetch them at its start")
    return times


def idle_connection(port: int) -> socket.socket:
    """Opens a connection and sends one request: without any, the service would close it after a few seconds."""
    client = rig.connect(port)
    client.sendall(rig.request(ALIVE))
    answers(client, 1)
    return client


def is_open(client: socket.socket) -> bool:
    """Whether the server has not closed an idle connection."""
    client.setblocking(False)
    try:
        return client.recv(1) != b""
    except BlockingIOError:
        return True


def idle_memory(checks: rig.Checks, binary: str, folder: Path, issuer: Issuer) -> float:
    """Measures the resident memory of a service with idle connections, in MiB."""
    files, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    # The service inherits the limit.
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(files, IDLE + OTHER_FILES), most))
    # The connections of a trusted proxy are not limited.
    settings = SETTINGS | {"connections": IDLE + OTHER_FILES // 2, "trusted-proxies": ["127.0.0.1/32"]}
    with Service(binary, folder, issuer.url, **settings) as idle, ExitStack() as stack:
        clients = [stack.enter_context(closing(idle_connection(idle.port))) for _ in range(IDLE)]
        resident = resident_mib(idle.process.pid)
        checks.equal(sum(map(is_open, clients)), IDLE, "the service keeps idle connections open")
    return resident


# ------------------------------------------------------------------------------------------------ report


def tell(report: Report, name: str, value: str, goal: str, is_met: bool, beside: str = "") -> None:
    report.say(f"{name:<60}{value:<26}{goal:<10}{'met' if is_met else 'MISSED':<9}{beside}".rstrip())


def main() -> int:
    parser = argparse.ArgumentParser(description="Compares the rates of the service with those of other servers.")
    parser.add_argument("binary")
    parser.add_argument("echo")
    parser.add_argument("--postgresql", action="store_true")
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--seconds", type=int, default=3)
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--tokens", type=int, default=20_000)
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    checks, report = rig.Checks("compare"), Report()
    describe(report, arguments)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="compare-")))
        issuer = stack.enter_context(Issuer())
        began = time.monotonic()
        found = measured(checks, folder, arguments, issuer)
        times = starts(checks, arguments.binary, folder / "starts", issuer)
        memory = idle_memory(checks, arguments.binary, folder / "idle", issuer)
    report.say(f"{'':<60}{'value   (p10 … p90)':<26}{'goal':<19}requests/s")
    for ratio in found:
        quotients = [above / below for above, below in ratio.rates]
        above, below = (statistics.median(rates) for rates in zip(*ratio.rates, strict=True))
        is_met = statistics.median(quotients) >= ratio.goal
        tell(report, ratio.name, spread(quotients), f"≥ {ratio.goal:.2f}", is_met, f"{above:.0f} ÷ {below:.0f}")
    is_met = statistics.median(times) <= START_MAX
    tell(report, "serve: from its start to the first verified token, ms", spread(times), f"≤ {START_MAX}", is_met)
    name = f"serve: resident memory with {IDLE:,} idle connections, MiB"
    tell(report, name, f"{memory:6.2f}", f"≤ {MEMORY_MAX}", memory <= MEMORY_MAX)
    report.say()
    report.say(f"{arguments.rounds} rounds of {arguments.seconds} s for each load, and {STARTS} starts; values are medians")
    report.say(f"lasted {time.monotonic() - began:.0f} s")
    report.store(arguments.output)
    return checks.end()


if __name__ == "__main__":
    sys.exit(main())
