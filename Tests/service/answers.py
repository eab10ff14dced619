"""Records the answers to fixed raw requests, so that two builds or two adapters of the service can be compared.

usage: answers.py SERVICE_BINARY                    records twice, and checks that both recordings are the same
       answers.py SERVICE_BINARY --record FILE      writes the recording
       answers.py SERVICE_BINARY --compare FILE     checks that the recording equals the one in FILE, and prints each difference

Each operation that needs a session gets one of its own. A recording contains the status, the fields in their order, and the body,
with tokens, IDs, times and ports replaced by their kind. It also says whether the server closed the connection. `swift build`
writes SignInServer and AccessTokenServer, whose routes are recorded too, into the directory of SERVICE_BINARY.
"""

import argparse
import difflib
import json
import re
import socket
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from urllib.parse import urlencode

import dpop
import example
import rig
from api import API
from authorization import serve as serve_apis
from headers import Visitor
from issuer import Issuer
from service import LIMITS, Mailbox, Phones, Service

# A body above every limit of the service, of which nothing is sent.
HUGE = 100_000_000
# The requests of one network until the limit, in the service for 429.
FEW = 3

# The order matters: specific kinds first.
KINDS = [
    (re.compile(pattern), kind)
    for pattern, kind in (
        (r"<svg.*?</svg>", "<svg>"),
        (r"<time [^>]*>[^<]*</time>", "<time>"),
        (r"ll[a-z]_[\w-]{20,}", "<token>"),
        (r"eyJ[\w-]+\.[\w-]+\.[\w-]*", "<jwt>"),
        (r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "<uuid>"),
        (r"\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?Z?", "<time>"),
        (r"(?m)^(Date|X-Request-ID|DPoP-Nonce): .*$", r"\1: <value>"),
        (r"(?m)^(Retry-After): \d+$", r"\1: <seconds>"),
        (r"(localhost|127\.0\.0\.1)(:|%3A)\d{4,5}", r"\1\2<port>"),
        (r"[A-Z2-7]{32}", "<secret>"),
        (r"\b[2-9A-HJ-NP-Z]{5}(-[2-9A-HJ-NP-Z]{5})+\b", "<code>"),
        (r'"requestID":"[^"]*"', '"requestID":<value>'),
        (r'"(expiresIn|retryAfter)":\d+', r'"\1":<seconds>'),
        (r"<code>[\w-]{16}</code>", "<code><request></code>"),
        # Names of fields are as long.
        (r"(?<![\w-])(?!X-Content|Content-Security|Cross-Origin)[\w-]{22,}", "<secret>"),
    )
]

PAGES = (
    "/", "/login", "/login/demo", "/login/nobody", "/login/demo/callback", "/login/password", "/login/second-factor",
    "/login/phone",
    "/guest", "/sign-up", "/conflict", "/sign-out", "/signed-out", "/forgotten-password", "/new-password", "/account/data",
    "/password", "/account/delete", "/link/demo", "/link/phone", "/unlink", "/permissions/demo", "/permissions/demo/request",
    "/permissions/demo/revoke", "/permissions/demo/revoke-all", "/merge", "/sessions", "/sessions/close-others",
    "/sessions/nobody/close", "/verify-email", "/verify-email/send", "/second-factor", "/second-factor/phone",
    "/second-factor/nobody/remove", "/reauthenticate", "/reauthenticate/demo", "/reauthenticate/phone", "/recovery-codes",
    "/language", "/style.css", "/favicon.ico", "/robots.txt", "/nowhere",
)  # fmt: skip
JSON = ("Content-Type", "application/json")
FORM = ("Content-Type", "application/x-www-form-urlencoded")


def raw(method: str, target: str, fields: Iterable[tuple[str, str]] = (), body: bytes | None = None) -> bytes:
    """Returns the bytes of a request. Adds `Host`, and `Content-Length` for a body."""
    lines = [f"{method} {target} HTTP/1.1", "Host: localhost", *(f"{name}: {value}" for name, value in fields)]
    if body is not None:
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join([*lines, "", ""]).encode() + (body or b"")


def spelled(text: str) -> str:
    for pattern, kind in KINDS:
        text = pattern.sub(kind, text)
    return text


