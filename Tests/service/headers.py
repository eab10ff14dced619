"""Checks response headers, cookies and protection against request forgery, as docs/assurance/http-security.md describes them.

usage: headers.py SERVICE_BINARY

Sends raw requests, including those that another site could make a browser send, and inspects the responses.
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
COOKIE = re.compile(r"(__Host-[a-z]+(?:-[0-9a-f]+)?)=([^;]*)(.*)")
# 22 characters of base64url encode 128 bits.
SECRET_MIN = 22


def cookies(answer: rig.Answer) -> dict[str, tuple[str, set[str]]]:
    """Returns the cookies that a response sets: name → value and attributes."""
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
    """A client that stores cookies and sends Sec-Fetch-Site, as a browser does."""

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
        """Returns the CSRF token of a page's forms."""
        found = re.search(r'name="csrf" value="([^"]+)"', self.ask("GET", path).body.decode())
        return found[1] if found else ""

    def sign_in(self, api: API, subject: str) -> rig.Answer:
        """Signs in as a script of the same origin, with the session in a cookie."""
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
            checks.equal(answer.header(name), value, f"{path} has the header {name}")
        for name in NOT_SAID:
            checks.equal(answer.header(name), None, f"{path} does not have the header {name}")
        checks.equal(
            (answer.header("Content-Type") or "").lower(), "text/html; charset=utf-8", f"{path} declares its content type"
        )
        checks.that("no-store" in (answer.header("Cache-Control") or ""), f"{path} is not cached", answer.headers)
        policy = answer.header("Content-Security-Policy") or ""
        for directive in ("default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'"):
            checks.that(directive in policy, f"{path} has the policy {directive}", policy)
        checks.that(
            "unsafe" not in policy and "*" not in policy and "script-src" not in policy,
            f"the policy of {path} allows no scripts",
            policy,
        )
        checks.that("<script" not in answer.body.decode().lower(), f"{path} contains no script")
        checks.that(
            "camera=()" in (answer.header("Permissions-Policy") or ""),
            f"{path} disables device features",
            answer.headers,
        )
        age = re.fullmatch(r"max-age=(\d+).*", answer.header("Strict-Transport-Security") or "")
        checks.equal(
            bool(age and int(age[1]) >= 31536000),
            secure,
            f"{path} has HSTS if and only if the public URL is https",
        )


def check_api(checks: rig.Checks, api: API) -> None:
    account = api.sign_in()
    for path in ("/v1/session", "/v1/account", "/v1/sessions"):
        answer = rig.ask(
            api.port, "GET", path, [("Authorization", f"Bearer {account.token}"), ("Origin", "https://evil.example")]
        )
        checks.that("no-store" in (answer.header("Cache-Control") or ""), f"{path} is not cached", answer.headers)
        checks.equal(answer.header("X-Content-Type-Options"), "nosniff", f"{path} forbids content sniffing")
        checks.that(
            (answer.header("Content-Type") or "").startswith("application/json"),
            f"{path} declares its content type",
            answer.headers,
        )
        checks.equal(answer.header("Access-Control-Allow-Origin"), None, f"{path} permits no other origin to read it")
    preflight = rig.ask(
        api.port,
        "OPTIONS",
        "/v1/sign-out",
        [("Origin", "https://evil.example"), ("Access-Control-Request-Method", "POST")],
    )
    checks.equal(preflight.header("Access-Control-Allow-Origin"), None, "no other origin may call an operation")
    for query in (f"session={account.token}", f"access_token={account.token}", f"token={account.token}"):
        checks.equal(
            rig.ask(api.port, "GET", f"/v1/session?{query}").status, 401, "a session token in a URL is ignored"
        )
    checks.equal(api.call("TRACE", "/v1/session", token=account.token).status, 405, "TRACE is refused")
    problem = rig.ask(api.port, "GET", "/v1/session", host="evil.example")
    checks.that(
        b"evil.example" not in problem.body + str(problem.headers).encode(),
        "a forged Host does not occur in the response",
        problem.body,
    )


def check_cookies(checks: rig.Checks, service: Service, api: API) -> None:
    visitor = Visitor(service)
    before = cookies(visitor.ask("GET", "/login"))
    checks.that(
        "__Host-visitor" in before and "__Host-session" not in before,
        "a different cookie is used before the sign-in",
        before,
    )
    # Session fixation: a planted session cookie must not become a session.
    visitor.jar["__Host-session"] = "lls_" + "A" * 60
    first = visitor.sign_in(api, "cookie-person")
    if first.status == 401:
        # Refusing the request with the planted cookie is correct too.
        del visitor.jar["__Host-session"]
        first = visitor.sign_in(api, "cookie-person")
    given = cookies(first)
    checks.that("__Host-session" in given, "the session is returned in a cookie on request", given)
    for name, (value, attributes) in (before | given).items():
        checks.that(name.startswith("__Host-"), f"{name} has the prefix __Host-", name)
        checks.that(
            {"secure", "httponly", "samesite=lax", "path=/"} <= attributes,
            f"{name} is Secure, HttpOnly, SameSite=Lax, with the path /",
            attributes,
        )
        checks.that(
            not any(one.startswith("domain") for one in attributes), f"{name} has no Domain", attributes
        )
        checks.that(len(value) >= SECRET_MIN, f"{name} has at least 128 bits", len(value))
    token = given["__Host-session"][0]
    checks.that(token != "lls_" + "A" * 60, "a planted session token is not adopted")
    checks.that(token.encode() not in first.body, "a session token in a cookie is not also in the body")
    other = Visitor(service)
    other.sign_in(api, "cookie-person")
    checks.that(other.jar["__Host-session"] != token, "each sign-in opens a new session")
    checks.equal(visitor.ask("GET", "/v1/session").status, 200, "the cookie authenticates the session")
    # An application of the same host has set a second, partitioned cookie (CHIPS).
    both = [("Cookie", f"__Host-session={token}; __Host-session=tossed")]
    for path in ("/v1/session", "/", "/login"):
        answer = rig.ask(service.port, "GET", path, both)
        set_again = sorted(value for name, value in answer.headers if name.lower() == "set-cookie" and "session=;" in value)
        checks.that(
            len(set_again) == 2 and all("Max-Age=0" in one for one in set_again) and set_again[1].endswith("; Partitioned"),
            f"{path} deletes a session cookie that occurs twice, in both forms",
            answer.headers,
        )
    checks.that(b"twice" in answer.body, "the sign-in page says that a cookie occurred twice", answer.body[:2000])
    out = visitor.ask("POST", "/sign-out", {"csrf": visitor.token("/")})
    checks.equal(out.status, 303, "sign-out redirects")
    checks.that(
        "max-age=0" in cookies(out).get("__Host-session", ("", set()))[1],
        "sign-out deletes the cookie",
        out.headers,
    )
    checks.equal(
        api.call("GET", "/v1/session", token=token).status, 401, "a copy of the session token is refused after sign-out"
    )


