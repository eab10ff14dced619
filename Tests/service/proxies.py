"""Do the shipped configurations of proxies keep an application behind forward-auth, whatever a client sends?

usage: proxies.py SERVICE_BINARY [PROXY…]

Starts the service, an application that shows what it received, and each proxy in turn with what share/proxies has: only
addresses, ports and paths of files are changed. Between proxy and service stands a relay, which shows what the proxy asks,
and which can be down, silent, or without a store. Everything is on 127.0.0.1.
"""

import re
import shutil
import socket
import sys
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import paths
import rig
from api import API, Account
from echo import Echo, Relay
from issuer import Issuer
from proxy import HOST, KNOWN, PROXIES, Proxy, running
from service import Mailbox, Service

# Loopback, but not the proxy's own address: what is told of the client is not what is told of the proxy.
CLIENT, HERE = "127.0.0.2", "127.0.0.1"
IPV6 = "::1"
IDENTITY = ("Account", "Session", "Level", "Methods", "Email", "Anonymous")
# What many applications read as a hyphen: CGI, WSGI and PHP make underscores of all of them.
HYPHENS = "-_.!~+*"
LARGE = 3 * 1024 * 1024
# How long a proxy may think about a service that says nothing.
SILENCE_SECONDS = 20
# Where each proxy names the cookies that it keeps, between bars or as words of Lua; Traefik keeps all.
COOKIES_KEPT = {
    "nginx/login.conf": r"__Host-\(\?:([a-z|]+)\)=",
    "caddy/Caddyfile": r"__Host-\(\?:([a-z|]+)\)=",
    "envoy/envoy.yaml": r"ipairs\(\{([a-z\", ]+)\}\)",
}


def cookies() -> list[str]:
    """What the cookies of the service are called, without `__Host-`: the sources say it."""
    modules = ("LoginHummingbird", "LoginPages")
    files = [file for module in modules for file in sorted((rig.ROOT / "Sources" / module).rglob("*.swift"))]
    return sorted({name for file in files for name in re.findall(r'"__Host-([a-z]+)"', file.read_text())})


def check_names(checks: rig.Checks) -> None:
    """No cookie of the service is forgotten where they are kept from applications."""
    wanted = cookies()
    checks.that("session" in wanted, "the sources say what the cookies are called", wanted)
    for file, pattern in COOKIES_KEPT.items():
        lists = [sorted(re.findall("[a-z]+", kept)) for kept in re.findall(pattern, (PROXIES / file).read_text())]
        checks.that(lists and all(kept == wanted for kept in lists), f"{file} keeps each of {wanted}", lists)
        if file.startswith("nginx/"):
            checks.equal(len(lists), len(wanted), f"{file} has a step for each cookie")
    page = (rig.ROOT / "docs" / "guides" / "proxies.md").read_text()
    for name in wanted:
        checks.that(f"`__Host-{name}`" in page, f"docs/guides/proxies.md names __Host-{name}")


@dataclass
class Sessions:
    """Who comes by: good sessions, and bad ones with what each is refused for."""

    known: Account
    # Without an address: the answer leaves a header empty.
    nameless: Account
    strong: Account
    bad: dict[str, tuple[list[tuple[str, str]], str]]


def bearer(token: str) -> list[tuple[str, str]]:
    return [("Authorization", f"Bearer {token}")]


def sessions(service: Service, issuer: Issuer, mailbox: Mailbox) -> Sessions:
    api = API(service.port, issuer)
    known = api.sign_up("alice@example.com")
    api.prove_address(known, mailbox)
    strong = api.sign_in(email="strong@example.com", email_verified=True)
    api.enrol(strong)
    closed, disabled = api.sign_in(), api.sign_in()
    api.sign_out(closed.token)
    service.accounts("disable", disabled.id)
    unknown = closed.token[:-8] + ("A" * 8 if not closed.token.endswith("A" * 8) else "B" * 8)
    return Sessions(
        known=known,
        nameless=api.sign_in(),
        strong=strong,
        bad={
            "none": ([], "missing-session"),
            "a malformed one": (bearer("not-a-session"), "invalid-user-token"),
            "an unknown one": (bearer(unknown), "invalid-user-token"),
            "a closed one": (bearer(closed.token), "invalid-user-token"),
            "one of a disabled account": (bearer(disabled.token), "user-disabled"),
        },
    )


