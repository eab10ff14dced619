"""Records the answers to fixed raw requests, so that two builds or two adapters of the service can be compared.

usage: answers.py SERVICE_BINARY                    records twice, and checks that both recordings are the same
       answers.py SERVICE_BINARY --record FILE      writes the recording
       answers.py SERVICE_BINARY --compare FILE     checks that the recording equals the one in FILE, and prints each difference

       --wanted FILE     lists the wanted differences, one a line: request | field | reason. Both are patterns of the shell.
       --loosely         ignores what belongs to the connection: Date, X-Request-ID, Server, Connection, the framing of the body,
                         the text of the status, the order of the fields, and whether the connection is open afterwards
       --url URL         sends the requests to a server of this machine that runs already, instead of the service
       --issuer PORT     with --url: includes requests with sessions, whose ID tokens are of the issuer http://127.0.0.1:PORT. The
                         recorder runs it; the server must accept it as the provider
       --provider NAME   (demo by default), for the audience
       --audience TEXT   (client-of-the-rig by default)

Each operation that needs a session gets one of its own. A recording contains the status, the fields in their order, and the body,
with tokens, IDs, times and ports replaced by their kind. It also says whether the server closed the connection. `swift build`
writes SignInServer, AccessTokenServer and TweaksServer, whose routes are recorded too, into the directory of SERVICE_BINARY.
"""

import argparse
import json
import re
import socket
import sys
import tempfile
import time
import uuid
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urlencode, urlsplit

import rig
from api import API, Elsewhere, Refused, networks
from headers import Visitor
from issuer import AUDIENCE, Issuer
from peers import FEW, record_admin, record_forwarded, record_limits
from recording import Place, Recording, Wanted, raw
from routes import RENEWING, record_apis, record_renewed, record_routes
from service import LIMITS, Mailbox, Phones, Service
from wire import FORM, JSON, NAVIGATION, SAME_ORIGIN, early, repeated, spellings
from wire import record_ends, record_framing, record_heads, record_slow_reader, record_targets

# The timeouts of the service for clients that do not complete a request.
SHORT = {"request-timeout": 2, "head-timeout": 2}
# The sessions in a large export.
MANY = 100
# The time in which a server with --url must accept its issuer.
ISSUER_SECONDS = 120

PAGES = (
    "/", "/login", "/login/demo", "/login/nobody", "/login/demo/callback", "/login/password", "/login/second-factor",
    "/login/phone",
    "/guest", "/sign-up", "/conflict", "/sign-out", "/signed-out", "/forgotten-password", "/new-password", "/account/data",
    "/password", "/account/delete", "/link/demo", "/link/phone", "/unlink", "/permissions/demo", "/permissions/demo/request",
    "/permissions/demo/revoke", "/permissions/demo/revoke-all", "/merge", "/sessions", "/sessions/close-others",
    "/sessions/nobody/close", "/verify-email", "/verify-email/send", "/second-factor", "/second-factor/phone",
    "/second-factor/nobody/remove", "/reauthenticate", "/reauthenticate/demo", "/reauthenticate/phone", "/recovery-codes",
    "/language", "/assets/style.css", "/assets/fragment.js", "/openapi.json", "/problems/invalid-request", "/problems/nobody",
    "/favicon.ico", "/robots.txt", "/v1", "/v1/nowhere", "/nowhere",
)  # fmt: skip
# A new session token, or none if the server knows no issuer of the recorder.
SignIn = Callable[[], str] | None


