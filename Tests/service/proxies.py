"""Checks that the shipped proxy configurations authorize every request to an application, whatever a client sends.

usage: proxies.py SERVICE_BINARY [PROXY…]

Starts the service, an application that returns the received requests, and each proxy in turn with the files of share/proxies:
only addresses, ports and file paths are changed, and what docs/guides/proxies.md adds for an API is included. A relay between
proxy and service records the proxy's requests, and simulates a service that is down, does not respond, or has no store. All
servers are on loopback.
"""

import re
import shutil
import socket
import sys
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import paths
import proxied_api
import rig
import slow
from api import API, Account, bearer
from echo import Echo
from issuer import Issuer
from proxy import HOST, KNOWN, PROXIES, Proxy, running
from relay import Relay
from service import Mailbox, Service

# The client's address differs from the proxy's, so that the forwarded addresses can be told apart.
CLIENT, HERE = "127.0.0.2", "127.0.0.1"
IPV6 = "::1"
IDENTITY = ("Account", "Session", "Level", "Methods", "Email", "Anonymous")
# The identity in access tokens of APIs, which the configurations remove too.
TOKEN_IDENTITY = ("Issuer", "Subject", "Client", "Scopes")
# The characters that CGI, WSGI and PHP map to an underscore, like the hyphen.
HYPHENS = "-_.!~+*"
LARGE = 3 * 1024 * 1024
# The network of clients that hold connections.
SLOW = "127.0.5.1"
# The headers from which frameworks take the path, the method, the host, the scheme, the user or the client's address.
ROUTING = (
    "X-Original-URL", "X-Original-URI", "X-Original-Method", "X-Original-Host", "X-Rewrite-URL", "X-Script-Name",
    "X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override", "X-Forwarded-Prefix", "X-Forwarded-Path", "X-Forwarded-Uri",
    "X-Forwarded-Method", "X-Forwarded-Port", "X-Forwarded-Server", "X-Forwarded-Scheme", "X-Forwarded-Ssl",
    "X-Forwarded-Protocol", "X-Scheme", "X-Url-Scheme", "Front-End-Https", "X-Host", "Proxy", "Remote-User", "X-Remote-User",
    "X-Forwarded-User", "True-Client-IP", "X-Client-IP",
)
# The headers from which applications take a client certificate.
CERTIFICATES = (
    "Client-Cert", "Client-Cert-Chain", "SSL-Client-Cert", "SSL-Client-Verify", "X-SSL-Client-Cert", "X-Forwarded-Client-Cert",
)
# Targets whose characters mean something in the query of the sign-in page.
NAVIGATIONS = ("/app/", "/app/a?b=c&d=e", "/app/?next=%2Fx%3Fy%26z%23&p=100%25", "/app/?q=a+b%20c", "/app/admin/?a=%26")
# The maximum time until a proxy responds while the service does not.
SILENCE_SECONDS = 20
# The lists of cookies that each proxy removes, separated by bars or in Lua; Traefik removes all cookies.
COOKIES_KEPT = {
    "nginx/login.conf": r"__Host-\(\?:([a-z|]+)\|login-\[0-9a-f\]\+\)=",
    "caddy/Caddyfile": r"__Host-\(\?:([a-z|]+)\|login-\[0-9a-f\]\+\)=",
    "envoy/envoy.yaml": r"ipairs\(\{([a-z\", ]+), \"login%-%x\+\"\}\)",
}
# The names of the cookies of logins that wait, each with the tag of its attempt: as many as a browser has.
LOGINS = tuple(f"login-{tag}" for tag in ("0123456789abcdef", "f" * 16, "0" * 16))


def cookies() -> list[str]:
    """Returns the names of the service's cookies without `__Host-`, from the sources, except those of logins."""
    modules = ("LoginHTTP", "LoginPages")
    files = [file for module in modules for file in sorted((rig.ROOT / "Sources" / module).rglob("*.swift"))]
    return sorted({name for file in files for name in re.findall(r'"__Host-([a-z]+)"', file.read_text())})


