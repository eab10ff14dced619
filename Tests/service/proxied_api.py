"""Checks an API behind a proxy, with the lines that the guide adds to the shipped configuration."""

import hashlib
import ssl
import time
from base64 import b64encode
from pathlib import Path
from urllib.parse import quote

import rig
from dpop import credentials, encoded, new_key
from issuer import Issuer
from proxy import API_HOST

RESOURCE = f"https://{API_HOST}"
METADATA = "/.well-known/oauth-protected-resource"
# Each API reads the client certificate in the form of its name, since proxies differ in the one they can pass.
FORMS = ("escaped-pem", "client-cert")
PATH = "/orders/1"
IDENTITY = ("Issuer", "Subject", "Client", "Scopes")
ENCODED = ("%3bb", "%2fb", "%5Cb", "%2561", "%00", "%c0%af", "%u002fb", "%zz", "%")
AMBIGUOUS = [f"/orders/a{spelling}" for spelling in (";b", *ENCODED)]
# A stricter route, and spellings of it that an API may accept.
PAY = "/orders/pay/1"
PAY_SPELLINGS = [
    f"/orders/{spelling}"
    for spelling in (
        "pay", "pay/", "PAY/1", "%70ay/1", "pay.json", "pay:1", "pay;x/1", "pay%20", "/pay/1", "x/../pay/1", "x/%2e%2e/pay/1",
    )
] + ["/ORDERS/PAY/1", "/%6frders/pay/1", "//orders/pay/1", "/x/../orders/pay/1"]
# The origin of the guide, and others.
ORIGIN = "https://app.example.com"
OTHER_ORIGINS = ("https://evil.example", "http://app.example.com", "https://app.example.com:8443", "https://app.example.com.evil.example", "null")
# A subject, and its header field.
SUBJECT, SUBJECT_FIELD = "zoë Я%1", "zo%C3%AB%20%D0%AF%251"
CERTIFICATE_FIELDS = ("client-cert", "ssl-client-cert")


def settings(issuer: Issuer) -> dict:
    """Returns the configuration of the service for the APIs."""
    api = {
        "issuer": issuer.url, "allow-loopback-http": True, "audiences": ["orders"], "resource": RESOURCE, "dpop": "accepted",
        "max-token-bytes": 65_536, "origins": [ORIGIN],
    }
    return {"apis": list(FORMS), "api": {form: api | {"client-certificate": form} for form in FORMS}}


class Client:
    """A client of the API behind the proxy of a case."""

    def __init__(self, case, issuer: Issuer):
        self.case, self.issuer = case, issuer

    def token(self, scope: str = "orders:read", **claims) -> str:
        return self.issuer.access_token("ada", scope=scope, aud=claims.pop("aud", "orders"), **claims)

    def ask(self, path: str = PATH, token: str | None = None, proof: str | None = None, headers=(), **options) -> rig.Answer:
        return self.case.ask(path, [*credentials(token, proof), *headers], host=API_HOST, **options)

    def accepted(self, sentence: str, *request, **options) -> None:
        answer = self.ask(*request, **options)
        self.case.equal((answer.status, len(self.case.echo.received)), (200, 1), f"{sentence} reaches the API")

    def refused(self, code: str | None, sentence: str, *request, status: int = 401, **options) -> str:
        """Checks a refusal, with the code in its header field if it has one, and returns its challenges."""
        answer = self.ask(*request, **options)
        self.case.equal(answer.status, status, f"{sentence} is refused")
        challenge = answer.header("WWW-Authenticate") or ""
        if code is not None:
            self.case.equal(answer.header("X-Auth-Error"), code, f"{sentence} is refused with its code")
        metadata = f'resource_metadata="{RESOURCE}{METADATA}"'
        self.case.that(metadata in challenge, f"{sentence}: the challenge names the metadata", challenge)
        self.case.equal(len(self.case.echo.received), 0, f"{sentence} does not reach the API")
        return challenge


