"""Measures the cost of a sign-in, of GET /v1/account and of a route with a session compared with a verification over HTTP.

usage: rates.py SERVICE_BINARY [--before BINARY] [--rounds 12] [--sign-ins 200] [--seconds 90] [--output FILE]

One service with a SQLite store handles POST /v1/verify, POST /v1/sign-in with a known login, and GET /v1/account with a session
token; SignInServer, which `swift build` writes into the directory of SERVICE_BINARY, handles GET /notes, a route of an application:
in turns, on one and on four persistent connections. Attempts and ID tokens are created before each round, and are not measured.
The server's processor time and the wall-clock time are measured; a ratio compares times of one round. With --before an earlier
release handles the same requests in the same rounds, and the ratios now ÷ before are printed. No round begins after --seconds.

The processor time is that of /proc/PID/stat, but in nanoseconds: hundredths of a second are too coarse for a round. The client is
written in Python and runs on the same machine, so wall-clock times include it; it is the larger part of small ones.
"""

import argparse
import ctypes
import itertools
import os
import socket
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path

import example
import rig
from api import API, Account, Elsewhere, bearer, networks
from issuer import Issuer
from load import PROCESSORS, Report, describe_machine
from service import LIMITS, Service

VERIFY, SIGN_IN, ACCOUNT, NOTES = "POST /v1/verify", "POST /v1/sign-in", "GET /v1/account", "GET /notes"
ROWS = (VERIFY, SIGN_IN, ACCOUNT, NOTES)
# A text in the body of each successful response.
WANTED = {VERIFY: b'"verified"', SIGN_IN: b'"sessionToken"', ACCOUNT: b'"id"', NOTES: b"the notes of"}
# The number of requests per sign-in: cheaper requests are sent more often.
TIMES = {VERIFY: 3, SIGN_IN: 1, ACCOUNT: 3, NOTES: 3}
RATIOS = (
    ("sign-in ÷ verify", SIGN_IN, VERIFY),
    ("own account ÷ verify", ACCOUNT, VERIFY),
    ("own notes ÷ verify", NOTES, VERIFY),
)
CONNECTIONS = (1, 4)
# The number of parts of a round. Rows and services take turns in each, so that variations of the machine's speed affect all.
SLICES = 10
# Enough users that each has only a few sessions.
PEOPLE = 200
# The minimum for a meaningful spread; these rounds run regardless of --seconds.
ROUNDS_MIN = 3


class Connection:
    """A persistent connection with less overhead per response than http.client."""

    def __init__(self, port: int, source: str):
        self.socket = socket.create_connection(("127.0.0.1", port), rig.ANSWER_SECONDS, (source, 0))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.file = self.socket.makefile("rb")

    def ask(self, request: bytes) -> tuple[int, bytes]:
        self.socket.sendall(request)
        status, length = self.file.readline().split(b" ", 2)[1], 0
        while (line := self.file.readline()) not in (b"\r\n", b""):
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        return int(status), self.file.read(length)

    def close(self) -> None:
        self.file.close()
        self.socket.close()


def processor_clock(process: int) -> Callable[[], float]:
    """Returns a clock of a process's time on all processors, including its ended threads, in seconds (clock_getcpuclockid)."""
    clock = ctypes.c_int()
    if error := ctypes.CDLL(None).clock_getcpuclockid(process, ctypes.byref(clock)):
        raise OSError(error, "clock_getcpuclockid")
    return lambda: time.clock_gettime(clock.value)


class Others:
    """The processor time of other programs since the creation of this object. A run with a large share is not meaningful."""

    def __init__(self, candidates: list["Candidate"]):
        self.candidates = candidates
        self.before, self.began = self.seconds(), time.monotonic()

    def seconds(self) -> float:
        """Returns the busy and stolen time of all processors, without the services and this program, in seconds."""
        user, nice, system, _, _, *rest = map(int, Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9])
        busy = (user + nice + system + sum(rest)) / os.sysconf("SC_CLK_TCK")
        servers = {server for candidate in self.candidates for server in candidate.servers.values()}
        return busy - time.process_time() - sum(server.processor() for server in servers)

    def share(self) -> float:
        return (self.seconds() - self.before) / (time.monotonic() - self.began) / PROCESSORS