def check_forgery(checks: rig.Checks, service: Service, api: API) -> None:
    visitor, other = Visitor(service), Visitor(service)
    visitor.sign_in(api, "victim")
    other.sign_in(api, "attacker")
    good, foreign = visitor.token("/"), other.token("/")
    checks.that(good and foreign and good != foreign, "the forms of each session have a different CSRF token")
    checks.that(visitor.token("/") != good, "each page has a different CSRF token")
    for name, form, site, origin in (
        ("without a CSRF token", {}, "same-origin", {}),
        ("with a forged CSRF token", {"csrf": "A" * 64}, "same-origin", {}),
        ("with another session's CSRF token", {"csrf": foreign}, "same-origin", {}),
        ("with two CSRF tokens", [("csrf", good), ("csrf", good)], "same-origin", {}),
        ("from another site", {"csrf": good}, "cross-site", {}),
        ("from a sibling host", {"csrf": good}, "same-site", {}),
        ("from another origin", {"csrf": good}, None, {"Origin": "https://evil.example"}),
        (
            "from an origin with the service's own as a prefix",
            {"csrf": good},
            None,
            {"Origin": f"http://localhost:{service.port}.evil.example"},
        ),
        ("from the origin null", {"csrf": good}, None, {"Origin": "null"}),
        ("without an origin", {"csrf": good}, None, {}),
    ):
        answer = visitor.ask("POST", "/sessions/close-others", form, site, **origin)
        checks.equal(answer.status, 403, f"a form {name} is refused")
    checks.equal(
        visitor.ask("POST", "/sessions/close-others", {"csrf": good}).status, 303, "a form of the service's own page is accepted"
    )
    for path in ("/sign-out", "/unlink", "/sessions/close-others"):
        checks.equal(visitor.ask("GET", path).status, 405, f"{path} refuses GET")
    stranger = Visitor(service)
    checks.equal(stranger.ask("POST", "/login/demo", {}).status, 403, "a sign-in without a CSRF token is refused")
    returned = stranger.ask("GET", "/login/demo/callback?code=x&state=y", site="cross-site")
    checks.that(
        returned.status >= 400 and "__Host-session" not in cookies(returned),
        "a callback of a login that this browser did not begin opens no session",
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
        checks.equal(answer.status, status, f"an operation with a cookie, Sec-Fetch-Site {site} and type {kind} is refused")


def check_guests(checks: rig.Checks, service: Service, allowed: bool) -> None:
    answer = rig.ask(service.port, "POST", "/v1/sign-in/anonymous", [("Content-Type", "application/json")], b"{}")
    if not allowed:
        checks.equal(answer.code, "operation-not-allowed", "anonymous sign-in is refused by default")
        return
    token = answer.json()["tokens"]["sessionToken"]
    passed = rig.ask(service.port, "GET", "/v1/forward-auth", [("Authorization", f"Bearer {token}")])
    checks.equal((passed.status, passed.header("X-Auth-Anonymous")), (200, "true"), "an allowed anonymous session is marked")


def check_limits(checks: rig.Checks, service: Service) -> None:
    statuses = [
        rig.ask(service.port, "GET", "/v1/session", [("Authorization", f"Bearer lls_{number:060}")])
        for number in range(30)
    ]
    refused = [answer for answer in statuses if answer.status == 429]
    checks.that(refused, "a client that guesses session tokens is refused with 429", [answer.status for answer in statuses])
    checks.that(all((answer.header("Retry-After") or "").isdigit() for answer in refused), "429 has Retry-After")


def check_tls(checks: rig.Checks, binary: str, folder: Path, issuer: Issuer) -> None:
    """Runs the service with its own certificate, the only one that the rig trusts."""
    folder.mkdir()
    certificate(folder)
    files = {"certificate-file": str(folder / "cert.pem"), "key-file": str(folder / "key.pem")}
    service = Service(binary, folder / "service", issuer.url, tls=files, **{"public-url": f"https://{HOST}"})
    service.trust = {"tls": rig.trusting(folder / "cert.pem"), "host": HOST}
    with service:
        answer = rig.ask(service.port, "GET", "/login", **service.trust)
        checks.equal(answer.status, 200, "the service uses TLS with the configured certificate")
        checks.that("max-age=" in (answer.header("Strict-Transport-Security") or ""), "a response over TLS has HSTS")
        try:
            rig.ask(service.port, "GET", "/readyz")
            checks.that(False, "a request without TLS gets no response")
        except (http.client.HTTPException, OSError):
            checks.that(True, "a request without TLS gets no response")


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