def check(case, issuer: Issuer, folder: Path) -> None:
    check_api(case, issuer)
    check_stricter_route(case, issuer)
    check_preflights(case)
    check_scripts(case, issuer)
    check_proofs(case, issuer)
    check_certificates(case, issuer, folder)


def check_api(case, issuer: Issuer) -> None:
    """Checks requests with bearer tokens, and what the API receives of them."""
    client = Client(case, issuer)
    token = client.token("orders:read orders:write")
    honest = {"ISSUER": issuer.url, "SUBJECT": "ada", "CLIENT": "shop", "SCOPES": "orders:read orders:write"}
    forged = [(f"X{hyphen}Auth{hyphen}{name}", "forged") for name in IDENTITY for hyphen in "-_."]
    for headers in ([], forged, [("X-Auth-Account", "forged")], [("Connection", "close, X-Auth-Subject, X-Auth-Scopes")]):
        client.accepted("a token", f"{PATH}?scope=x", token, headers=headers)
        seen = case.upstream()
        identity = {name[7:]: values for name, values in seen.items() if name.startswith("X_AUTH_") and any(values)}
        case.equal(identity, {name: [value] for name, value in honest.items()}, "the API receives the identity in the token")
        case.that(not any(seen.get("AUTHORIZATION", [])), "the API receives no token", seen)
        case.equal(case.received_path(), PATH, "the API receives the path")
    large = client.token(roles=[f"department-{number}-reader" for number in range(10_000, 11_400)])
    client.accepted(f"a token of {len(large)} bytes", PATH, large)
    client.refused("missing-token", "a request without a token")
    client.refused("audience", "a token for another API", token=client.token(aud="invoices"))
    challenge = client.refused(None, "a token without the scope", token=client.token("orders:write"), status=403)
    case.that('error="insufficient_scope"' in challenge and "orders:read" in challenge, "the scope is named", challenge)
    for path in AMBIGUOUS:
        case.that(client.ask(path, token).status in (400, 404), f"{path} is refused")
        case.equal(len(case.echo.received), 0, f"{path} does not reach the API")
    for path in ("/", "/other", "/v1/forward-auth/orders", "/v1/verify"):
        case.equal((client.ask(path, token).status, len(case.echo.received)), (404, 0), f"{path} is not found")
    metadata = client.ask(METADATA)
    case.equal((metadata.status, metadata.json().get("resource")), (200, RESOURCE), "the proxy serves the metadata")


def check_stricter_route(case, issuer: Issuer) -> None:
    """Checks a route that needs another scope and a recent authentication, in every spelling of its path."""
    client, now = Client(case, issuer), int(time.time())
    client.accepted("a token for the stricter route", f"{PAY}?max_age=3600", client.token("orders:pay", auth_time=now))
    client.accepted("a token without the scope of the stricter route", "/orders/payments", client.token())
    old = client.token("orders:pay", auth_time=now - 3600)
    # What a client appends changes none of the requirements.
    for query in ("", "?max_age=7200", "?scope=orders:read&max_age=7200"):
        challenge = client.refused("auth-time", f"an authentication that is too old, with {query!r},", f"{PAY}{query}", old)
        case.that("insufficient_user_authentication" in challenge, "the challenge requests an authentication", challenge)
    recent = client.token(auth_time=now)
    for query in ("", "?scope=orders:read"):
        client.refused(None, f"a token without the scope, with {query!r},", f"{PAY}{query}", recent, status=403)
    for path in PAY_SPELLINGS:
        case.that(client.ask(path, recent).status in (400, 403, 404), f"{path} without the scope is refused")
        case.equal(len(case.echo.received), 0, f"{path} without the scope does not reach the API")