def check_names(checks: rig.Checks) -> None:
    """Checks that each proxy removes all cookies of the service."""
    wanted = cookies()
    checks.that("session" in wanted, "the sources contain the names of the cookies", wanted)
    for file, pattern in COOKIES_KEPT.items():
        lists = [sorted(re.findall("[a-z]+", kept)) for kept in re.findall(pattern, (PROXIES / file).read_text())]
        checks.that(lists and all(kept == wanted for kept in lists), f"{file} removes each of {wanted}", lists)
        if file.startswith("nginx/"):
            steps = len(wanted) + len(LOGINS) + 1
            checks.equal(len(lists), steps, f"{file} has a step for each cookie, and one for all that are left")
    page = (rig.ROOT / "docs" / "guides" / "proxies.md").read_text()
    for name in [f"__Host-{name}" for name in wanted] + [*ROUTING, *CERTIFICATES]:
        checks.that(f"`{name}`" in page, f"docs/guides/proxies.md names {name}")


@dataclass
class Sessions:
    """Valid sessions, and invalid ones with the code of their refusal."""

    known: Account
    # An account without an e-mail address, for which the response has an empty header.
    nameless: Account
    strong: Account
    bad: dict[str, tuple[list[tuple[str, str]], str]]


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
            "malformed": (bearer("not-a-session"), "invalid-user-token"),
            "unknown": (bearer(unknown), "invalid-user-token"),
            "closed": (bearer(closed.token), "invalid-user-token"),
            "of a disabled account": (bearer(disabled.token), "user-disabled"),
        },
    )


class Case:
    """A running proxy, and the requests to it."""

    def __init__(self, proxy: Proxy, checks: rig.Checks, people: Sessions, echo: Echo, relay: Relay, ports: dict, tls):
        self.proxy, self.checks, self.people, self.echo, self.relay = proxy, checks, people, echo, relay
        self.ports, self.tls = ports, tls

    def ask(
        self, path: str = "/app/", headers=(), method: str = "GET", body: bytes | None = None, **options
    ) -> rig.Answer:
        self.echo.received.clear()
        self.relay.received.clear()
        options = {"source": CLIENT, "tls": self.tls, "host": HOST} | options
        return rig.ask(self.ports["https"], method, path, list(headers), body, **options)

    def that(self, holds: bool, sentence: str, seen: object = "") -> bool:
        return self.checks.that(holds, f"{self.proxy.name}: {sentence}", seen)

    def equal(self, seen: object, expected: object, sentence: str) -> bool:
        return self.checks.equal(seen, expected, f"{self.proxy.name}: {sentence}")

    def upstream(self) -> dict[str, list[str]]:
        """Returns the headers that the application received, with names as in CGI; empty without a request."""
        seen: dict[str, list[str]] = {}
        for name, value in (self.echo.received[-1].headers if self.echo.received else ()):
            seen.setdefault(re.sub(r"[^A-Z0-9]", "_", name.upper()), []).append(value)
        return seen

    def received_path(self) -> str | None:
        """Returns the path of the last request to the application, without its query."""
        return self.echo.received[-1].path.split("?")[0] if self.echo.received else None

    def question(self) -> dict[str, str]:
        """Returns the headers of the last forward-auth request to the service."""
        asked = [request for request in self.relay.received if request.path.startswith("/v1/forward-auth")]
        return {name.lower(): value for name, value in asked[-1].headers} if asked else {}

    def refused(self, answer: rig.Answer, reason: str, sentence: str) -> None:
        self.equal(answer.status, 401, f"{sentence} is refused")
        self.equal(answer.header("X-Auth-Error"), reason, f"{sentence} is refused with its code")
        self.that(
            (answer.header("WWW-Authenticate") or "").startswith("Bearer"),
            f"the refusal has WWW-Authenticate: Bearer: {sentence}",
            answer.headers,
        )
        self.equal(len(self.echo.received), 0, f"{sentence} does not reach the application")