@dataclass
class Cost:
    """The cost of requests, in seconds."""

    processor: float
    clock: float

    @classmethod
    def mean(cls, parts: list["Cost"], requests: int) -> "Cost":
        """Returns the mean cost per request of the parts."""
        return cls(sum(part.processor for part in parts) / requests, sum(part.clock for part in parts) / requests)


class Server:
    """A running server and its users."""

    def __init__(self, process: int, api: API):
        self.api, self.processor = api, processor_clock(process)
        # The server of an application has the default limits of a network, which a round stays below.
        self.sources = networks()
        with ThreadPoolExecutor(max(CONNECTIONS)) as pool:
            people = list(pool.map(api.sign_in, [f"person-{number}" for number in range(PEOPLE)]))
        self.next: Iterator[Account] = itertools.cycle(people)


class Candidate:
    """A build to measure: its service, its server of an application, and the measured costs."""

    def __init__(self, name: str, service: Server, application: Server):
        self.name = name
        self.servers = {VERIFY: service, SIGN_IN: service, ACCOUNT: service, NOTES: application}
        # The costs per request by the number of connections and row, in the order of the rounds.
        self.costs: dict[tuple[int, str], list[Cost]] = {}

    def requests(self, row: str, verifications: Iterator[bytes], sign_ins: int) -> list[bytes]:
        """Creates the requests of one measurement, with their attempts and tokens."""
        count = TIMES[row] * sign_ins
        if row == VERIFY:
            return list(itertools.islice(verifications, count))
        server = self.servers[row]
        people = list(itertools.islice(server.next, count))
        if row != SIGN_IN:
            return [rig.request(row, headers=bearer(person.token)) for person in people]
        with ThreadPoolExecutor(max(CONNECTIONS)) as pool:
            shown = pool.map(server.api.credential, [person.subject for person in people])
            return [rig.request(SIGN_IN, credential) for credential in shown]

    def measure(self, checks: rig.Checks, row: str, connections: list[Connection], requests: list[bytes]) -> Cost:
        """Sends the requests over the connections and returns their total cost."""
        barrier, server = threading.Barrier(len(connections) + 1), self.servers[row]

        def work(connection: Connection, share: list[bytes]) -> list[tuple[int, bytes]]:
            """Sends requests in sequence and returns the unexpected responses."""
            barrier.wait(rig.ANSWER_SECONDS)
            answers = [connection.ask(each) for each in share]
            return [answer for answer in answers if answer[0] != 200 or WANTED[row] not in answer[1]]

        with ThreadPoolExecutor(len(connections)) as pool:
            shares = [requests[number :: len(connections)] for number in range(len(connections))]
            working = [pool.submit(work, *each) for each in zip(connections, shares, strict=True)]
            barrier.wait(rig.ANSWER_SECONDS)
            processor, clock = server.processor(), time.perf_counter()
            wrong = [answer for share in working for answer in share.result()]
            processor, clock = server.processor() - processor, time.perf_counter() - clock
        checks.that(not wrong, f"{self.name}: each {row} succeeds", wrong[:1])
        return Cost(processor, clock)


def spread(values: list[float]) -> str:
    """Formats the median, and the tenth and ninetieth percentiles."""
    low, *_, high = statistics.quantiles(values, n=10, method="inclusive")
    return f"{statistics.median(values):6.2f}  ({low:.2f} … {high:.2f})"


def ratios(above: list[Cost], below: list[Cost]) -> str:
    pairs = list(zip(above, below, strict=True))
    processor = spread([one.processor / other.processor for one, other in pairs])
    return f"{processor:<28}{spread([one.clock / other.clock for one, other in pairs])}"


def tell(report: Report, candidates: list[Candidate], connections: int) -> None:
    report.say()
    title = "one connection" if connections == 1 else f"{connections} connections"
    report.say(f"{title:<36}  processor time              by the clock")
    for candidate in candidates:
        mark = f"{candidate.name}: " if len(candidates) > 1 else ""
        for row in ROWS:
            costs = candidate.costs[connections, row]
            processor = f"{statistics.median(cost.processor for cost in costs) * 1e6:6.0f} µs"
            clock = f"{statistics.median(cost.clock for cost in costs) * 1e6:6.0f} µs"
            report.say(f"  {mark + row:<34}  {processor:<28}{clock}")
        for name, above, below in RATIOS:
            of = ratios(candidate.costs[connections, above], candidate.costs[connections, below])
            report.say(f"  {mark + name:<34}  {of}")
    if len(candidates) > 1:
        now, before = candidates
        for row in ROWS:
            of = ratios(now.costs[connections, row], before.costs[connections, row])
            report.say(f"  {f'now ÷ before: {row}':<34}  {of}")