def check_preflights(case) -> None:
    """Checks that a preflight is answered without the API, and that every other OPTIONS needs a token."""
    wants = [("Access-Control-Request-Method", "PUT"), ("Access-Control-Request-Headers", "authorization,dpop")]
    for path in (PATH, f"{PATH}?a=b", PAY):
        answer = case.ask(path, [("Origin", ORIGIN), *wants], "OPTIONS", host=API_HOST)
        case.that(answer.status in (200, 204), f"{path}: a preflight of an allowed origin is answered", answer)
        case.equal(answer.header("Access-Control-Allow-Origin"), ORIGIN, f"{path}: the preflight allows the origin")
        for name, wanted in (("Methods", ("put",)), ("Headers", ("authorization", "dpop"))):
            allowed = [word.strip().lower() for word in (answer.header(f"Access-Control-Allow-{name}") or "").split(",")]
            case.that(set(wanted) <= set(allowed), f"{path}: the preflight allows {wanted}", answer.headers)
        case.equal(len(case.echo.received), 0, f"{path}: the preflight does not reach the API")
        check_permission(case, answer, ORIGIN, f"{path}: the preflight")
        for origin in OTHER_ORIGINS:
            answer = case.ask(path, [("Origin", origin), *wants], "OPTIONS", host=API_HOST)
            check_permission(case, answer, None, f"{path}: a preflight of {origin}")
            case.equal(len(case.echo.received), 0, f"{path}: a preflight of {origin} does not reach the API")
        for sentence, headers in (("an origin", wants), ("the requested method", [("Origin", ORIGIN)]), ("both", [])):
            answer = case.ask(path, headers, "OPTIONS", host=API_HOST)
            case.equal(answer.status, 401, f"{path}: OPTIONS without {sentence} is refused")
            case.equal(len(case.echo.received), 0, f"{path}: OPTIONS without {sentence} does not reach the API")
    for path in AMBIGUOUS:
        answer = case.ask(path, [("Origin", ORIGIN), *wants], "OPTIONS", host=API_HOST)
        case.equal(len(case.echo.received), 0, f"{path}: a preflight does not reach the API")
        case.that(answer.status != 500, f"{path}: a preflight is answered", answer)
    # A page of the service has no origins.
    answer = case.ask("/app/", [("Origin", ORIGIN), *wants], "OPTIONS")
    case.equal((answer.status, len(case.echo.received)), (401, 0), "an application with sessions allows no origin")
    case.equal(answer.header("Access-Control-Allow-Origin"), None, "an application with sessions allows no origin in a field")


def check_scripts(case, issuer: Issuer) -> None:
    """Checks which scripts may read a response, and that a subject in another script arrives."""
    client = Client(case, issuer)
    good, weak = client.token(), client.token("orders:write")
    for status, token in ((200, good), (401, None), (403, weak)):
        for origin in (ORIGIN, *OTHER_ORIGINS, None):
            answer = client.ask(PATH, token, headers=[("Origin", origin)] if origin else [])
            sentence = f"a response with {status} to {origin}"
            case.equal(answer.status, status, f"{sentence} has its status")
            check_permission(case, answer, ORIGIN if origin == ORIGIN else None, sentence)
            varies = [word.strip().lower() for word in (answer.header("Vary") or "").split(",")]
            case.that("origin" in varies, f"{sentence} varies by the origin", answer.headers)
            if origin == ORIGIN:
                exposed = (answer.header("Access-Control-Expose-Headers") or "").lower()
                names = {name.strip() for name in exposed.split(",")}
                readable = {"www-authenticate", "dpop-nonce", "retry-after"}
                case.equal(names, readable, f"{sentence} exposes the challenge, the nonce and the time to wait")
    named = issuer.access_token(SUBJECT, scope="orders:read", aud="orders")
    client.accepted("a subject in another script", PATH, named)
    case.equal(case.upstream().get("X_AUTH_SUBJECT"), [SUBJECT_FIELD], "the API receives the subject in percent-encoding")


def check_permission(case, answer: rig.Answer, allowed: str | None, sentence: str) -> None:
    """Checks that a response has one permission or none, and never one with credentials."""
    fields = [(name.lower(), value) for name, value in answer.headers]
    origins = [value for name, value in fields if name == "access-control-allow-origin"]
    case.equal(origins, [allowed] if allowed else [], f"{sentence} has the permission of its origin")
    case.that(not any(name == "access-control-allow-credentials" for name, _ in fields), f"{sentence} allows no credentials", fields)