def record_operations(recording: Recording, place: Place, description: dict, sign_in: SignIn, done: set[str]) -> None:
    """Every operation of a description that is not `done`."""
    for template, methods in sorted(description["paths"].items()):
        path = re.sub(r"\{[^}]+\}", "nobody", template)
        for method in (method for method in ("get", "put", "post", "patch", "delete") if method in methods):
            name, sent = f"{method.upper()} {template}", method.upper()
            if name in done:
                continue
            done.add(name)
            needs_session = bool(methods[method].get("security"))
            takes_body = "requestBody" in methods[method]
            form = FORM if FORM[1] in methods[method].get("requestBody", {}).get("content", {}) else JSON
            fixed = ([form], b"{}") if takes_body else ([], None)
            recording.add(place, f"{name}: without a session", sent, path, *fixed)
            if takes_body:
                for what, bytes_ in early(path, sent, [], form):
                    recording.send(place, f"{name}: without a session, {what}", bytes_)
            if needs_session and sign_in is None:
                continue

            def fields() -> list[tuple[str, str]]:
                return [("Authorization", f"Bearer {sign_in()}")] if needs_session else []

            def add(what: str, target: str = path, method: str = sent, body: bytes | None = None, more=()) -> None:
                recording.add(place, f"{name}: {what}", method, target, [*fields(), *more], body)

            if takes_body:
                for what, body in (("{}", b"{}"), ("half", b"{"), ("nothing", b""), ("a list", b"[]"), ("bytes", b"\xff\x00")):
                    add(f"the body {what}", body=body, more=[form])
                add("a type with a parameter", body=b"{}", more=[(form[0], f"{form[1]}; charset=utf-8")])
                if needs_session:
                    for what, bytes_ in early(path, sent, fields(), form):
                        recording.send(place, f"{name}: {what}", bytes_)
            else:
                add("as described")
            for wrong in ("HEAD", "TRACE", "OPTIONS", "PROPFIND", "get"):
                if wrong.upper() != sent:
                    add(f"the method {wrong}", method=wrong)
            for what, target in spellings(path):
                add(what, target, body=fixed[1], more=fixed[0])


def record_repeated(recording: Recording, place: Place, sign_in: SignIn) -> None:
    """Repeated and contradicting fields, each request with a session of its own, or with a made-up token."""

    def token() -> str:
        return sign_in() if sign_in else f"lls_{'0' * 60}"

    reads = ("/v1/session", "/v1/account", "/v1/forward-auth", "/", "/nowhere")
    for method, path in (*(("GET", path) for path in reads), ("POST", "/v1/sign-in"), ("POST", "/v1/sign-out")):
        for what, _ in repeated(""):
            recording.add(place, f"{method} {path}: two of {what}", method, path, dict(repeated(token()))[what])


def cookies(visitor: Visitor) -> list[tuple[str, str]]:
    return [("Cookie", "; ".join(f"{name}={value}" for name, value in visitor.jar.items()))] if visitor.jar else []


def record_pages(recording: Recording, place: Place, service: Service, api: API | None, provider: str) -> None:
    """Every page: for a visitor, and for a user if the server knows the issuer of the recorder."""

    def visitor(who: str) -> Visitor:
        made = Visitor(service)
        if who == "a user":
            made.sign_in(api, str(uuid.uuid4()))
        return made

    for who in ("a visitor", "a user") if api else ("a visitor",):
        own_cookies = cookies(visitor(who))
        navigation = [*own_cookies, *NAVIGATION]
        own = [*own_cookies, SAME_ORIGIN, FORM]
        for path in (path.replace("demo", provider) for path in PAGES):
            name = f"{who}, {path}"
            for method in ("GET", "HEAD", "DELETE"):
                recording.add(place, f"{name}: {method}", method, path, navigation)
            recording.add(place, f"{name}: in German", "GET", path, [*navigation, ("Accept-Language", "de")])
            for what, target in spellings(path):
                recording.add(place, f"{name}: {what}", "GET", target, navigation)
            for what, fields, body in (
                ("a form without proof", own, b""),
                ("a form of another site", [*own_cookies, FORM, ("Sec-Fetch-Site", "cross-site")], b""),
                ("a form as JSON", [*own_cookies, JSON, SAME_ORIGIN], b"{}"),
                ("a form with a field that is malformed", own, b"a=%zz&=&b"),
            ):
                recording.add(place, f"{name}: {what}", "POST", path, fields, body)
            for what, sent in early(path, "POST", [*own_cookies, SAME_ORIGIN], FORM):
                recording.send(place, f"{name}: a form with {what}", sent)
            # A form may end the session.
            sender = visitor(who)
            body = urlencode({"csrf": sender.token("/" if who == "a user" else "/login")}).encode()
            recording.add(place, f"{name}: an empty form with proof", "POST", path, [*cookies(sender), SAME_ORIGIN, FORM], body)
    if not api:
        return
    # The last one ends the session.
    user = visitor("a user")
    forms = {"/language": {"language": "de"}, "/sessions/close-others": {}, "/unlink": {"provider": provider}, "/sign-out": {}}
    for path, form in forms.items():
        body = urlencode({"csrf": user.token("/")} | form).encode()
        recording.add(place, f"a user, {path}: a form", "POST", path, [*cookies(user), SAME_ORIGIN, FORM], body)