class Case:
    """One proxy that runs, and what is asked of it."""

    def __init__(self, proxy: Proxy, checks: rig.Checks, people: Sessions, echo: Echo, relay: Relay, ports: dict, tls):
        self.proxy, self.checks, self.people, self.echo, self.relay = proxy, checks, people, echo, relay
        self.ports, self.tls = ports, tls

    def ask(
        self, path: str = "/app/", headers=(), method: str = "GET", body: bytes | None = None, **options
    ) -> rig.Answer:
        self.echo.received.clear()
        self.relay.received.clear()
        options = {"source": CLIENT} | options
        return rig.ask(self.ports["https"], method, path, list(headers), body, tls=self.tls, host=HOST, **options)

    def that(self, holds: bool, sentence: str, seen: object = "") -> bool:
        return self.checks.that(holds, f"{self.proxy.name}: {sentence}", seen)

    def equal(self, seen: object, expected: object, sentence: str) -> bool:
        return self.checks.equal(seen, expected, f"{self.proxy.name}: {sentence}")

    def upstream(self) -> dict[str, list[str]]:
        """What the application received, under the names that CGI makes of headers; empty if it received nothing."""
        seen: dict[str, list[str]] = {}
        for name, value in (self.echo.received[-1].headers if self.echo.received else ()):
            seen.setdefault(re.sub(r"[^A-Z0-9]", "_", name.upper()), []).append(value)
        return seen

    def received_path(self) -> str | None:
        """The path of the last request to the application, without its query."""
        return self.echo.received[-1].path.split("?")[0] if self.echo.received else None

    def question(self) -> dict[str, str]:
        """What the service was asked with."""
        asked = [request for request in self.relay.received if request.path.startswith("/v1/forward-auth")]
        return {name.lower(): value for name, value in asked[-1].headers} if asked else {}

    def refused(self, answer: rig.Answer, reason: str, sentence: str) -> None:
        self.equal(answer.status, 401, f"{sentence} is refused")
        self.equal(answer.header("X-Auth-Error"), reason, f"{sentence} is refused with its reason")
        self.that(
            (answer.header("WWW-Authenticate") or "").startswith("Bearer"),
            f"{sentence} is asked for a bearer",
            answer.headers,
        )
        self.equal(len(self.echo.received), 0, f"{sentence} does not reach the application")


# ------------------------------------------------------------------------------------------------ what is checked


def check_good(case: Case) -> None:
    for person, email in ((case.people.known, "alice@example.com"), (case.people.nameless, "")):
        answer = case.ask(headers=bearer(person.token))
        seen = case.upstream()
        case.equal(answer.status, 200, "a session reaches the application")
        case.equal(seen.get("HTTP_HOST", seen.get("HOST")), [HOST], "the application sees the host")
        case.equal(seen.get("X_AUTH_ACCOUNT"), [person.id], "the application sees the account")
        case.equal(seen.get("X_AUTH_LEVEL"), ["1"], "the application sees the level")
        case.that(all(seen.get("X_AUTH_SESSION", [])), "the application sees the session", seen)
        case.that(all(seen.get("X_AUTH_METHODS", [])), "the application sees the methods", seen)
        case.equal(seen.get("X_AUTH_ANONYMOUS"), ["false"], "the application sees that it is no guest")
        case.that(seen.get("X_AUTH_EMAIL", [""]) == [email], "the application sees a verified address, or none", seen)
        case.that(
            "AUTHORIZATION" not in seen or not any(seen["AUTHORIZATION"]), "the bearer stays with the proxy", seen
        )