# ------------------------------------------------------------------------------------------------ checks


def check_good(case: Case) -> None:
    for person, email in ((case.people.known, "alice@example.com"), (case.people.nameless, "")):
        answer = case.ask(headers=bearer(person.token))
        seen = case.upstream()
        case.equal(answer.status, 200, "a session reaches the application")
        case.equal(seen.get("HTTP_HOST", seen.get("HOST")), [HOST], "the application receives the host")
        case.equal(seen.get("X_AUTH_ACCOUNT"), [person.id], "the application receives the account")
        case.equal(seen.get("X_AUTH_LEVEL"), ["1"], "the application receives the level")
        case.that(all(seen.get("X_AUTH_SESSION", [])), "the application receives the session", seen)
        case.that(all(seen.get("X_AUTH_METHODS", [])), "the application receives the methods", seen)
        case.equal(seen.get("X_AUTH_ANONYMOUS"), ["false"], "the application receives the flag of an anonymous session")
        case.that(seen.get("X_AUTH_EMAIL", [""]) == [email], "the application receives a verified address, or none", seen)
        case.that(
            "AUTHORIZATION" not in seen or not any(seen["AUTHORIZATION"]), "the proxy removes the bearer token", seen
        )


def check_cookies(case: Case) -> None:
    session = f"__Host-session={case.people.known.token}"
    others = [f"__Host-{name}=x" for name in (*cookies(), *LOGINS) if name != "session"]
    for sent in (
        f"a=1; {session}; b=2",
        f"{session}; a=1; b=2",
        f"a=1; b=2; {session}",
        f"a=1;{session};b=2",
        f"a=1;\t{session}; b=2",
        f"a=1; \t {session};\tb=2",
        f"__Host-{LOGINS[0]}=x; a=1; __Host-visitor=y; b=2; __Host-refresh=z; {session}",
        f"a=1; __Host-{LOGINS[0]}=x; __Host-{LOGINS[1]}=y; {session}; b=2; __Host-{LOGINS[2]}=z",
        f"a=1; __Host-step=x; {session}; b=2",
        "; ".join([*others, "a=1", "b=2", session]),
        "; ".join(["a=1", session, *reversed(others), "b=2"]),
    ):
        answer = case.ask(headers=[("Cookie", sent)])
        case.equal(answer.status, 200, "a session in a cookie reaches the application")
        cookie = "; ".join(case.upstream().get("COOKIE", []))
        case.that("__Host-" not in cookie, "the proxy removes the cookies of the service", cookie)
        if case.proxy.passes_cookies:
            pairs = [pair.strip() for pair in cookie.split(";") if pair.strip()]
            case.equal(pairs, ["a=1", "b=2"], "the application receives its own cookies")
    # An application of the host can add a second, partitioned cookie of each name (CHIPS). The session is then ambiguous.
    bearer_and = bearer(case.people.known.token)
    for times in (2, 3):
        many = [f"{cookie}{number}" for number in range(times) for cookie in (session, *others)]
        for sent in ([("Cookie", "; ".join(["a=1", *many, "b=2"]))], [("Cookie", cookie) for cookie in ["a=1", *many, "b=2"]]):
            answer = case.ask(headers=[*bearer_and, *sent])
            case.equal(answer.status, 200, "a bearer token beside repeated cookies reaches the application")
            cookie = "; ".join(case.upstream().get("COOKIE", []))
            case.that("__Host-" not in cookie, f"the proxy removes {times} cookies of each name of the service", cookie)
    nested = f"a=1; __Host-__Host-{session[7:]}; session=x"
    case.ask(headers=[*bearer_and, ("Cookie", nested)])
    cookie = "; ".join(case.upstream().get("COOKIE", []))
    case.that("__Host-session=" not in cookie, "what is left of a cookie is none of the service", cookie)