def exchange(port: int, sent: bytes, is_head: bool) -> str:
    """Sends bytes on a new connection, and returns the answer as a recording has it."""
    with closing(rig.connect(port)) as client:
        client.sendall(sent)
        with client.makefile("rb") as reader:
            head = []
            while (line := reader.readline()) not in (b"\r\n", b""):
                head.append(line.decode("latin-1").rstrip("\r\n"))
            fields = {name.lower(): value for name, _, value in (line.partition(": ") for line in head[1:])}
            length = fields.get("content-length")
            if is_head or length is None and "transfer-encoding" not in fields:
                body = b""
            elif length is not None:
                body = reader.read(int(length))
            else:
                body = chunks(reader)
        end = "closed" if is_closed(client) else "open"
    if not is_head and length == str(len(body)):
        head = [re.sub(r"(?i)^(content-length): \d+$", r"\1: <length of the body>", line) for line in head]
    return spelled("\n".join([*head, "", body.decode(errors="backslashreplace"), f"[{end}]"]))


def is_closed(client: socket.socket) -> bool:
    """Whether the server has closed the connection, or does not answer another request on it."""
    try:
        client.sendall(raw("GET", "/healthz"))
        return not client.recv(1)
    except OSError:
        return True


def chunks(reader) -> bytes:
    body = b""
    while size := int(reader.readline().split(b";")[0] or b"0", 16):
        body += reader.read(size)
        reader.readline()
    reader.readline()
    return body


class Recording:
    """Answers by the name of their request."""

    def __init__(self):
        self.answers: dict[str, str] = {}

    def add(self, port: int, name: str, method: str, target: str, fields=(), body: bytes | None = None) -> None:
        self.send(port, name, raw(method, target, fields, body), method == "HEAD")

    def send(self, port: int, name: str, sent: bytes, is_head: bool = False) -> None:
        assert name not in self.answers, name
        self.answers[name] = exchange(port, sent, is_head)

    def compare(self, checks: rig.Checks, expected: dict[str, str]) -> None:
        for name in sorted(expected.keys() | self.answers.keys()):
            old, new = expected.get(name, ""), self.answers.get(name, "")
            lines = difflib.unified_diff(lines_of(old), lines_of(new), "recorded", "now", n=0, lineterm="")
            checks.that(old == new, f"{name}: the answer is the recorded one", "\n" + "\n".join(lines))


def lines_of(answer: str) -> list[str]:
    """Returns the lines of an answer for a comparison; each element of HTML and member of JSON begins one."""
    return answer.replace("><", ">\n<").replace(',"', ',\n"').splitlines()


def spellings(path: str) -> Iterator[tuple[str, str]]:
    """Other spellings of a path, by the name of what differs."""
    yield "a doubled slash", f"/{path}"
    yield "a slash at the end", f"{path}/"
    yield "an escaped slash", path[0] + path[1:].replace("/", "%2F", 1) if "/" in path[1:] else f"{path}%2F"
    yield "an escaped letter", re.sub(r"[a-z]", lambda found: f"%{ord(found[0]):02x}", path, count=1)
    yield "another case", path.upper()
    yield "a query", f"{path}?a=1&a=2"


