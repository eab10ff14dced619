"""What does the service tell browsers, and what does it take from them? docs/assurance/http-security.md says why.

usage: headers.py SERVICE_BINARY

Looks at answers as they are on the wire: headers, cookies, and requests that another site could have a browser make.
"""

import http.client
import json
import re
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlencode

import rig
from api import API
from issuer import Issuer
from proxy import HOST, certificate
from service import LIMITS, Service

HTTPS = "https://login.example.com"
PAGES = ("/login", "/signed-out")
EVERY_ANSWER = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
NOT_SAID = ("Server", "X-Powered-By", "X-XSS-Protection", "Public-Key-Pins", "Access-Control-Allow-Origin")
COOKIE = re.compile(r"(__Host-[a-z]+)=([^;]*)(.*)")
# 22 characters of base64url have 128 bits.
SECRET_MIN = 22


def cookies(answer: rig.Answer) -> dict[str, tuple[str, set[str]]]:
    """The cookies that an answer sets: name → value and attributes."""
    found = {}
    for name, value in answer.headers:
        if name.lower() == "set-cookie":
            match = COOKIE.fullmatch(value)
            found[match[1] if match else value] = (
                match[2] if match else "",
                {part.strip().lower() for part in (match[3] if match else "").split(";") if part.strip()},
            )
    return found


class Visitor:
    """A browser of somebody: it keeps cookies, and says where its requests come from."""

    def __init__(self, service: Service):
        self.service, self.jar = service, {}

    def ask(
        self, method: str, path: str, form: dict | None = None, site: str | None = "same-origin", **headers
    ) -> rig.Answer:
        sent = [(name.replace("_", "-"), value) for name, value in headers.items()]
        if self.jar:
            sent.append(("Cookie", "; ".join(f"{name}={value}" for name, value in self.jar.items())))
        if site is not None:
            sent.append(("Sec-Fetch-Site", site))
        body = None
        if form is not None:
            sent.append(("Content-Type", "application/x-www-form-urlencoded"))
            body = urlencode(form).encode()
        answer = rig.ask(self.service.port, method, path, sent, body, host=f"localhost:{self.service.port}")
        for name, (value, attributes) in cookies(answer).items():
            if "max-age=0" in attributes:
                self.jar.pop(name, None)
            else:
                self.jar[name] = value
        return answer

    def token(self, path: str) -> str:
        """What the forms of a page carry."""
        found = re.search(r'name="csrf" value="([^"]+)"', self.ask("GET", path).body.decode())
        return found[1] if found else ""

    def sign_in(self, api: API, subject: str) -> rig.Answer:
        """As a page of the same site would with JavaScript: the session comes as a cookie."""
        body = api.credential(subject) | {"cookies": True}
        headers = [("Content-Type", "application/json"), ("Sec-Fetch-Site", "same-origin")]
        if self.jar:
            headers.append(("Cookie", "; ".join(f"{name}={value}" for name, value in self.jar.items())))
        answer = rig.ask(self.service.port, "POST", "/v1/sign-in", headers, json.dumps(body).encode())
        self.jar |= {name: value for name, (value, _) in cookies(answer).items()}
        return answer


def check_pages(checks: rig.Checks, visitor: Visitor, secure: bool) -> None:
    for path in PAGES:
        answer = visitor.ask("GET", path)
        for name, value in EVERY_ANSWER.items():
            checks.equal(answer.header(name), value, f"{path} says {name}")
        for name in NOT_SAID:
            checks.equal(answer.header(name), None, f"{path} does not say {name}")
        checks.equal(
            (answer.header("Content-Type") or "").lower(), "text/html; charset=utf-8", f"{path} says what it is"
        )
        checks.that("no-store" in (answer.header("Cache-Control") or ""), f"{path} is kept by nobody", answer.headers)
        policy = answer.header("Content-Security-Policy") or ""
        for directive in ("default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'"):
            checks.that(directive in policy, f"{path} has the policy {directive}", policy)
        checks.that(
            "unsafe" not in policy and "*" not in policy and "script-src" not in policy,
            f"{path} runs no script",
            policy,
        )
        checks.that("<script" not in answer.body.decode().lower(), f"{path} has no script")
        checks.that(
            "camera=()" in (answer.header("Permissions-Policy") or ""),
            f"{path} asks for nothing of the device",
            answer.headers,
        )
        age = re.fullmatch(r"max-age=(\d+).*", answer.header("Strict-Transport-Security") or "")
        checks.equal(
            bool(age and int(age[1]) >= 31536000),
            secure,
            f"{path} binds browsers to https exactly where people come by it",
        )