def check_bad(case: Case) -> None:
    for name, (headers, reason) in case.people.bad.items():
        case.refused(case.ask(headers=headers), reason, f"a session ({name})")
    case.refused(
        case.ask("/app/admin/", bearer(case.people.known.token)),
        "second-factor-required",
        "a session without a second factor",
    )
    garbled = case.ask(headers=[("Authorization", "Bearer two words")])
    case.refused(garbled, "invalid-request", "a malformed bearer token")
    answer = case.ask("/app/admin/", bearer(case.people.strong.token))
    case.equal(answer.status, 200, "a session with a second factor reaches /app/admin/")
    case.equal(case.upstream().get("X_AUTH_LEVEL"), ["2"], "the application receives level 2")


def check_question(case: Case) -> None:
    """Checks the forward-auth request: no input of the client influences its path or method."""
    for path, asked in (
        ("/app/?level=1&x=y&navigation=0", f"/v1/forward-auth?navigation={case.proxy.redirects}"),
        ("/app/admin/?level=1&x=y&navigation=0", f"/v1/forward-auth?level=2&navigation={case.proxy.redirects}"),
    ):
        case.ask(path, bearer(case.people.strong.token))
        case.equal([request.path for request in case.relay.received], [asked], f"{path} leads to one forward-auth request")
        case.equal([request.path for request in case.echo.received], [path], f"{path} reaches the application unchanged")
    for method in ("HEAD", "PUT", "PATCH", "DELETE", "OPTIONS"):
        case.equal(
            case.ask(headers=bearer(case.people.known.token), method=method).status,
            200,
            f"{method} passes with a session",
        )
        case.equal([request.method for request in case.relay.received], ["GET"], f"{method} is authorized with GET")
        case.equal(
            [request.method for request in case.echo.received], [method], f"{method} reaches the application unchanged"
        )
        case.equal(case.ask(method=method).status, 401, f"{method} is refused without a session")


def check_navigation(case: Case) -> None:
    """Checks that a browser that navigates is sent to the sign-in page, and that every other client is refused."""
    page, html = ("Sec-Fetch-Mode", "navigate"), ("Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8")
    for path in NAVIGATIONS:
        # Older browsers send no Sec-Fetch-Mode.
        for headers in ([page, html], [html], [page, html, ("X-Forwarded-Uri", "/evil"), ("X-Forwarded-Method", "HEAD")]):
            answer = case.ask(path, headers)
            location = f"https://{HOST}/login?returnTo={quote(path, safe='')}"
            case.equal((answer.status, answer.header("Location")), (303, location), f"a navigation to {path} leads to the sign-in page")
            case.that("no-store" in (answer.header("Cache-Control") or ""), "the redirect is not stored", answer.headers)
            case.equal(len(case.echo.received), 0, f"a navigation to {path} does not reach the application")
    stale = [("Cookie", f"__Host-session={case.people.known.token[:-8]}AAAAAAAA"), page, html]
    case.equal(case.ask("/app/", stale).status, 303, "a navigation with a session that has ended leads to the sign-in page")
    weak = [("Cookie", f"__Host-session={case.people.known.token}"), page, html]
    answer = case.ask("/app/admin/?a=b", weak)
    location = answer.header("Location") or ""
    case.equal(answer.status, 303, "a navigation without a second factor is redirected")
    case.that("/reauthenticate" in location and quote("/app/admin/?a=b", safe="") in location, "to the page that confirms it", location)
    case.equal(case.ask("/app/", weak).status, 200, "a navigation with a session reaches the application")
    for sentence, method, headers in (
        ("a script", "GET", [("Sec-Fetch-Mode", "cors"), ("Accept", "*/*")]),
        ("a script that accepts HTML", "GET", [("Sec-Fetch-Mode", "cors"), html]),
        ("an image", "GET", [("Sec-Fetch-Mode", "no-cors"), ("Accept", "image/avif,*/*")]),
        ("a client without either field", "GET", []),
        ("a form", "POST", [page, html]),
        ("a form that claims to be a page", "POST", [page, html, ("X-Forwarded-Method", "GET")]),
    ):
        answer = case.ask("/app/?a=b", headers, method)
        case.refused(answer, "missing-session", sentence)
        case.equal(answer.header("Location"), None, f"{sentence} is not redirected")
    case.refused(case.ask("/app/", [*bearer("not-a-session"), page, html]), "invalid-user-token", "a bearer that navigates")