def go_round(checks: rig.Checks, candidates: list[Candidate], verifications: Iterator[bytes], sign_ins: int) -> None:
    """Measures one round: all rows on one connection, then on four."""
    for count in CONNECTIONS:
        parts: dict[tuple[Candidate, str], list[Cost]] = {pair: [] for pair in itertools.product(candidates, ROWS)}
        requests = {pair: pair[0].requests(pair[1], verifications, sign_ins) for pair in parts}
        with ExitStack() as stack:
            connections = {
                server: [
                    stack.enter_context(closing(Connection(server.api.port, next(server.sources)))) for _ in range(count)
                ]
                for candidate in candidates
                for server in set(candidate.servers.values())
            }
            for number in range(SLICES):
                # The order is reversed in every other part.
                for candidate, row in list(parts)[:: 1 if number % 2 else -1]:
                    share = requests[candidate, row][number::SLICES]
                    used = connections[candidate.servers[row]]
                    parts[candidate, row].append(candidate.measure(checks, row, used, share))
        for (candidate, row), costs in parts.items():
            cost = Cost.mean(costs, len(requests[candidate, row]))
            candidate.costs.setdefault((count, row), []).append(cost)


def measure(checks: rig.Checks, candidates: list[Candidate], issuer: Issuer, arguments: argparse.Namespace) -> int:
    """Measures all rounds and returns their number."""
    verifications = itertools.cycle(
        rig.request(VERIFY, {"token": issuer.token(f"person-{number}", "n-1"), "policy": "demo", "nonce": "n-1"})
        for number in range(TIMES[VERIFY] * arguments.sign_ins)
    )
    limit, rounds = time.monotonic() + arguments.seconds, 0
    # The first round fills caches, and is discarded.
    go_round(checks, candidates, verifications, arguments.sign_ins)
    for candidate in candidates:
        candidate.costs.clear()
    while rounds < arguments.rounds and (rounds < ROUNDS_MIN or time.monotonic() < limit):
        go_round(checks, candidates, verifications, arguments.sign_ins)
        rounds += 1
    return rounds


def main() -> int:
    parser = argparse.ArgumentParser(description="Measures the cost of a sign-in compared with a verification over HTTP.")
    parser.add_argument("binary")
    parser.add_argument("--before", metavar="BINARY")
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--sign-ins", type=int, default=200)
    parser.add_argument("--seconds", type=int, default=90)
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    checks, report = rig.Checks("rates"), Report()
    describe_machine(report)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="rates-")))
        issuer = stack.enter_context(Issuer())
        # The cache is too small for any token to be in it when it is sent again.
        tweaks = dict.fromkeys(LIMITS, 1_000_000) | {"tokens.cache.size": 2}
        binaries = {"now": arguments.binary} | ({"before": arguments.before} if arguments.before else {})
        candidates: list[Candidate] = []
        for name, binary in binaries.items():
            settings = {"log-level": "warning", "tweaks": tweaks}
            service = stack.enter_context(Service(binary, folder / name, issuer.url, **settings))
            application = stack.enter_context(example.serve(Path(binary).with_name("SignInServer"), issuer.url, issuer.url))
            servers = [
                Server(service.process.pid, API(service.port, issuer)),
                Server(application.program.process.pid, Elsewhere(application.port, issuer, "corp", example.AUDIENCE)),
            ]
            candidates.append(Candidate(name, *servers))
        others = Others(candidates)
        rounds = measure(checks, candidates, issuer, arguments)
        counts = ", ".join(f"{TIMES[row] * arguments.sign_ins} {row}" for row in ROWS)
        report.say(f"requests: {rounds} rounds of {counts}, for each number of connections")
        report.say(f"with:     {PEOPLE} people, ID tokens signed with RS256 and 2,048 bits, a SQLite store")
        for connections in CONNECTIONS:
            tell(report, candidates, connections)
        report.say()
        report.say("each a median; ratios are of one round, with the tenth and the ninetieth percentile")
        report.say(
            f"lasted {time.monotonic() - others.began:.0f} s, in which other programs had {others.share():.0%} of the processors"
        )
    report.store(arguments.output)
    return checks.end()


if __name__ == "__main__":
    sys.exit(main())