def record_session_answers(recording: Recording, place: Place, api: API) -> None:
    """Answers that set cookies: to scripts of the same origin, and to others."""
    other = ("Sec-Fetch-Site", "cross-site")
    for what, fields in {"the same origin": [SAME_ORIGIN], "another site": [other], "a program": []}.items():
        for wants in (True, False):
            body = json.dumps(api.credential(str(uuid.uuid4())) | {"cookies": wants}).encode()
            name = f"POST /v1/sign-in: cookies {wants} for {what}"
            recording.add(place, name, "POST", "/v1/sign-in", [JSON, *fields], body)
    body = json.dumps(api.credential(str(uuid.uuid4()))).encode()
    for what in ("first", "again"):
        recording.add(place, f"POST /v1/sign-in: a credential, {what}", "POST", "/v1/sign-in", [JSON], body)
        key = [JSON, ("Idempotency-Key", "1")]
        attempt = json.dumps({"purpose": "sign-in", "provider": api.provider}).encode()
        recording.add(place, f"POST /v1/attempts: {what}", "POST", "/v1/attempts", key, attempt)


def record_export(recording: Recording, api: API) -> None:
    subject = str(uuid.uuid4())
    for _ in range(MANY):
        token = api.sign_in(subject).token
    sent = raw("GET", "/v1/account/data", [("Authorization", f"Bearer {token}")])
    record_slow_reader(recording, api.port, "a large export", sent)


def record_server(
    recording: Recording, place: Place, service: Service, api: API | None, provider: str, done: set[str], users: bool = True
) -> None:
    """The requests that any server of the API and the pages answers; `users` includes the pages and the data of users."""
    sign_in = (lambda: api.sign_in().token) if api else None
    found = rig.ask(service.port, "GET", "/openapi.json")
    if found.status == 200:
        record_operations(recording, place, found.json(), sign_in, done)
    record_repeated(recording, place, sign_in)
    record_pages(recording, place, service, api if users else None, provider)
    record_targets(recording, place)
    record_heads(recording, place)
    record_framing(recording, place)
    if api:
        record_session_answers(recording, place, api)
    if api and users:
        record_export(recording, api)


def record(binary: str) -> Recording:
    """Records the service, and the servers of the guides."""
    recording, done = Recording(), set()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="answers-")))
        issuer = stack.enter_context(Issuer())
        mailbox, phones = Mailbox(folder), Phones(folder)
        with Service(binary, folder / "all", issuer.url, guests=True, **mailbox.settings, **phones.settings) as service:
            record_server(recording, service.port, service, API(service.port, issuer), "demo", done)
        with service_with_apis(binary, folder, issuer) as service:
            api = API(service.port, issuer)
            record_operations(recording, service.port, api.must("GET", "/openapi.json"), lambda: api.sign_in().token, done)
            record_apis(recording, service, issuer)
        with Service(binary, folder / "renewed", issuer.url) as service:
            store = Path(service.settings["store"])
            record_renewed(recording, "the service", API(service.port, issuer), store, RENEWING)
        record_routes(recording, Path(binary).parent, folder, issuer)
        few = dict.fromkeys(LIMITS, FEW)
        with Service(binary, folder / "few", issuer.url, tweaks=few) as service:
            record_limits(recording, service)
        with Service(binary, folder / "behind", issuer.url, tweaks=few, **{"trusted-proxies": ["127.0.0.1"]}) as service:
            record_forwarded(recording, service)
        socket_ = folder / "admin"
        with Service(binary, folder / "ends", issuer.url, admin={"listen": f"unix:{socket_}"}, **SHORT) as service:
            record_ends(recording, service.port)
            record_admin(recording, socket_)
    return recording