def check_forged(case: Case) -> None:
    """Forges each identity header, in every spelling that an application may accept, with and without a genuine value."""
    names = [f"X-Auth-{name}" for name in (*IDENTITY, *TOKEN_IDENTITY, "Error")]
    for person in (case.people.known, case.people.nameless):
        honest = identity_of(case, bearer(person.token))
        for hyphen in HYPHENS:
            for spelling in (str, str.lower, str.upper):
                forged = [(spelling(name).replace("-", hyphen), "forged") for name in names]
                seen = identity_of(case, [*forged, *bearer(person.token)])
                case.equal(seen, honest, f"identities forged with {hyphen!r} as the hyphen do not arrive")
        mixed = [(name.replace("-", "_", 1), "forged") for name in names] + [
            (name[:6] + "_" + name[7:], "forged") for name in names
        ]
        case.equal(
            identity_of(case, mixed + bearer(person.token)),
            honest,
            "identities forged with mixed spellings do not arrive",
        )
        # An odd first character, in any name.
        odd = [(f"{character}{name}", "forged") for name in names for character in "!#$%&'*+.^_`|~"]
        for begin in range(0, len(odd), 80):
            seen = identity_of(case, odd[begin : begin + 80] + bearer(person.token))
            case.that(seen in (honest, {"refused": ["400"]}), "identities beside forged ones arrive unchanged", seen)
            case.that("forged" not in str(case.upstream()), "no name with an odd first character arrives", case.upstream())
        twice = [(name, value) for name in names for value in ("", "forged")]
        case.equal(identity_of(case, twice + bearer(person.token)), honest, "repeated forged identities do not arrive")
        # Envoy refuses a field with more than ten names.
        for some in (names[: len(IDENTITY)], names[len(IDENTITY) :]):
            hops = [("Connection", ", ".join(["close", *some]))]
            case.equal(
                identity_of(case, hops + bearer(person.token)),
                honest,
                "identities cannot be removed as hop-by-hop headers",
            )


def identity_of(case: Case, headers) -> dict[str, list[str]]:
    """Returns the identity headers that the application received, without empty ones; a marker for a refused request."""
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
        *((name, "/app/admin/") for name in ROUTING),
        *((name, "forged-certificate") for name in CERTIFICATES),
    ]
    answer = case.ask(headers=strangers + bearer(case.people.known.token))
    seen, question = case.upstream(), case.question()
    case.equal(seen.get("X_FORWARDED_FOR"), [CLIENT], "the application receives only the client's address")
    # Some proxies add their own address, which is trusted.
    case.that(
        question.get("x-forwarded-for") in (CLIENT, f"{CLIENT}, {HERE}"),
        "the service receives the client's address, from a trusted proxy",
        question,
    )
    case.equal(seen.get("X_FORWARDED_PROTO"), ["https"], "the application receives the scheme")
    case.that("203.0.113.9" not in str(seen), "no forged address arrives", seen)
    case.that("evil.example" not in str(seen) + str(question), "no forged host arrives", seen)
    case.that("/app/admin" not in str(seen), "no forged path arrives in a header", seen)
    case.that("forged-certificate" not in str(seen) + str(question), "no forged certificate arrives", seen)
    number = seen.get("X_REQUEST_ID", [""])[0]
    case.that(number not in ("", "chosen-by-a-stranger"), "each request has an ID that the client did not choose", seen)
    case.equal(
        answer.header("X-Request-ID") or number, number, "the client receives the request ID of the application"
    )
    asked = question.get("x-request-id", number)
    case.equal(asked, number, "the service receives the request ID of the application")