def check_cookies(case: Case) -> None:
    session = f"__Host-session={case.people.known.token}"
    others = [f"__Host-{name}=x" for name in cookies() if name != "session"]
    for sent in (
        f"a=1; {session}; b=2",
        f"{session}; a=1; b=2",
        f"a=1; b=2; {session}",
        f"a=1;{session};b=2",
        f"a=1;\t{session}; b=2",
        f"a=1; \t {session};\tb=2",
        f"__Host-login=x; a=1; __Host-visitor=y; b=2; __Host-refresh=z; {session}",
        f"a=1; __Host-step=x; {session}; b=2",
        "; ".join([*others, "a=1", "b=2", session]),
        "; ".join(["a=1", session, *reversed(others), "b=2"]),
    ):
        answer = case.ask(headers=[("Cookie", sent)])
        case.equal(answer.status, 200, "a session in a cookie reaches the application")
        cookie = "; ".join(case.upstream().get("COOKIE", []))
        case.that("__Host-" not in cookie, "cookies of the service stay with the proxy", cookie)
        if case.proxy.passes_cookies:
            pairs = [pair.strip() for pair in cookie.split(";") if pair.strip()]
            case.equal(pairs, ["a=1", "b=2"], "the application gets its own cookies")


def check_bad(case: Case) -> None:
    for name, (headers, reason) in case.people.bad.items():
        case.refused(case.ask(headers=headers), reason, f"a session, {name},")
    case.refused(
        case.ask("/app/admin/", bearer(case.people.known.token)),
        "second-factor-required",
        "a session without second factor",
    )
    garbled = case.ask(headers=[("Authorization", "Bearer two words")])
    case.refused(garbled, "invalid-request", "what is no bearer")
    answer = case.ask("/app/admin/", bearer(case.people.strong.token))
    case.equal(answer.status, 200, "a session with a second factor reaches what wants it")
    case.equal(case.upstream().get("X_AUTH_LEVEL"), ["2"], "the application sees level 2")


def check_question(case: Case) -> None:
    """The service is asked about a session, and nothing that a client wrote decides what it is asked."""
    for path, asked in (
        ("/app/?level=1&x=y", "/v1/forward-auth"),
        ("/app/admin/?level=1&x=y", "/v1/forward-auth?level=2"),
    ):
        case.ask(path, bearer(case.people.strong.token))
        case.equal([request.path for request in case.relay.received], [asked], f"{path} is one question")
        case.equal([request.path for request in case.echo.received], [path], f"{path} reaches the application as it is")
    for method in ("HEAD", "PUT", "PATCH", "DELETE", "OPTIONS"):
        case.equal(
            case.ask(headers=bearer(case.people.known.token), method=method).status,
            200,
            f"{method} passes with a session",
        )
        case.equal([request.method for request in case.relay.received], ["GET"], f"{method} is asked about with GET")
        case.equal(
            [request.method for request in case.echo.received], [method], f"{method} reaches the application as it is"
        )
        case.equal(case.ask(method=method).status, 401, f"{method} is refused without a session")


def check_forged(case: Case) -> None:
    """Each identity header, in every spelling that an application could read as it, set by the answer or left empty."""
    names = [f"X-Auth-{name}" for name in (*IDENTITY, "Error")]
    for person in (case.people.known, case.people.nameless):
        honest = identity_of(case, bearer(person.token))
        for hyphen in HYPHENS:
            for spelling in (str, str.lower, str.upper):
                forged = [(spelling(name).replace("-", hyphen), "forged") for name in names]
                seen = identity_of(case, [*forged, *bearer(person.token)])
                case.equal(seen, honest, f"identities forged with {hyphen!r} between the words do not arrive")
        mixed = [(name.replace("-", "_", 1), "forged") for name in names] + [
            (name[:6] + "_" + name[7:], "forged") for name in names
        ]
        case.equal(
            identity_of(case, mixed + bearer(person.token)),
            honest,
            "identities forged with mixed spelling do not arrive",
        )
        twice = [(name, value) for name in names for value in ("", "forged")]
        case.equal(identity_of(case, twice + bearer(person.token)), honest, "identities forged twice do not arrive")
        hops = [("Connection", ", ".join(["close", *names]))]
        case.equal(
            identity_of(case, hops + bearer(person.token)), honest, "identities are not taken away as headers of a hop"
        )