def check_api(checks: rig.Checks, api: API) -> None:
    account = api.sign_in()
    for path in ("/v1/session", "/v1/account", "/v1/sessions"):
        answer = rig.ask(
            api.port, "GET", path, [("Authorization", f"Bearer {account.token}"), ("Origin", "https://evil.example")]
        )
        checks.that("no-store" in (answer.header("Cache-Control") or ""), f"{path} is kept by nobody", answer.headers)
        checks.equal(answer.header("X-Content-Type-Options"), "nosniff", f"{path} is taken for nothing else")
        checks.that(
            (answer.header("Content-Type") or "").startswith("application/json"),
            f"{path} says what it is",
            answer.headers,
        )
        checks.equal(answer.header("Access-Control-Allow-Origin"), None, f"{path} is read by no other site")
    preflight = rig.ask(
        api.port,
        "OPTIONS",
        "/v1/sign-out",
        [("Origin", "https://evil.example"), ("Access-Control-Request-Method", "POST")],
    )
    checks.equal(preflight.header("Access-Control-Allow-Origin"), None, "no other site may call an operation")
    for query in (f"session={account.token}", f"access_token={account.token}", f"token={account.token}"):
        checks.equal(
            rig.ask(api.port, "GET", f"/v1/session?{query}").status, 401, "a session in an address opens nothing"
        )
    checks.equal(api.call("TRACE", "/v1/session", token=account.token).status, 405, "a request is never sent back")
    problem = rig.ask(api.port, "GET", "/v1/session", host="evil.example")
    checks.that(
        b"evil.example" not in problem.body + str(problem.headers).encode(),
        "a Host that somebody made up stands nowhere",
        problem.body,
    )


def check_cookies(checks: rig.Checks, service: Service, api: API) -> None:
    visitor = Visitor(service)
    before = cookies(visitor.ask("GET", "/login"))
    checks.that(
        "__Host-visitor" in before and "__Host-session" not in before,
        "before the sign-in there is another cookie",
        before,
    )
    # Whatever somebody put there is no session afterwards either.
    visitor.jar["__Host-session"] = "lls_" + "A" * 60
    first = visitor.sign_in(api, "cookie-person")
    if first.status == 401:
        # Refused as a whole is as good.
        del visitor.jar["__Host-session"]
        first = visitor.sign_in(api, "cookie-person")
    given = cookies(first)
    checks.that("__Host-session" in given, "a page that asks for it gets the session as a cookie", given)
    for name, (value, attributes) in (before | given).items():
        checks.that(name.startswith("__Host-"), f"{name} is bound to this host", name)
        checks.that(
            {"secure", "httponly", "samesite=lax", "path=/"} <= attributes,
            f"{name} is Secure, HttpOnly, Lax, and of the whole host",
            attributes,
        )
        checks.that(
            not any(one.startswith("domain") for one in attributes), f"{name} goes to no other host", attributes
        )
        checks.that(len(value) >= SECRET_MIN, f"{name} cannot be guessed", len(value))
    token = given["__Host-session"][0]
    checks.that(token != "lls_" + "A" * 60, "a session that somebody chose is not taken over")
    checks.that(token.encode() not in first.body, "what came as a cookie does not come in the body too")
    other = Visitor(service)
    other.sign_in(api, "cookie-person")
    checks.that(other.jar["__Host-session"] != token, "each sign-in has a session of its own")
    checks.equal(visitor.ask("GET", "/v1/session").status, 200, "the cookie opens the session")
    out = visitor.ask("POST", "/sign-out", {"csrf": visitor.token("/")})
    checks.equal(out.status, 303, "signing out leads on")
    checks.that(
        "max-age=0" in cookies(out).get("__Host-session", ("", set()))[1],
        "signing out takes the cookie back",
        out.headers,
    )
    checks.equal(
        api.call("GET", "/v1/session", token=token).status, 401, "what was signed out opens nothing, whoever kept it"
    )