def check_ipv6(case: Case) -> None:
    """Checks requests over IPv6."""
    if not case.proxy.hears_ipv6:
        return
    answer = case.ask(headers=bearer(case.people.known.token), source=IPV6, address=IPV6)
    case.equal(answer.status, 200, "a session reaches the application over IPv6")
    # For ::1 Envoy forwards another address of this machine.
    if case.proxy.name != "envoy":
        seen, asked = case.upstream().get("X_FORWARDED_FOR"), case.question().get("x-forwarded-for")
        case.equal(seen, [IPV6], "the application receives the client's IPv6 address")
        case.that(asked in (IPV6, f"{IPV6}, {HERE}"), "the service receives the client's IPv6 address", asked)
    case.refused(case.ask(source=IPV6, address=IPV6), "missing-session", "a request over IPv6 without a session")
    answer = rig.ask(case.ports["http"], "GET", "/app/", host=HOST, source=IPV6, address=IPV6)
    case.that(answer.status in (301, 308), "plain HTTP over IPv6 redirects to HTTPS", answer)


def check_body(case: Case) -> None:
    answer = case.ask(headers=bearer(case.people.known.token), method="POST", body=b"x" * LARGE)
    case.equal(answer.status, 200, "a large body passes")
    arrived = case.echo.received[-1] if case.echo.received else None
    case.equal(arrived and (arrived.method, arrived.body), ("POST", LARGE), "the application receives the method and the body")
    asked = case.relay.received[-1] if case.relay.received else None
    case.equal(
        asked and (asked.method, asked.body), ("GET", 0), "the forward-auth request is a GET without a body"
    )
    answer = case.ask(headers=[], method="POST", body=b"x" * 1000)
    case.equal(answer.status, 401, "a request with a body but without a session is refused")


def check_websocket(case: Case) -> None:
    """Checks that an upgraded connection transfers bytes in both directions, and requires a session."""

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
    case.that(b"101" in status and back == b"hello", "a WebSocket passes", (status, back))
    case.that("forged" not in str(case.upstream()), "no forged identity arrives with a WebSocket", case.upstream())
    case.equal(case.upstream().get("X_AUTH_ACCOUNT"), [case.people.known.id], "a WebSocket has its account")
    status, _ = upgrade([])
    case.that(b"401" in status, "a WebSocket without a session is refused", status)
    # After an upgrade to HTTP/2 the client could send any identity headers to the application.
    for protocols in (["h2c"], ["websocket, h2c"], ["h2c", "websocket"], ["websocket", "h2c"], ["TLS/1.0"], ["foo"], ["w"], ["web"], ["websockets"]):
        case.echo.received.clear()
        status, _ = upgrade([*bearer(case.people.known.token), ("HTTP2-Settings", "AAMAAABk")], protocols)
        passed = [value for request in case.echo.received for name, value in request.headers if name.lower() == "upgrade"]
        case.that(set(passed) <= {"websocket"}, f"no application receives an upgrade to {protocols}", (status, passed))


def check_host(case: Case) -> None:
    """Checks that a request for another host reaches neither the service nor the application."""
    for host in ("evil.example", "login.example.com.evil.example", "127.0.0.1"):
        case.echo.received.clear()
        case.relay.received.clear()
        with case.tls.wrap_socket(
            rig.connect(case.ports["https"], source=CLIENT), server_hostname=HOST
        ) as connection:
            lines = ["GET /app/ HTTP/1.1", f"Host: {host}", "Connection: close"]
            lines += [f"{name}: {value}" for name, value in bearer(case.people.known.token)]
            connection.sendall("\r\n".join([*lines, "", ""]).encode())
            status = connection.makefile("rb").readline()
        case.that(any(code in status for code in (b" 421 ", b" 404 ")), f"a request for {host} is refused", status)
        received = (len(case.echo.received), len(case.relay.received))
        case.equal(received, (0, 0), f"a request for {host} reaches neither the application nor the service")