def identity_of(case: Case, headers) -> dict[str, list[str]]:
    """The identity that the application reads; whatever is empty counts as absent. A refused request reads none."""
    answer = case.ask(headers=headers)
    if answer.status == 400:
        return {"refused": ["400"]}
    return {name: values for name, values in case.upstream().items() if name.startswith("X_AUTH_") and any(values)}


def check_forwarded(case: Case) -> None:
    strangers = [
        ("X-Forwarded-For", "203.0.113.9"),
        ("X-Forwarded-Host", "evil.example"),
        ("X-Forwarded-Proto", "gopher"),
        ("Forwarded", "for=203.0.113.9"),
        ("X-Request-ID", "chosen-by-a-stranger"),
        ("X-Real-IP", "203.0.113.9"),
        ("X-Original-URL", "/app/admin/"),
        ("X-Rewrite-URL", "/app/admin/"),
        ("X-Forwarded-Prefix", "/app/admin"),
    ]
    answer = case.ask(headers=strangers + bearer(case.people.known.token))
    seen, question = case.upstream(), case.question()
    case.equal(seen.get("X_FORWARDED_FOR"), [CLIENT], "the application sees the client's address alone")
    # A proxy that asks itself adds itself, which is trusted.
    case.that(
        question.get("x-forwarded-for") in (CLIENT, f"{CLIENT}, {HERE}"),
        "the service sees the client's address alone",
        question,
    )
    case.equal(seen.get("X_FORWARDED_PROTO"), ["https"], "the application sees how it was asked")
    case.that("203.0.113.9" not in str(seen), "no address of a stranger's making arrives", seen)
    case.that("evil.example" not in str(seen) + str(question), "no host of a stranger's making arrives", seen)
    case.that("/app/admin" not in str(seen), "no path of a stranger's making arrives in a header", seen)
    number = seen.get("X_REQUEST_ID", [""])[0]
    case.that(number not in ("", "chosen-by-a-stranger"), "each request has a number that no stranger chose", seen)
    case.equal(
        answer.header("X-Request-ID") or number, number, "the client is told the number that the application sees"
    )
    asked = question.get("x-request-id", number)
    case.equal(asked, number, "the service sees the number that the application sees")


def check_ipv6(case: Case) -> None:
    """Who comes by IPv6 is told of like everybody else."""
    if not case.proxy.hears_ipv6:
        return
    answer = case.ask(headers=bearer(case.people.known.token), source=IPV6, address=IPV6)
    case.equal(answer.status, 200, "a session reaches the application by IPv6")
    # For ::1 Envoy tells another address of this machine.
    if case.proxy.name != "envoy":
        seen, asked = case.upstream().get("X_FORWARDED_FOR"), case.question().get("x-forwarded-for")
        case.equal(seen, [IPV6], "the application sees the client's address of IPv6")
        case.that(asked in (IPV6, f"{IPV6}, {HERE}"), "the service sees the client's address of IPv6", asked)
    case.refused(case.ask(source=IPV6, address=IPV6), "missing-session", "a request by IPv6 without session")
    answer = rig.ask(case.ports["http"], "GET", "/app/", host=HOST, source=IPV6, address=IPV6)
    case.that(answer.status in (301, 308), "plain HTTP by IPv6 leads to HTTPS", answer)


def check_body(case: Case) -> None:
    answer = case.ask(headers=bearer(case.people.known.token), method="POST", body=b"x" * LARGE)
    case.equal(answer.status, 200, "a large body goes through")
    arrived = case.echo.received[-1] if case.echo.received else None
    case.equal(arrived and (arrived.method, arrived.body), ("POST", LARGE), "the application gets method and body")
    asked = case.relay.received[-1] if case.relay.received else None
    case.equal(
        asked and (asked.method, asked.body), ("GET", 0), "the service is asked with GET, and gets nothing of the body"
    )
    answer = case.ask(headers=[], method="POST", body=b"x" * 1000)
    case.equal(answer.status, 401, "a body without session is refused")


