"""The requests of answers.py to an API behind the service, and to the routes of applications."""

import json
import sqlite3
import uuid
from contextlib import closing
from functools import partial
from pathlib import Path

import dpop
import example
import rig
import settings
from api import API, Elsewhere
from authorization import serve as serve_apis
from issuer import Issuer
from recording import Recording
from service import COMMAND_SECONDS, Service
from wire import FORM, HUGE, JSON, NAVIGATION, SAME_ORIGIN, UNTRUSTED, early, repeated, spellings

# Requests with a session: some are accepted, and the others are refused at different times.
RENEWING = {
    "a read": ("GET", "/v1/session", [], None),
    "HEAD": ("HEAD", "/v1/session", [], None),
    "forward-auth": ("GET", "/v1/forward-auth", [], None),
    "a page": ("GET", "/", NAVIGATION, None),
    "a page that redirects": ("GET", "/login", NAVIGATION, None),
    "a page that does not exist": ("GET", "/nowhere", NAVIGATION, None),
    "a session that does not exist": ("DELETE", "/v1/sessions/nobody", [SAME_ORIGIN], None),
    "another method": ("PATCH", "/v1/session", [SAME_ORIGIN], None),
    "an invalid body": ("PUT", "/v1/account/password", [SAME_ORIGIN, JSON], b"{}"),
    "another media type": ("PUT", "/v1/account/password", [SAME_ORIGIN, ("Content-Type", "text/plain")], b"{}"),
    "a body that is too long": ("PUT", "/v1/account/password", [SAME_ORIGIN, JSON, ("Content-Length", str(HUGE))], None),
    "another site": ("POST", "/v1/sign-out", [("Sec-Fetch-Site", "cross-site")], None),
    "a form without proof": ("POST", "/unlink", [SAME_ORIGIN, FORM], b""),
    "an operation without a session": ("POST", "/v1/sign-in", [SAME_ORIGIN, JSON], b"{}"),
    "a sign-out": ("POST", "/v1/sign-out", [SAME_ORIGIN], None),
}


def expire_tokens(store: Path) -> None:
    """Lets all session tokens in a store expire, and not their sessions."""
    with closing(sqlite3.connect(store, timeout=COMMAND_SECONDS)) as database, database:
        database.execute("UPDATE login_session SET token_expires_at = 1")


def record_renewed(recording: Recording, name: str, api: API, store: Path, requests: dict[str, tuple]) -> None:
    """Requests of browsers whose session token has expired and is renewed, also if the request is refused."""
    for what, (method, path, fields, body) in requests.items():
        answer = api.must("POST", "/v1/sign-in", api.credential(str(uuid.uuid4())))["tokens"]
        expire_tokens(store)
        session, refresh = f"__Host-session={answer['sessionToken']}", f"__Host-refresh={answer['refreshToken']}"
        sent = {
            "a renewed session": [("Cookie", f"{session}; {refresh}")],
            "again": [("Cookie", f"{session}; {refresh}")],
            "two refresh tokens": [("Cookie", f"{session}; {refresh}"), ("Cookie", refresh)],
            "two session tokens": [("Cookie", f"{session}; {refresh}"), ("Cookie", session)],
            "no refresh token": [("Cookie", session)],
            "no session token": [("Cookie", refresh)],
            "an expired bearer token": [("Authorization", f"Bearer {answer['sessionToken']}"), ("Cookie", refresh)],
        }
        for given, credentials in sent.items():
            recording.add(api.port, f"{name}, {what}: {given}", method, path, [*credentials, *fields], body)