def service_with_apis(binary: str, folder: Path, issuer: Issuer) -> Service:
    """The service with an API, and with Facebook, which it does not reach."""
    secret = folder / "facebook.secret"
    secret.touch(0o600)
    secret.write_text("made-up-secret-of-the-rig-0000000\n")
    service = Service(binary, folder / "apis", issuer.url, **{"trusted-proxies": ["127.0.0.1"]})
    service.settings["providers"].append("facebook")
    service.settings["provider"]["facebook"] = {"app-ids": ["1234567890"], "app-secret-file": str(secret), "tracking": "enabled"}
    resource = f"{service.settings['public-url']}/orders"
    service.settings |= {
        "apis": ["orders"],
        "api": {
            "orders": {
                "issuer": issuer.url,
                "audiences": [resource],
                "resource": resource,
                "scopes": ["read"],
                "dpop": "accepted",
                "allow-loopback-http": True,
            }
        },
    }
    service.ready = service.alive
    return service


def record_url(url: str, issuer_port: int | None, provider: str, audience: str) -> Recording:
    """Records a server that runs already."""
    port = urlsplit(url).port or 80
    if issuer_port is None:
        return record_port(port, None, provider)
    with Issuer(issuer_port) as issuer:
        api = Elsewhere(port, issuer, provider, audience)
        # A server that has started before its issuer tries again after a while.
        rig.wait_until(lambda: accepts(api), "the server accepts an ID token of the issuer", ISSUER_SECONDS)
        return record_port(port, api, provider)


def record_port(port: int, api: API | None, provider: str, users: bool = True) -> Recording:
    """Records any server of this machine."""
    recording, sources = Recording(), networks()

    def place() -> socket.socket:
        return rig.connect(port, source=next(sources))

    record_server(recording, place, SimpleNamespace(port=port), api, provider, set(), users)
    return recording


def accepts(api: API) -> bool:
    try:
        return bool(api.sign_in())
    except Refused:
        time.sleep(1)
        return False


def main() -> int:
    parser = argparse.ArgumentParser(description="Records the answers to fixed raw requests.")
    parser.add_argument("binary")
    parser.add_argument("--record", type=Path)
    parser.add_argument("--compare", type=Path)
    parser.add_argument("--wanted", type=Path)
    parser.add_argument("--loosely", action="store_true")
    parser.add_argument("--url")
    parser.add_argument("--issuer", type=int)
    parser.add_argument("--provider", default="demo")
    parser.add_argument("--audience", default=AUDIENCE)
    arguments = parser.parse_args()
    wanted = Wanted(arguments.wanted)

    def recorded() -> Recording:
        begun = time.monotonic()
        if arguments.url:
            made = record_url(arguments.url, arguments.issuer, arguments.provider, arguments.audience)
        else:
            made = record(arguments.binary)
        print(f"answers: {len(made.answers)} requests in {time.monotonic() - begun:.0f} s", flush=True)
        return made

    recording = recorded()
    if arguments.record:
        arguments.record.write_text(json.dumps(recording.answers, indent=1, ensure_ascii=False) + "\n")
        return 0
    checks = rig.Checks("answers")
    other = json.loads(arguments.compare.read_text()) if arguments.compare else recorded().answers
    recording.compare(checks, other, wanted, arguments.loosely)
    wanted.report(checks)
    return checks.end()


if __name__ == "__main__":
    sys.exit(main())