def check_websocket(case: Case) -> None:
    """An upgraded connection carries bytes both ways, and only with a session."""

    def upgrade(headers, protocols=("websocket",)) -> tuple[bytes, bytes]:
        plain = socket.create_connection(("127.0.0.1", case.ports["https"]), rig.ANSWER_SECONDS)
        with case.tls.wrap_socket(plain, server_hostname=HOST) as connection:
            lines = [
                "GET /app/socket HTTP/1.1",
                f"Host: {HOST}",
                "Connection: Upgrade",
                *(f"Upgrade: {protocol}" for protocol in protocols),
                "Sec-WebSocket-Version: 13",
                "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
                *(f"{name}: {value}" for name, value in headers),
                "",
                "",
            ]
            connection.sendall("\r\n".join(lines).encode())
            reader = connection.makefile("rb")
            status = reader.readline()
            while reader.readline() not in (b"\r\n", b""):
                pass
            if b"101" not in status:
                return status, b""
            connection.sendall(b"hello")
            return status, reader.read(5)

    case.echo.received.clear()
    status, back = upgrade([*bearer(case.people.known.token), ("X-Auth-Email", "forged"), ("X_Auth_Account", "forged")])
    case.that(b"101" in status and back == b"hello", "a WebSocket goes through", (status, back))
    case.that("forged" not in str(case.upstream()), "nothing forged comes in by a WebSocket", case.upstream())
    case.equal(case.upstream().get("X_AUTH_ACCOUNT"), [case.people.known.id], "a WebSocket has its account")
    status, _ = upgrade([])
    case.that(b"401" in status, "a WebSocket without session is refused", status)
    # An application that changes to HTTP/2 would take any identity from the client.
    for protocols in (["h2c"], ["websocket, h2c"], ["h2c", "websocket"], ["websocket", "h2c"], ["TLS/1.0"]):
        case.echo.received.clear()
        status, _ = upgrade([*bearer(case.people.known.token), ("HTTP2-Settings", "AAMAAABk")], protocols)
        passed = [value for request in case.echo.received for name, value in request.headers if name.lower() == "upgrade"]
        case.that(set(passed) <= {"websocket"}, f"no application changes to {protocols}", (status, passed))


def check_limited(case: Case) -> None:
    """Too many requests are not an outage."""
    with case.relay.answering(429, [("Retry-After", "7")]):
        answer = case.ask(headers=bearer(case.people.known.token))
        case.equal(answer.status, 429, "a client that asks too often is told so")
        case.that(
            (answer.header("Retry-After") or "").isdigit(),
            "a client that asks too often is told when to come again",
            answer.headers,
        )


def check_unavailable(case: Case) -> None:
    good = bearer(case.people.known.token)
    with case.relay.answering(503, [("Retry-After", "7"), ("Content-Type", "application/problem+json")]):
        answer = case.ask(headers=good)
        case.equal(answer.status, 503, "without the store nobody passes")
        case.that(
            (answer.header("Retry-After") or "").isdigit(),
            "without the store it is said when to come again",
            answer.headers,
        )
        case.equal(len(case.echo.received), 0, "without the store nothing reaches the application")
    for status in (500, 302, 429, 404):
        with case.relay.answering(status, [("Location", "/"), ("X-Auth-Account", "forged"), ("Retry-After", "7")]):
            case.that(case.ask(headers=good).status != 200, f"an answer {status} of the service lets nobody pass")
            case.equal(len(case.echo.received), 0, f"an answer {status} of the service reaches no application")
    with case.relay.silent():
        answer = case.ask(headers=good, seconds=SILENCE_SECONDS)
        case.that(answer.status in (502, 503, 504), "a service that is silent lets nobody pass", answer.status)
        case.equal(len(case.echo.received), 0, "a service that is silent reaches no application")
    with case.relay.down():
        answer = case.ask(headers=good)
        case.that(answer.status in (502, 503), "a service that is down lets nobody pass", answer.status)
        case.equal(len(case.echo.received), 0, "a service that is down reaches no application")
    rig.wait_until(lambda: case.ask(headers=good).status == 200, f"{case.proxy.name}: the service is found again", 30)