def check_slow_clients(proxy: Proxy, checks: rig.Checks, people: Sessions, echo: Echo, service: Service, folder: Path) -> None:
    """Checks that slow requests of one network keep no other client from the service and the application.

    The proxy reaches the service directly, because the relay itself waits for whole bodies and responses.
    """
    known, json = bearer(people.known.token), ("Content-Type", "application/json")
    questions = {"/login": [], "/healthz": [], "/app/": known, "/v1/session": known}
    with running(proxy, folder, service, echo) as (ports, tls):

        def ask(method: str, path: str, headers: list, body: bytes | None = None) -> rig.Answer:
            return rig.ask(ports["https"], method, path, headers, body, source=CLIENT, tls=tls, host=HOST)

        for kind in slow.KINDS:
            with ExitStack() as stack:
                slow.hold(stack, ports["https"], HOST, SLOW, kind)
                for path, headers in list(questions.items()) * 2:
                    checks.equal(ask("GET", path, headers).status, 200, f"{proxy.name}: {path} is answered beside {kind}")
                answer = ask("POST", slow.PATH, [json], b'{"token":"x","policy":"none"}')
                checks.equal(answer.code, "unknown-policy", f"{proxy.name}: a whole body is read beside {kind}")
        answer = ask("POST", slow.PATH, [json], b"x" * (256 * 1024 + 1))
        checks.equal(answer.status, 413, f"{proxy.name}: the service takes no body of more than 256 KiB, four times its largest token")


def check_limited(case: Case) -> None:
    """Checks that 429 of the service is not reported as an outage."""
    with case.relay.answering(429, [("Retry-After", "7")]):
        answer = case.ask(headers=bearer(case.people.known.token))
        case.equal(answer.status, 429, "the proxy passes on 429")
        case.that(
            (answer.header("Retry-After") or "").isdigit(),
            "429 has Retry-After",
            answer.headers,
        )


def check_forbidden(case: Case) -> None:
    """Checks that the client learns which scope its access token lacks."""
    challenge = 'Bearer error="insufficient_scope", scope="orders:write"'
    with case.relay.answering(403, [("WWW-Authenticate", challenge)]):
        answer = case.ask(headers=bearer(case.people.known.token))
        case.equal(answer.status, 403, "the proxy passes on 403")
        case.equal(answer.header("WWW-Authenticate"), challenge, "403 has the challenge of the service")
        case.equal(len(case.echo.received), 0, "a forbidden request does not reach the application")


def check_unavailable(case: Case) -> None:
    good = bearer(case.people.known.token)
    with case.relay.answering(503, [("Retry-After", "7"), ("Content-Type", "application/problem+json")]):
        answer = case.ask(headers=good)
        case.equal(answer.status, 503, "a request without the store is refused with 503")
        case.that(
            (answer.header("Retry-After") or "").isdigit(),
            "503 has Retry-After",
            answer.headers,
        )
        case.equal(len(case.echo.received), 0, "no request reaches the application without the store")
    for status in (500, 302, 429, 404):
        with case.relay.answering(status, [("Location", "/"), ("X-Auth-Account", "forged"), ("Retry-After", "7")]):
            case.that(case.ask(headers=good).status != 200, f"status {status} of the service refuses the request")
            case.equal(len(case.echo.received), 0, f"status {status} of the service keeps the request from the application")
    with case.relay.silent():
        answer = case.ask(headers=good, seconds=SILENCE_SECONDS)
        case.that(answer.status in (502, 503, 504), "a request is refused if the service does not respond", answer.status)
        case.equal(len(case.echo.received), 0, "no request reaches the application if the service does not respond")
    with case.relay.down():
        answer = case.ask(headers=good)
        case.that(answer.status in (502, 503), "a request is refused while the service is down", answer.status)
        case.equal(len(case.echo.received), 0, "no request reaches the application while the service is down")
    rig.wait_until(lambda: case.ask(headers=good).status == 200, f"{case.proxy.name} reconnects to the service", 30)