def record_apis(recording: Recording, service: Service, issuer: Issuer) -> None:
    """Access tokens: an API by forward-auth and by verification, with proofs."""
    key, resource = dpop.new_key(), f"{service.settings['public-url']}/orders"
    plain = issuer.access_token("ada", aud=resource, scope="read")
    bound = issuer.access_token("ada", aud=resource, scope="read", cnf=key.confirmation)
    path = "/v1/forward-auth/orders"
    forwarded = [("X-Forwarded-Method", "GET"), ("X-Forwarded-Uri", "/orders"), ("X-Forwarded-Host", "localhost")]

    def proof(method: str = "GET", url: str = resource) -> str:
        return key.proof(method, url, bound)

    used = proof()
    for name, fields in {
        "no token": [],
        "a token": dpop.credentials(plain),
        "a token twice": dpop.credentials(plain) * 2,
        "a token and a proof that it does not need": dpop.credentials(plain, key.proof("GET", resource, plain)),
        "no JWT": dpop.credentials("opaque"),
        "another scheme": [("Authorization", "Basic eDp5")],
        "a token for another audience": dpop.credentials(issuer.access_token("ada", aud="other", scope="read")),
        "an expired token": dpop.credentials(issuer.access_token("ada", aud=resource, scope="read", exp=1)),
        "a token without the scope": dpop.credentials(issuer.access_token("ada", aud=resource)),
        "a bound token without a proof": dpop.credentials(bound),
        "a bound token with a proof": dpop.credentials(bound, used),
        "the same proof again": dpop.credentials(bound, used),
        "two proofs": [*dpop.credentials(bound, proof()), ("DPoP", "x")],
        "the same proof twice": [*dpop.credentials(bound, proof()), ("DPoP", proof())],
        "a proof for another method": dpop.credentials(bound, proof("POST")),
        "a proof for another URL": dpop.credentials(bound, proof(url=f"{resource}/1")),
        "a proof that is malformed": dpop.credentials(bound, "x"),
    }.items():
        for method in ("GET", "HEAD"):
            recording.add(service.port, f"forward-auth of an API: {method}, {name}", method, path, [*fields, *forwarded])
    for name, fields in {
        "no X-Forwarded-Method": forwarded[1:],
        "no X-Forwarded-Uri": forwarded[:1],
        "two of X-Forwarded-Uri": [*forwarded, ("X-Forwarded-Uri", "/x")],
        "two of X-Forwarded-Method": [*forwarded, ("X-Forwarded-Method", "POST")],
        "an absolute X-Forwarded-Uri": [forwarded[0], ("X-Forwarded-Uri", resource)],
    }.items():
        for who, source in {"the proxy": "127.0.0.1", "an untrusted peer": UNTRUSTED}.items():
            place = partial(rig.connect, service.port, source=source)
            sent = [*dpop.credentials(bound, proof()), *fields]
            recording.add(place, f"forward-auth of an API: {name} from {who}", "GET", path, sent)
    for query in (
        "?scope=read", "?scope=write", "?scope=", "?scope=read&scope=read", "?max_age=1", "?max_age=x", "?acr_values=a",
        "?unknown=1", "?", "?a=%zz",
    ):  # fmt: skip
        sent = [*dpop.credentials(plain), *forwarded]
        recording.add(service.port, f"forward-auth of an API: {query}", "GET", path + query, sent)
    for name, target in {"another API": "/v1/forward-auth/nobody", "no API": "/v1/forward-auth/"}.items():
        recording.add(service.port, f"forward-auth of {name}", "GET", target, [*dpop.credentials(plain), *forwarded])
    proven = {"token": bound, "policy": "orders", "method": "GET", "url": resource}
    identity = {"token": issuer.token("ada", "nonce-1"), "policy": "demo"}
    for name, body in {
        "a token": {"token": plain, "policy": "orders"},
        "another scope": {"token": issuer.access_token("ada", aud=resource, scope="write"), "policy": "orders"},
        "no token": {"policy": "orders"},
        "no JWT": {"token": "opaque", "policy": "orders"},
        "an unknown policy": {"token": plain, "policy": "nobody"},
        "an unknown member": {"token": plain, "policy": "orders", "resource": resource},
        "a member twice": None,
        "a bound token": {"token": bound, "policy": "orders"},
        "a bound token with a proof": proven | {"dpop": proof()},
        "a proof for another URL": proven | {"dpop": proof(url="http://localhost/x")},
        "a proof without its method": {"token": bound, "policy": "orders", "dpop": proof()},
        "an ID token": identity | {"nonce": "nonce-1"},
        "an ID token with another nonce": identity | {"nonce": "nonce-2"},
        "an ID token without a nonce": identity,
        "an ID token for an API": identity | {"policy": "orders"},
        "an access token as an ID token": {"token": plain, "policy": "demo", "nonce": "nonce-1"},
    }.items():
        sent = b'{"token":"a","token":"b","policy":"orders"}' if body is None else json.dumps(body).encode()
        recording.add(service.port, f"POST /v1/verify: {name}", "POST", "/v1/verify", [JSON], sent)
    for api in ("orders", "nobody"):
        for method in ("GET", "HEAD", "POST"):
            recording.add(service.port, f"metadata of an API: {method} {api}", method, f"/v1/protected-resources/{api}")