def check_proofs(case, issuer: Issuer) -> None:
    """Checks that a proof is compared with the request that the client has sent, whatever its headers say."""
    client, key = Client(case, issuer), new_key()
    token = client.token(cnf=key.confirmation)

    def proof(method: str = "POST", path: str = PATH) -> str:
        return key.proof(method, f"{RESOURCE}{path}", token)

    client.refused("proof-required", "a bound token as a bearer token", token=token, method="POST")
    used = proof()
    client.accepted("a bound token with its proof", f"{PATH}?a=b", token, used, method="POST")
    case.that("DPOP" not in case.upstream() or not any(case.upstream()["DPOP"]), "the API receives no proof", case.upstream())
    client.refused("proof-replayed", "a replayed proof", PATH, token, used, method="POST")
    client.refused("proof-method", "a proof for another method", PATH, token, proof("GET"), method="POST")
    client.refused("proof-url", "a proof for another URL", PATH, token, proof(path="/orders/2"), method="POST")
    client.refused("proof-malformed", "a request with two proofs", PATH, token, proof(), [("DPoP", proof())], method="POST")
    said = [("X-Forwarded-Method", "GET"), ("X-Forwarded-Uri", "/orders/2")]
    client.refused("proof-method", "a forged method", PATH, token, proof("GET"), said[:1], method="POST")
    client.refused("proof-url", "a forged target", PATH, token, proof(path="/orders/2"), said[1:], method="POST")


def check_certificates(case, issuer: Issuer, folder: Path) -> None:
    """Checks that a token that is bound to a client certificate needs this certificate, which no header can claim."""
    client = Client(case, issuer)
    pem = (folder / "client-cert.pem").read_text()
    der = ssl.PEM_cert_to_DER_cert(pem)
    token = client.token(cnf={"x5t#S256": encoded(hashlib.sha256(der).digest())})

    def connection(name: str) -> ssl.SSLContext:
        tls = rig.trusting(folder / "trusted.pem")
        tls.load_cert_chain(folder / f"{name}-cert.pem", folder / f"{name}-key.pem")
        return tls

    if case.proxy.guided.passes_certificates:
        client.accepted("a bound token with its certificate", token=token, tls=connection("client"))
        kept = {name for name in ("CLIENT_CERT", "SSL_CLIENT_CERT") if any(case.upstream().get(name, []))}
        case.equal(kept, set(), "the API receives no certificate")
        client.refused("certificate-binding", "another certificate", token=token, tls=connection("api"))
        for name, value in forgeries(pem, der):
            forged, sentence = [(name, value)], f"another certificate with that of the token in {name}"
            client.refused("certificate-binding", sentence, token=token, headers=forged, tls=connection("api"))
    for path in ("/app/", "/healthz"):
        case.ask(path, tls=connection("client"))
        fields = [field for request in case.relay.received for field in request.headers]
        sent = [value for name, value in fields if name.lower() in CERTIFICATE_FIELDS and value]
        case.that(fields and not sent, f"{path}: the service receives no certificate for another host", sent)
    # Without a certificate, Caddy passes the name of a placeholder.
    missing = "certificate-malformed" if case.proxy.name == "caddy" else "certificate-required"
    client.refused(missing, "a bound token without its certificate", token=token)
    for name, value in forgeries(pem, der):
        client.refused(missing, f"a certificate in {name}", token=token, headers=[(name, value)])
        for path in ("/app/", "/healthz"):
            case.ask(path, [(name, value)])
            received = str(case.relay.received)
            case.that(value not in received, f"{path}: the service receives no forged {name}", received)
    client.accepted("a token that is not bound, with a certificate", token=client.token(), tls=connection("client"))


def forgeries(pem: str, der: bytes) -> list[tuple[str, str]]:
    """Returns the fields with which a client would claim a certificate, in several spellings."""
    values = {"Client-Cert": f":{b64encode(der).decode()}:", "SSL-Client-Cert": quote(pem, safe="")}
    return [(name.replace("-", hyphen), value) for name, value in values.items() for hyphen in "-_."]