def check_paths(case: Case) -> None:
    """Whatever an application could read as a path that wants a second factor, wants it; every other path does not."""
    known, strong = bearer(case.people.known.token), bearer(case.people.strong.token)
    for path in paths.ADMINISTRATION:
        answer = case.ask(path, known)
        if case.echo.received:
            read = case.echo.received[-1].path
            case.that(not paths.is_administration(read), f"{path} does not go past the second factor", read)
        else:
            case.that(answer.status in (301, 307, 308, 400, 401, 404), f"{path} is refused", answer.status)
        case.ask(path)
        case.equal(len(case.echo.received), 0, f"{path} without session does not reach the application")
    for path in paths.PLAIN_ADMINISTRATION:
        case.refused(case.ask(path, known), "second-factor-required", f"{path} without second factor")
        case.equal(case.ask(path, strong).status, 200, f"{path} with a second factor reaches the application")
        case.equal(case.received_path(), path.split("?")[0], f"{path} reaches it as it is")
        case.equal(case.upstream().get("X_AUTH_LEVEL"), ["2"], f"{path} reaches it with level 2")
    for path in paths.ORDINARY:
        case.equal(case.ask(path, known).status, 200, f"{path} reaches the application without second factor")
        case.equal(case.received_path(), path.split("?")[0], f"{path} reaches it as it is")
        case.equal(case.upstream().get("X_AUTH_LEVEL"), ["1"], f"{path} reaches it with level 1")


def check_readings(checks: rig.Checks) -> None:
    """The check of paths knows its own table: what is administration, and what is not."""
    for path in (*paths.ADMINISTRATION, *paths.PLAIN_ADMINISTRATION):
        checks.that(paths.is_administration(path), f"{path} can be read as /app/admin")
    for path in paths.ORDINARY:
        checks.that(not paths.is_administration(path), f"{path} cannot be read as /app/admin")


def check_rest(case: Case) -> None:
    case.equal(case.ask("/healthz").status, 200, "the rest of the host is the service")
    for path in paths.QUESTION:
        answer = case.ask(path, bearer(case.people.known.token))
        case.that(answer.status in (400, 404), f"{path} asks nothing from outside", answer.status)
        case.equal(len(case.echo.received), 0, f"{path} does not reach the application")
    answer = rig.ask(case.ports["http"], "GET", "/app/", host=HOST)
    case.that(
        answer.status in (301, 308) and (answer.header("Location") or "").startswith("https://"),
        "plain HTTP leads to HTTPS",
        answer,
    )


CHECKS = (
    check_good,
    check_cookies,
    check_bad,
    check_question,
    check_forged,
    check_forwarded,
    check_ipv6,
    check_body,
    check_websocket,
    check_paths,
    check_rest,
    check_limited,
    check_unavailable,
)


def main() -> int:
    known = {proxy.name: proxy for proxy in KNOWN}
    if len(sys.argv) < 2 or not set(sys.argv[2:]) <= set(known):
        print(f"usage: proxies.py SERVICE_BINARY [{'|'.join(known)}]…", file=sys.stderr)
        return 64
    checks = rig.Checks("proxies")
    check_names(checks)
    check_readings(checks)
    with ExitStack() as stack:
        folder = Path(tempfile.mkdtemp(prefix="proxies-"))
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        # nginx, begun as root, works as somebody else, who has to find its files.
        folder.chmod(0o755)
        issuer = stack.enter_context(Issuer())
        mailbox = Mailbox(folder)
        settings = {"public-url": f"https://{HOST}", "trusted-proxies": ["127.0.0.1/32"]} | mailbox.settings
        service = stack.enter_context(Service(sys.argv[1], folder / "service", issuer.url, **settings))
        people = sessions(service, issuer, mailbox)
        echo = stack.enter_context(Echo())
        relay = stack.enter_context(Relay(service.port))
        for name in sys.argv[2:] or known:
            with running(known[name], folder / name, relay, echo) as (ports, tls):
                case = Case(known[name], checks, people, echo, relay, ports, tls)
                for check in CHECKS:
                    check(case)
    return checks.end()


if __name__ == "__main__":
    sys.exit(main())