def check_paths(case: Case) -> None:
    """Checks that every spelling of a path below /app/admin requires a second factor, and that no other path does."""
    known, strong = bearer(case.people.known.token), bearer(case.people.strong.token)
    for path in paths.ADMINISTRATION:
        answer = case.ask(path, known)
        if case.echo.received:
            read = case.echo.received[-1].path
            case.that(not paths.is_administration(read), f"{path} does not bypass the second factor", read)
        else:
            case.that(answer.status in (301, 307, 308, 400, 401, 404), f"{path} is refused", answer.status)
        case.ask(path)
        case.equal(len(case.echo.received), 0, f"{path} without a session does not reach the application")
    for path in paths.PLAIN_ADMINISTRATION:
        case.refused(case.ask(path, known), "second-factor-required", f"{path} without a second factor")
        case.equal(case.ask(path, strong).status, 200, f"{path} with a second factor reaches the application")
        case.equal(case.received_path(), path.split("?")[0], f"{path} reaches the application with an unchanged path")
        case.equal(case.upstream().get("X_AUTH_LEVEL"), ["2"], f"{path} reaches the application with level 2")
    for path in paths.ORDINARY:
        case.equal(case.ask(path, known).status, 200, f"{path} reaches the application without a second factor")
        case.equal(case.received_path(), path.split("?")[0], f"{path} reaches the application with an unchanged path")
        case.equal(case.upstream().get("X_AUTH_LEVEL"), ["1"], f"{path} reaches the application with level 1")


def check_readings(checks: rig.Checks) -> None:
    """Checks `is_administration` against the tables of paths."""
    for path in (*paths.ADMINISTRATION, *paths.PLAIN_ADMINISTRATION):
        checks.that(paths.is_administration(path), f"{path} can be resolved to /app/admin")
    for path in paths.ORDINARY:
        checks.that(not paths.is_administration(path), f"{path} cannot be resolved to /app/admin")


def check_rest(case: Case) -> None:
    case.equal(case.ask("/healthz").status, 200, "other paths of the host reach the service")
    for path in paths.QUESTION:
        answer = case.ask(path, bearer(case.people.known.token))
        case.that(answer.status in (400, 404), f"{path} is not available to clients", answer.status)
        case.equal(len(case.echo.received), 0, f"{path} does not reach the application")
    answer = rig.ask(case.ports["http"], "GET", "/app/", host=HOST)
    case.that(
        answer.status in (301, 308) and (answer.header("Location") or "").startswith("https://"),
        "plain HTTP redirects to HTTPS",
        answer,
    )


CHECKS = (
    check_good,
    check_cookies,
    check_bad,
    check_question,
    check_navigation,
    check_forged,
    check_forwarded,
    check_ipv6,
    check_body,
    check_websocket,
    check_host,
    check_paths,
    check_rest,
    check_limited,
    check_forbidden,
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
        # nginx started as root runs its workers as another user, who needs access to these files.
        folder.chmod(0o755)
        issuer = stack.enter_context(Issuer())
        mailbox = Mailbox(folder)
        settings = {"public-url": f"https://{HOST}", "trusted-proxies": ["127.0.0.1/32"]}
        settings |= mailbox.settings | proxied_api.settings(issuer)
        service = stack.enter_context(Service(sys.argv[1], folder / "service", issuer.url, **settings))
        people = sessions(service, issuer, mailbox)
        echo = stack.enter_context(Echo())
        relay = stack.enter_context(Relay(service.port))
        for name in sys.argv[2:] or known:
            with running(known[name], folder / name, relay, echo) as (ports, tls):
                case = Case(known[name], checks, people, echo, relay, ports, tls)
                for check in CHECKS:
                    check(case)
                if known[name].guided is not None:
                    proxied_api.check(case, issuer, folder / name)
            check_slow_clients(known[name], checks, people, echo, service, folder / f"{name}-slow")
    return checks.end()


if __name__ == "__main__":
    sys.exit(main())