def record_routes(recording: Recording, binaries: Path, folder: Path, issuer: Issuer) -> None:
    """Routes of an application: with a session in SignInServer, with access tokens in AccessTokenServer, and in TweaksServer."""
    with Issuer() as club, example.serve(binaries / "SignInServer", issuer.url, club.url) as server:
        api = Elsewhere(server.port, issuer, "corp", example.AUDIENCE)
        token = api.sign_in("ada").token
        for name, fields in [
            ("no session", []),
            ("a session", [("Authorization", f"Bearer {token}")]),
            ("a session in a cookie", [("Cookie", f"__Host-session={token}")]),
            ("a cookie from another site", [("Cookie", f"__Host-session={token}"), ("Sec-Fetch-Site", "cross-site")]),
            ("another token", [("Authorization", "Bearer llx_x")]),
            ("another cookie", [("Cookie", "__Host-session=llx_x")]),
            ("an ID token", [("Authorization", f"Bearer {issuer.token('ada')}")]),
            ("a navigation", NAVIGATION),
            *((f"two of {what}", given) for what, given in repeated(token)),
        ]:
            for method in ("GET", "HEAD", "POST"):
                recording.add(server.port, f"{method} /notes: {name}", method, "/notes", fields)
        for what, target in spellings("/notes"):
            recording.add(server.port, f"GET /notes: {what}", "GET", target)
        for target in ("http://localhost/notes", "http://other.example/notes?a=b"):
            recording.add(server.port, f"GET {target}", "GET", target, NAVIGATION)
        renewing = {"a route": ("GET", "/notes", NAVIGATION, None), "HEAD": ("HEAD", "/notes", [], None)}
        record_renewed(recording, "SignInServer", api, server.store, renewing)
        for path in ("/", "/login", "/v1/session", "/v1/nowhere", "/nowhere", "/openapi.json", "/healthz"):
            for method in ("GET", "HEAD", "POST"):
                recording.add(server.port, f"SignInServer, {method} {path}", method, path)
    record_protected_routes(recording, binaries / "AccessTokenServer", folder, issuer)
    with settings.serve(binaries / "TweaksServer") as server:
        for path in ("/greeting", "/settings", "/settings/", "/settings/tweaks.json", "/settings/tweaks/nobody", "/nowhere"):
            for method in ("GET", "HEAD", "POST", "PUT"):
                for who, fields in {"nobody": [], "an operator": [settings.AUTHORIZATION]}.items():
                    recording.add(server.port, f"TweaksServer, {method} {path}: {who}", method, path, fields)


def record_protected_routes(recording: Recording, binary: Path, folder: Path, issuer: Issuer) -> None:
    port, key = rig.free_port(), dpop.new_key()
    resource = f"http://127.0.0.1:{port}/orders"
    with serve_apis(binary, folder, port, issuer.url, {}):
        bound = issuer.access_token("ada", aud=resource, scope="orders:read", cnf=key.confirmation)
        plain = issuer.access_token("ada", aud=resource, scope="orders:read")
        proof = key.proof("GET", resource, bound)
        for name, fields in {
            "no token": [],
            "a token": dpop.credentials(plain),
            "a token twice": dpop.credentials(plain) * 2,
            "a session token": [("Authorization", f"Bearer lls_{'0' * 60}")],
            "a bound token without a proof": dpop.credentials(bound),
            "a proof": dpop.credentials(bound, proof),
            "the same proof again": dpop.credentials(bound, proof),
            "two proofs": [*dpop.credentials(bound, key.proof("GET", resource, bound)), ("DPoP", "x")],
        }.items():
            for method in ("GET", "HEAD", "POST"):
                recording.add(port, f"{method} /orders: {name}", method, "/orders", fields)
        for target in (resource, "http://other.example/orders", f"{resource}?a=b", "//orders", "/orders/", "/orders?a=b"):
            given = dpop.credentials(bound, key.proof("GET", resource, bound))
            recording.add(port, f"GET {target}: a proof".replace(str(port), "<port>"), "GET", target, given)
        # A notification: the members of other answers have no fixed order.
        tool = b'{"jsonrpc":"2.0","method":"ping"}'
        token = dpop.credentials(issuer.access_token("ada", aud=f"http://127.0.0.1:{port}/mcp", scope="orders:read"))
        for name, body in {"a message": tool, "half a message": tool[:9], "no message": b""}.items():
            recording.add(port, f"POST /mcp: {name}", "POST", "/mcp", [*token, JSON], body)
        for what, sent in early("/mcp", "POST", []):
            recording.send(port, f"POST /mcp: without a token, {what}", sent)
        for path in ("/.well-known/oauth-protected-resource/orders", "/.well-known/oauth-protected-resource", "/mcp", "/nowhere"):
            for method in ("GET", "HEAD", "POST"):
                recording.add(port, f"AccessTokenServer, {method} {path}", method, path)