def repeated(token: str) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Fields of a request with a session in which one occurs twice, or contradicts another."""
    session = ("Authorization", f"Bearer {token}")
    cookie = ("Cookie", f"__Host-session={token}")
    own = ("Sec-Fetch-Site", "same-origin")
    for name, fields in {
        "Authorization": [session, session],
        "Authorization and a cookie": [session, cookie],
        "Cookie": [cookie, cookie],
        "Cookie, another one first": [("Cookie", "theme=dark"), cookie],
        "a cookie": [("Cookie", f"__Host-session={token}; __Host-session={token}")],
        "Origin": [cookie, ("Origin", "null"), ("Origin", "http://localhost")],
        "Sec-Fetch-Site": [cookie, own, ("Sec-Fetch-Site", "cross-site")],
        "X-Forwarded-For": [session, ("X-Forwarded-For", "203.0.113.9"), ("X-Forwarded-For", "203.0.113.8")],
        "DPoP": [session, ("DPoP", "x"), ("DPoP", "y")],
        "Content-Type": [session, JSON, FORM],
        "Accept": [session, ("Accept", "text/html"), ("Accept", "application/json")],
    }.items():
        yield name, fields


def early(path: str, method: str, fields: list[tuple[str, str]]) -> Iterator[tuple[str, bytes]]:
    """Requests whose answer must not wait for their body, which is never sent completely."""
    for name, more in {
        "a body that is too long": [JSON, ("Content-Length", str(HUGE))],
        "another media type": [("Content-Type", "text/plain"), ("Content-Length", "10")],
        "no media type": [("Content-Length", "10")],
        "an expectation": [JSON, ("Expect", "100-continue"), ("Content-Length", str(HUGE))],
    }.items():
        yield name, raw(method, path, [*fields, *more])


def record_operations(recording: Recording, service: Service, api: API) -> None:
    description = api.must("GET", "/openapi.json")
    for template, methods in sorted(description["paths"].items()):
        path = re.sub(r"\{[^}]+\}", "nobody", template)
        for method in (method for method in ("get", "put", "post", "patch", "delete") if method in methods):
            name, sent = f"{method.upper()} {template}", method.upper()
            needs_session = bool(methods[method].get("security"))

            def fields() -> list[tuple[str, str]]:
                return [("Authorization", f"Bearer {api.sign_in().token}")] if needs_session else []

            def add(what: str, target: str = path, method: str = sent, body: bytes | None = None, more=()) -> None:
                recording.add(service.port, f"{name}: {what}", method, target, [*fields(), *more], body)

            takes_body = "requestBody" in methods[method]
            if takes_body:
                for what, body in (("{}", b"{}"), ("half", b"{"), ("nothing", b""), ("a list", b"[]"), ("bytes", b"\xff\x00")):
                    add(f"the body {what}", body=body, more=[JSON])
                for what, bytes_ in early(path, sent, fields()):
                    recording.send(service.port, f"{name}: {what}", bytes_)
            else:
                add("as described")
            fixed = ([JSON], b"{}") if takes_body else ([], None)
            recording.add(service.port, f"{name}: without a session", sent, path, *fixed)
            for wrong in ("HEAD", "TRACE", "OPTIONS", "PROPFIND", "get"):
                if wrong.upper() != sent:
                    add(f"the method {wrong}", method=wrong)
            for what, target in spellings(path):
                add(what, target, body=b"{}" if takes_body else None, more=[JSON] if takes_body else [])
    reads = ("/v1/session", "/v1/account", "/v1/forward-auth", "/")
    for method, path in (*(("GET", path) for path in reads), ("POST", "/v1/sign-out")):
        for what, given in repeated(api.sign_in().token):
            recording.add(service.port, f"{method} {path}: two of {what}", method, path, given)


def record_pages(recording: Recording, service: Service, api: API) -> None:
    signed_in = Visitor(service)
    signed_in.sign_in(api, "pages")
    for who, visitor in (("a visitor", Visitor(service)), ("a user", signed_in)):
        cookies = [("Cookie", "; ".join(f"{name}={value}" for name, value in visitor.jar.items()))] if visitor.jar else []
        navigation = [*cookies, ("Accept", "text/html"), ("Sec-Fetch-Site", "none"), ("Sec-Fetch-Mode", "navigate")]
        own = [*cookies, ("Sec-Fetch-Site", "same-origin"), FORM]
        for path in PAGES:
            name = f"{who}, {path}"
            for method in ("GET", "HEAD", "DELETE"):
                recording.add(service.port, f"{name}: {method}", method, path, navigation)
            recording.add(service.port, f"{name}: in German", "GET", path, [*navigation, ("Accept-Language", "de")])
            for what, target in spellings(path):
                recording.add(service.port, f"{name}: {what}", "GET", target, navigation)
            for what, fields, body in (
                ("a form without proof", own, b""),
                ("a form of another site", [*cookies, FORM, ("Sec-Fetch-Site", "cross-site")], b""),
                ("a form as JSON", [*cookies, JSON, ("Sec-Fetch-Site", "same-origin")], b"{}"),
            ):
                recording.add(service.port, f"{name}: {what}", "POST", path, fields, body)
            too_long = raw("POST", path, [*own, ("Content-Length", str(HUGE))])
            recording.send(service.port, f"{name}: a form that is too long", too_long)
    # The last one ends the session.
    forms = {"/language": {"language": "de"}, "/sessions/close-others": {}, "/unlink": {"provider": "demo"}, "/sign-out": {}}
    for path, form in forms.items():
        body = urlencode({"csrf": signed_in.token("/")} | form).encode()
        cookies = [("Cookie", "; ".join(f"{name}={value}" for name, value in signed_in.jar.items()))]
        recording.add(service.port, f"a user, {path}: a form", "POST", path, [*cookies, ("Sec-Fetch-Site", "same-origin"), FORM], body)


def record_apis(recording: Recording, service: Service, issuer: Issuer) -> None:
    """Access tokens: an API by forward-auth and by verification, with proofs."""
    key, resource = dpop.new_key(), f"{service.settings['public-url']}/orders"
    plain = issuer.access_token("ada", aud=resource, scope="read")
    bound = issuer.access_token("ada", aud=resource, scope="read", cnf=key.confirmation)
    path = "/v1/forward-auth/orders"
    forwarded = [("X-Forwarded-Method", "GET"), ("X-Forwarded-Uri", "/orders"), ("X-Forwarded-Host", "localhost")]
    proof = key.proof("GET", resource, bound)
    for name, fields in {
        "no token": [],
        "a token": dpop.credentials(plain),
        "a token twice": dpop.credentials(plain) * 2,
        "no JWT": dpop.credentials("opaque"),
        "a bound token without a proof": dpop.credentials(bound),
        "a bound token with a proof": dpop.credentials(bound, proof),
        "the same proof again": dpop.credentials(bound, proof),
        "two proofs": [*dpop.credentials(bound, key.proof("GET", resource, bound)), ("DPoP", "x")],
    }.items():
        recording.add(service.port, f"forward-auth of an API: {name}", "GET", path, [*fields, *forwarded])
    for query in ("?scope=read", "?scope=write", "?scope=", "?max_age=1", "?unknown=1"):
        recording.add(service.port, f"forward-auth of an API: {query}", "GET", path + query, [*dpop.credentials(plain), *forwarded])
    for name, body in {
        "a token": {"token": plain, "resource": resource},
        "another resource": {"token": plain, "resource": "https://other.example"},
        "a bound token": {"token": bound, "resource": resource},
        "policy and resource": {"token": plain, "resource": resource, "policy": "demo"},
    }.items():
        recording.add(service.port, f"POST /v1/verify: {name}", "POST", "/v1/verify", [JSON], json.dumps(body).encode())
    recording.add(service.port, "metadata of an API", "GET", "/v1/protected-resources/orders")


def record_routes(recording: Recording, binaries: Path, folder: Path, issuer: Issuer) -> None:
    """Routes of an application: with a session in SignInServer, and with access tokens in AccessTokenServer."""
    with Issuer() as club, example.serve(binaries / "SignInServer", issuer.url, club.url) as server:
        api = API(server.port, issuer, "corp")
        token = api.sign_in("ada", aud=example.AUDIENCE).token
        navigation = [("Accept", "text/html"), ("Sec-Fetch-Site", "none"), ("Sec-Fetch-Mode", "navigate")]
        for name, fields in [
            ("no session", []),
            ("a session", [("Authorization", f"Bearer {token}")]),
            ("a session in a cookie", [("Cookie", f"__Host-session={token}")]),
            ("another token", [("Authorization", "Bearer llx_x")]),
            ("a navigation", navigation),
            *((f"two of {what}", given) for what, given in repeated(token)),
        ]:
            for method in ("GET", "HEAD", "POST"):
                recording.add(server.port, f"{method} /notes: {name}", method, "/notes", fields)
        for what, target in spellings("/notes"):
            recording.add(server.port, f"GET /notes: {what}", "GET", target)
    port, key = rig.free_port(), dpop.new_key()
    resource = f"http://127.0.0.1:{port}/orders"
    with serve_apis(binaries / "AccessTokenServer", folder, port, issuer.url, {}) as server:
        bound = issuer.access_token("ada", aud=resource, scope="orders:read", cnf=key.confirmation)
        plain = issuer.access_token("ada", aud=resource, scope="orders:read")
        proof = key.proof("GET", resource, bound)
        for name, fields in {
            "no token": [],
            "a token": dpop.credentials(plain),
            "a token twice": dpop.credentials(plain) * 2,
            "a session token": [("Authorization", f"Bearer {token}")],
            "a bound token without a proof": dpop.credentials(bound),
            "a proof": dpop.credentials(bound, proof),
            "the same proof again": dpop.credentials(bound, proof),
            "two proofs": [*dpop.credentials(bound, key.proof("GET", resource, bound)), ("DPoP", "x")],
        }.items():
            for method in ("GET", "POST"):
                recording.add(server.port, f"{method} /orders: {name}", method, "/orders", fields)
        for path in ("/.well-known/oauth-protected-resource/orders", "/mcp", "/nowhere"):
            recording.add(server.port, f"AccessTokenServer, {path}", "GET", path)


def record_limits(recording: Recording, service: Service) -> None:
    """Above the limit of its network, a client is answered before its body."""
    for _ in range(FEW):
        rig.ask(service.port, "POST", "/v1/sign-in", [JSON], b"{}")
    for path in ("/v1/sign-in", "/v1/attempts", "/login/password"):
        fields = [JSON if path.startswith("/v1") else FORM, ("Content-Length", str(HUGE))]
        recording.send(service.port, f"POST {path}: above the limit", raw("POST", path, fields))


def record_ends(recording: Recording, service: Service) -> None:
    """Clients that do not complete a request, or leave."""
    half = raw("POST", "/v1/sign-in", [JSON, ("Content-Length", "100")]) + b"{"
    recording.send(service.port, "half a body, until the timeout", half)
    for name, sent in {"a head": b"GET /healthz HTTP/1.1\r\nHost: loc", "a body": half}.items():
        with closing(rig.connect(service.port)) as client:
            client.sendall(sent)
            client.shutdown(socket.SHUT_WR)
            answer = client.recv(65_536)
        answered = spelled(answer.decode(errors="backslashreplace"))
        recording.answers[f"half of {name}, then the end of the client's stream"] = answered
        with closing(rig.connect(service.port)) as client:
            client.sendall(sent)
        recording.add(service.port, f"after a client left in the middle of {name}", "GET", "/healthz")


def record(binary: str) -> Recording:
    recording = Recording()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="answers-")))
        issuer = stack.enter_context(Issuer())
        mailbox, phones = Mailbox(folder), Phones(folder)
        service = Service(binary, folder / "all", issuer.url, guests=True, **mailbox.settings, **phones.settings)
        apis = Service(binary, folder / "apis", issuer.url, **{"trusted-proxies": ["127.0.0.1"]})
        apis.settings |= {
            "apis": ["orders"],
            "api": {
                "orders": {
                    "issuer": issuer.url,
                    "audiences": [f"{apis.settings['public-url']}/orders"],
                    "resource": f"{apis.settings['public-url']}/orders",
                    "scopes": ["read"],
                    "dpop": "accepted",
                    "allow-loopback-http": True,
                }
            },
        }
        stack.enter_context(service)
        api = API(service.port, issuer)
        record_operations(recording, service, api)
        record_pages(recording, service, api)
        with apis:
            record_apis(recording, apis, issuer)
        record_routes(recording, Path(binary).parent, folder, issuer)
        few = Service(binary, folder / "few", issuer.url, tweaks=dict.fromkeys(LIMITS, FEW))
        with few:
            record_limits(recording, few)
        with Service(binary, folder / "ends", issuer.url, **{"request-timeout": 2, "head-timeout": 2}) as ends:
            record_ends(recording, ends)
    return recording


def main() -> int:
    parser = argparse.ArgumentParser(description="Records the answers to fixed raw requests.")
    parser.add_argument("binary")
    parser.add_argument("--record", type=Path)
    parser.add_argument("--compare", type=Path)
    arguments = parser.parse_args()
    begun = time.monotonic()
    recording = record(arguments.binary)
    print(f"answers: {len(recording.answers)} requests in {time.monotonic() - begun:.0f} s")
    if arguments.record:
        arguments.record.write_text(json.dumps(recording.answers, indent=1, ensure_ascii=False) + "\n")
        return 0
    checks = rig.Checks("answers")
    other = json.loads(arguments.compare.read_text()) if arguments.compare else record(arguments.binary).answers
    recording.compare(checks, other)
    return checks.end()


if __name__ == "__main__":
    sys.exit(main())