def check_forgery(checks: rig.Checks, service: Service, api: API) -> None:
    visitor, other = Visitor(service), Visitor(service)
    visitor.sign_in(api, "victim")
    other.sign_in(api, "attacker")
    good, foreign = visitor.token("/"), other.token("/")
    checks.that(good and foreign and good != foreign, "each session's forms carry a token of their own")
    checks.that(visitor.token("/") != good, "no two pages carry the same token")
    for name, form, site, origin in (
        ("without token", {}, "same-origin", {}),
        ("with a made-up token", {"csrf": "A" * 64}, "same-origin", {}),
        ("with another session's token", {"csrf": foreign}, "same-origin", {}),
        ("with two tokens", [("csrf", good), ("csrf", good)], "same-origin", {}),
        ("of another site", {"csrf": good}, "cross-site", {}),
        ("of a sibling site", {"csrf": good}, "same-site", {}),
        ("of another origin", {"csrf": good}, None, {"Origin": "https://evil.example"}),
        (
            "of an origin that begins alike",
            {"csrf": good},
            None,
            {"Origin": f"http://localhost:{service.port}.evil.example"},
        ),
        ("of the origin null", {"csrf": good}, None, {"Origin": "null"}),
        ("of nowhere", {"csrf": good}, None, {}),
    ):
        answer = visitor.ask("POST", "/sessions/close-others", form, site, **origin)
        checks.equal(answer.status, 403, f"a form {name} is refused")
    checks.equal(
        visitor.ask("POST", "/sessions/close-others", {"csrf": good}).status, 303, "a form of a page of ours is taken"
    )
    for path in ("/sign-out", "/unlink", "/sessions/close-others"):
        checks.equal(visitor.ask("GET", path).status, 405, f"{path} does nothing with GET")
    stranger = Visitor(service)
    checks.equal(stranger.ask("POST", "/login/demo", {}).status, 403, "nobody is signed in by another site's form")
    returned = stranger.ask("GET", "/login/demo/callback?code=x&state=y", site="cross-site")
    checks.that(
        returned.status >= 400 and "__Host-session" not in cookies(returned),
        "a login that was not begun here ends here in nothing",
        returned.status,
    )
    for site, kind, status in (
        ("cross-site", "application/json", 403),
        (None, "application/json", 403),
        ("same-origin", "text/plain", 415),
    ):
        sent = [("Cookie", f"__Host-session={visitor.jar['__Host-session']}"), ("Content-Type", kind)] + (
            [("Sec-Fetch-Site", site)] if site else []
        )
        answer = rig.ask(service.port, "POST", "/v1/unlink", sent, b'{"provider":"demo"}')
        checks.equal(answer.status, status, f"an operation by cookie from {site}, as {kind}, is refused")


def check_guests(checks: rig.Checks, service: Service, allowed: bool) -> None:
    answer = rig.ask(service.port, "POST", "/v1/sign-in/anonymous", [("Content-Type", "application/json")], b"{}")
    if not allowed:
        checks.equal(answer.code, "operation-not-allowed", "nobody has a session without showing anything")
        return
    token = answer.json()["tokens"]["sessionToken"]
    passed = rig.ask(service.port, "GET", "/v1/forward-auth", [("Authorization", f"Bearer {token}")])
    checks.equal((passed.status, passed.header("X-Auth-Anonymous")), (200, "true"), "where guests may be, it is said")


def check_limits(checks: rig.Checks, service: Service) -> None:
    statuses = [
        rig.ask(service.port, "GET", "/v1/session", [("Authorization", f"Bearer lls_{number:060}")])
        for number in range(30)
    ]
    refused = [answer for answer in statuses if answer.status == 429]
    checks.that(refused, "who guesses sessions is told to wait", [answer.status for answer in statuses])
    checks.that(all((answer.header("Retry-After") or "").isdigit() for answer in refused), "and for how long")


def check_tls(checks: rig.Checks, binary: str, folder: Path, issuer: Issuer) -> None:
    """With a certificate of its own, in files; the rig believes that one alone."""
    folder.mkdir()
    certificate(folder)
    files = {"certificate-file": str(folder / "cert.pem"), "key-file": str(folder / "key.pem")}
    service = Service(binary, folder / "service", issuer.url, tls=files, **{"public-url": f"https://{HOST}"})
    service.trust = {"tls": rig.trusting(folder / "cert.pem"), "host": HOST}
    with service:
        answer = rig.ask(service.port, "GET", "/login", **service.trust)
        checks.equal(answer.status, 200, "the service speaks TLS with the certificate of the file")
        checks.that("max-age=" in (answer.header("Strict-Transport-Security") or ""), "and says that it stays so")
        try:
            rig.ask(service.port, "GET", "/readyz")
            checks.that(False, "nobody is answered without TLS")
        except (http.client.HTTPException, OSError):
            checks.that(True, "nobody is answered without TLS")


def main() -> int:
    if len(sys.argv) != 2:
        print("usage: headers.py SERVICE_BINARY", file=sys.stderr)
        return 64
    checks = rig.Checks("headers")
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="headers-")))
        issuer = stack.enter_context(Issuer())
        with Service(sys.argv[1], folder / "plain", issuer.url) as service:
            api = API(service.port, issuer)
            check_pages(checks, Visitor(service), secure=False)
            check_api(checks, api)
            check_cookies(checks, service, api)
            check_forgery(checks, service, api)
            check_guests(checks, service, allowed=False)
        with Service(sys.argv[1], folder / "guests", issuer.url, guests=True) as service:
            check_guests(checks, service, allowed=True)
        with Service(sys.argv[1], folder / "secure", issuer.url, **{"public-url": HTTPS}) as service:
            check_pages(checks, Visitor(service), secure=True)
        with Service(sys.argv[1], folder / "limited", issuer.url, tweaks=dict.fromkeys(LIMITS, 20)) as service:
            check_limits(checks, service)
        check_tls(checks, sys.argv[1], folder / "tls", issuer)
    return checks.end()


if __name__ == "__main__":
    sys.exit(main())
