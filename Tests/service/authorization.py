"""Checks access tokens of authorization servers, and a client, that other authors wrote.

usage: authorization.py SERVICE_BINARY

Glewlwyd issues access tokens in JWT form, with and without DPoP, and introspects tokens; Canaille introspects tokens too.
The command, the middleware of AccessTokenServer, and the service for a proxy verify the tokens of Glewlwyd, by their signature
and by introspection; the service introspects the opaque tokens of Canaille, too. The client of
the package mcp finds Glewlwyd by the metadata of the API, registers itself, and calls a tool. `swift build` writes
AccessTokenServer into the directory of SERVICE_BINARY.
"""

import base64
import json
import re
import shutil
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import rig
import serve_canaille as canaille
from dpop import Key, credentials, new_key
from providers import Provider
from service import Service
from tool_client import call_tool

VERIFIED, REFUSED = 0, 1
COMMAND_SECONDS = 30
# The client that acts for itself.
SHOP = "shop"
# The bodies of AccessTokenServer's responses to accepted requests of SHOP.
RESPONSES = {"GET": f"the orders of {SHOP}", "POST": f"ordered for {SHOP}"}
# No server listens at this address: the response is read from the redirect.
REDIRECT_URI = "http://127.0.0.1:1/callback"
TOKEN = re.compile(r"eyJ[A-Za-z0-9_-]{8}")


def form(url: str, fields: dict[str, str], credentials: tuple[str, str], headers: tuple = ()) -> rig.Answer:
    """Sends a form to an endpoint of an authorization server, with HTTP Basic authentication."""
    basic = base64.b64encode(":".join(credentials).encode()).decode()
    fixed = [("Authorization", f"Basic {basic}"), ("Content-Type", "application/x-www-form-urlencoded")]
    target = urlsplit(url)
    return rig.ask(target.port, "POST", target.path, [*fixed, *headers], urlencode(fields).encode())


def claims_of(token: str) -> dict:
    """Returns the claims of a JWT, without verifying it."""
    payload = token.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))


class Glewlwyd:
    """The authorization server and its client SHOP, for the resources of one API."""

    def __init__(self, provider: Provider, origin: str):
        self.provider, self.issuer = provider, provider.issuer
        self.orders, self.tools = f"{origin}/orders", f"{origin}/mcp"
        provider.do("protect", resources={"orders:read": [self.orders, self.tools], "orders:write": [self.orders]})
        registered = provider.do("service", name=SHOP)
        self.credentials = (registered["client_id"], registered["client_secret"])

    def token(self, resource: str | None, scope: str = "orders:read", proof: str | None = None) -> dict:
        """Returns the response of the token endpoint to SHOP, for one resource (RFC 8707)."""
        fields = {"grant_type": "client_credentials", "scope": scope}
        if resource is not None:
            fields["resource"] = resource
        headers = (("DPoP", proof),) if proof is not None else ()
        answer = form(f"{self.issuer}/token", fields, self.credentials, headers)
        if answer.status != 200:
            raise RuntimeError(f"Glewlwyd issues no token: {answer.status} {answer.body[:300]!r}")
        return answer.json()

    def bound_token(self, key: Key) -> str:
        proof = key.proof("POST", f"{self.issuer}/token")
        return self.token(self.orders, proof=proof)["access_token"]


@dataclass
class Command:
    """The command, which reads tokens and proofs from files."""

    binary: str
    folder: Path

    def run(self, *arguments: str) -> tuple[int, dict]:
        """Returns the exit status and the report."""
        ran = subprocess.run(
            [self.binary, *arguments, "--format", "json"], capture_output=True, text=True, timeout=COMMAND_SECONDS
        )
        return ran.returncode, json.loads(ran.stdout) if ran.stdout else {"stderr": ran.stderr}

    def file(self, content: str) -> str:
        file = self.folder / str(uuid.uuid4())
        file.write_text(content)
        return str(file)

    def access(self, token: str, issuer: str, audience: str, *options: str) -> tuple[int, str | None]:
        """Returns the exit status and the code of `verify-token access`."""
        status, report = self.run(
            "access", self.file(token), "--issuer", issuer, "--audience", audience, "--allow-loopback-http", *options
        )
        return status, report.get("code", report)


def by_command(checks: rig.Checks, command: Command, server: Glewlwyd) -> None:
    """`verify-token access` and `verify-token dpop` with tokens of Glewlwyd."""
    issuer, orders = server.issuer, server.orders
    token = server.token(orders)["access_token"]
    read, write = ("--scope", "orders:read"), ("--scope", "orders:write")

    def access(text: str, *options: str, audience: str = orders) -> tuple[int, str | None]:
        return command.access(text, issuer, audience, *options)

    checks.equal(access(token, *read, "--client", SHOP), (VERIFIED, None), "an access token by client credentials is accepted")
    checks.equal(access(token, audience=server.tools), (REFUSED, "audience"), "a token for another API is refused")
    checks.equal(access(token, *write), (REFUSED, "insufficient-scope"), "a token without the scope is refused")
    checks.equal(access(token, "--client", "other"), (REFUSED, "authorized-party"), "the token of another client is refused")
    both = server.token(orders, "orders:read orders:write")["access_token"]
    checks.equal(access(both, *read, *write), (VERIFIED, None), "a token with two scopes has both")
    general = server.token(None)["access_token"]
    checks.equal(claims_of(general)["aud"], "orders:read", "without a resource, Glewlwyd names the scopes as the audience")
    checks.equal(access(general), (REFUSED, "audience"), "a token for no resource is refused")
    login = server.provider.do("token", user="alice", nonce="a-nonce-of-the-rig")
    refused = access(login["id_token"], audience=claims_of(login["id_token"])["aud"])
    checks.equal(refused, (REFUSED, "token-type"), "an ID token is refused, even with its own audience")
    possession(checks, command, server, access)


def possession(checks: rig.Checks, command: Command, server: Glewlwyd, access) -> None:
    orders, key = server.orders, new_key()
    bound = server.bound_token(key)
    request = ("--method", "GET", "--url", orders)

    def proof(holder: Key, url: str = orders, token: str = bound) -> str:
        return command.file(holder.proof("GET", url, token))

    checks.equal(access(bound), (REFUSED, "proof-required"), "a bound token without a proof is refused")
    checks.equal(access(bound, "--proof", proof(key), *request), (VERIFIED, None), "a bound token with its proof is accepted")
    stolen = access(bound, "--proof", proof(new_key()), *request)
    checks.equal(stolen, (REFUSED, "proof-binding"), "the proof of another key is refused")
    token = command.file(bound)

    def check(file: str, *options: str) -> tuple[int, str | None]:
        status, report = command.run("dpop", "check", file, *request, "--access-token-file", token, *options)
        return status, report.get("code", report)

    checks.equal(check(proof(key)), (VERIFIED, None), "dpop check accepts a proof of another implementation")
    checks.equal(check(proof(key, server.tools)), (REFUSED, "proof-url"), "dpop check refuses a proof for another URL")
    other = server.token(orders)["access_token"]
    checks.equal(check(proof(key, token=other)), (REFUSED, "proof-token-hash"), "dpop check refuses a proof for another token")

    pem, endpoint = str(command.folder / "client.pem"), f"{server.issuer}/token"
    status, made = command.run("dpop", "make", "--new-key", pem, "--method", "POST", "--url", endpoint)
    checks.equal(status, 0, "dpop make makes a proof")
    issued = server.token(orders, proof=made["proof"])
    checks.equal(issued["token_type"], "DPoP", "Glewlwyd accepts the proof")
    thumbprint = claims_of(issued["access_token"])["cnf"]["jkt"]
    checks.equal(thumbprint, made["keyThumbprint"], "Glewlwyd binds the token to the key that dpop make reports")
    file = command.file(issued["access_token"])
    _, made = command.run("dpop", "make", "--key", pem, *request, "--access-token-file", file)
    accepted = access(issued["access_token"], "--proof", command.file(made["proof"]), *request)
    checks.equal(accepted, (VERIFIED, None), "the token and a proof of dpop make are accepted")


@dataclass
class API:
    """A running AccessTokenServer."""

    program: rig.Program
    port: int

    def ask(self, method: str, path: str, token: str | None = None, proof: str | None = None) -> rig.Answer:
        return rig.ask(self.port, method, path, credentials(token, proof))

    def result(self, *request, **credentials) -> tuple[int, str | None]:
        """Returns the status, and the code of a refusal or the body."""
        answer = self.ask(*request, **credentials)
        return answer.status, answer.code or answer.body.decode().strip()


@contextmanager
def serve(binary: Path, folder: Path, port: int, issuer: str, introspection: dict[str, str]) -> Iterator[API]:
    """Runs AccessTokenServer."""
    settings = {f"INTROSPECTION_{name.upper()}": value for name, value in introspection.items()}
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "PORT": str(port), "ISSUER": issuer, **settings}
    with rig.Program("api", [str(binary)], folder, env=environment, cwd=folder) as program:
        program.start(lambda: rig.listens(port))
        yield API(program, port)


@dataclass
class Forwarded:
    """The service, as a proxy on this machine asks it about requests to its API `orders`."""

    service: Service
    issuer: str

    # The scope that the proxy requires for each method.
    SCOPES = {"GET": "orders:read", "POST": "orders:write"}

    def result(self, method: str, path: str, token: str | None = None, proof: str | None = None) -> tuple[int, str | None]:
        """Returns the status, and the code of a refusal.

        For an accepted request it is the text that AccessTokenServer would send, so that `by_request` serves both.
        """
        question = f"/v1/forward-auth/orders?{urlencode({'scope': self.SCOPES[method]})}"
        forwarded = [("X-Forwarded-Method", method), ("X-Forwarded-Uri", path)]
        answer = rig.ask(self.service.port, "GET", question, credentials(token, proof) + forwarded)
        identity = [answer.header(f"X-Auth-{name}") for name in ("Issuer", "Subject", "Client")]
        scopes = (answer.header("X-Auth-Scopes") or "").split()
        if identity == [self.issuer, SHOP, SHOP] and self.SCOPES[method] in scopes:
            return answer.status, RESPONSES[method]
        return answer.status, answer.code or str(answer.headers)

    def judge(self, token: str, **more: str) -> dict:
        """Returns the response of `POST /v1/verify`."""
        body = json.dumps({"token": token, "policy": "orders"} | more).encode()
        return rig.ask(self.service.port, "POST", "/v1/verify", [("Content-Type", "application/json")], body).json()

    def verdict(self, token: str, **more: str) -> tuple[str, str]:
        """Returns the verdict of `POST /v1/verify`, and the subject or the code."""
        seen = self.judge(token, **more)
        return seen.get("verdict"), seen.get("subject") or seen.get("code")


@contextmanager
def serve_for_proxy(
    binary: str, folder: Path, issuer: str, audience: str, resource: str, introspection: dict | None = None, **more
) -> Iterator[Forwarded]:
    """Runs the service without providers, for one API whose tokens are verified by signature, or by introspection.

    `introspection` has the path of the endpoint, the client and its secret, and further settings; `more` are settings of the
    service.
    """
    api = {"issuer": issuer, "allow-loopback-http": True, "audiences": [audience], "resource": resource, "dpop": "accepted"}
    if introspection is not None:
        secret = folder / str(uuid.uuid4())
        secret.touch(0o600)
        secret.write_text(introspection.pop("secret") + "\n")
        path = introspection.pop("path")
        known = {"endpoint": f"{issuer}{path}", "client-secret-file": str(secret), "subject": ["sub", "client_id"]}
        # A revoked token is refused at once.
        api["introspection"] = known | {"cache-seconds": 0} | introspection
    settings = {"trusted-proxies": ["127.0.0.1/32"], "providers": None, "provider": None} | more
    place = folder / f"service-{uuid.uuid4()}"
    with Service(binary, place, issuer, apis=["orders"], api={"orders": api}, **settings) as service:
        yield Forwarded(service, issuer)


def by_request(checks: rig.Checks, api: API | Forwarded, server: Glewlwyd, name: str) -> None:
    """Requests with tokens of Glewlwyd, to a server or to a proxy before it."""

    def check(expected: tuple[int, str], sentence: str, method: str = "GET", **sent: str) -> None:
        checks.equal(api.result(method, "/orders", **sent), expected, f"{name} {sentence}")

    read, written = (200, RESPONSES["GET"]), (200, RESPONSES["POST"])
    token = server.token(server.orders)["access_token"]
    check(read, "accepts a token", token=token)
    check((403, "insufficient-scope"), "refuses a token without the scope", "POST", token=token)
    both = server.token(server.orders, "orders:read orders:write")["access_token"]
    check(written, "accepts the other scope", "POST", token=both)
    foreign = server.token(server.tools)["access_token"]
    check((401, "audience"), "refuses a token for another resource", token=foreign)
    login = server.provider.do("token", user="alice", nonce="a-nonce-of-the-rig")
    check((401, "token-type"), "refuses an ID token", token=login["id_token"])
    check((401, "missing-token"), "refuses a request without a token")

    key = new_key()
    bound = server.bound_token(key)
    check((401, "proof-required"), "refuses a bound token without a proof", token=bound)
    proof = key.proof("GET", server.orders, bound)
    check(read, "accepts a bound token with a proof", token=bound, proof=proof)
    check((401, "proof-replayed"), "refuses a proof that was used", token=bound, proof=proof)
    elsewhere = key.proof("GET", server.tools, bound)
    check((401, "proof-url"), "refuses a proof for another URL", token=bound, proof=elsewhere)
    stolen = new_key().proof("GET", server.orders, bound)
    check((401, "proof-binding"), "refuses the proof of another key", token=bound, proof=stolen)


def by_verdict(checks: rig.Checks, forwarded: Forwarded, server: Glewlwyd) -> None:
    """`POST /v1/verify` with tokens of Glewlwyd."""
    verified, refused = ("verified", SHOP), "refused"
    token = server.token(server.orders)["access_token"]
    checks.equal(forwarded.verdict(token), verified, "POST /v1/verify accepts a token")
    foreign = server.token(server.tools)["access_token"]
    checks.equal(forwarded.verdict(foreign), (refused, "audience"), "POST /v1/verify refuses a token for another resource")
    key = new_key()
    bound = server.bound_token(key)
    checks.equal(forwarded.verdict(bound), (refused, "proof-required"), "POST /v1/verify refuses a bound token without a proof")
    request = {"dpop": key.proof("GET", server.orders, bound), "method": "GET", "url": server.orders}
    checks.equal(forwarded.verdict(bound, **request), verified, "POST /v1/verify accepts a bound token with a proof")


def by_nonce(checks: rig.Checks, forwarded: Forwarded, server: Glewlwyd) -> None:
    """Bound tokens of Glewlwyd at a service that has server nonces."""
    key = new_key()
    bound = server.bound_token(key)
    question = "/v1/forward-auth/orders"
    fields = [("X-Forwarded-Method", "GET"), ("X-Forwarded-Uri", "/orders")]

    def ask(nonce: str | None) -> rig.Answer:
        proof = key.proof("GET", server.orders, bound, nonce)
        return rig.ask(forwarded.service.port, "GET", question, credentials(bound, proof) + fields)

    refused = ask(None)
    checks.equal((refused.status, refused.code), (401, "proof-nonce"), "a proof without a nonce is refused")
    checks.equal(ask(refused.header("DPoP-Nonce")).status, 200, "a proof with the nonce of the refusal is accepted")
    request = {"method": "GET", "url": server.orders}
    judged = forwarded.judge(bound, dpop=key.proof("GET", server.orders, bound), **request)
    checks.equal(judged.get("code"), "proof-nonce", "POST /v1/verify refuses a proof without a nonce")
    proof = key.proof("GET", server.orders, bound, judged.get("dpopNonce"))
    checks.equal(forwarded.verdict(bound, dpop=proof, **request), ("verified", SHOP), "and accepts one with its nonce")


def by_asking(checks: rig.Checks, forwarded: Forwarded, server: Glewlwyd) -> None:
    """The service with tokens of Glewlwyd, about which it asks."""
    refused = "refused"
    token = server.token(server.orders)["access_token"]
    checks.equal(forwarded.verdict(token), ("verified", SHOP), "POST /v1/verify accepts a token that is active")
    passed = forwarded.result("GET", "/orders", token=token)
    checks.equal(passed, (200, RESPONSES["GET"]), "forward-auth accepts a token that is active")
    narrow = forwarded.result("POST", "/orders", token=token)
    checks.equal(narrow, (403, "insufficient-scope"), "forward-auth refuses a token without the scope")
    foreign = server.token(server.tools)["access_token"]
    checks.equal(forwarded.verdict(foreign), (refused, "audience"), "POST /v1/verify refuses a token for another resource")
    form(f"{server.issuer}/revoke", {"token": token}, server.credentials)
    checks.equal(forwarded.verdict(token), (refused, "inactive"), "POST /v1/verify refuses a revoked token")
    checks.equal(forwarded.verdict("made-up"), (refused, "inactive"), "POST /v1/verify refuses a made-up token")


def by_introspection(checks: rig.Checks, api: API, server: Glewlwyd, are_signed: bool) -> None:
    """Tokens that Glewlwyd is asked about, with plain answers (RFC 7662) or signed ones (RFC 9701)."""
    get, form_of = ("GET", "/introspected-orders"), "signed" if are_signed else "plain"

    def check(token: str, plain: tuple[int, str], signed: tuple[int, str], sentence: str) -> None:
        checks.equal(api.result(*get, token=token), signed if are_signed else plain, f"{form_of} answers: {sentence}")

    # Glewlwyd names the token's audience as the recipient of a signed answer, and signs no answer about an inactive token.
    # Neither response is valid, so the token is not accepted.
    none = (503, "introspection-unavailable")
    mine, narrow, bound = (200, f"the orders of {SHOP}"), (403, "insufficient-scope"), (401, "proof-required")
    token = server.token(server.orders)["access_token"]
    check(token, mine, mine, "an active token is accepted")
    write = server.token(server.orders, "orders:write")["access_token"]
    check(write, narrow, narrow, "a token without the scope is refused")
    check(server.bound_token(new_key()), bound, bound, "a token that is bound to a key is recognized")
    check(server.token(server.tools)["access_token"], (401, "audience"), none, "a token for another resource is not accepted")
    form(f"{server.issuer}/revoke", {"token": token}, server.credentials)
    check(token, (401, "inactive"), none, "a revoked token is not accepted")


def by_canaille(checks: rig.Checks, command: Command, binary: Path, folder: Path) -> None:
    """Tokens that Canaille's endpoint is asked about."""
    port, issuer_port = rig.free_port(), rig.free_port()
    issuer = f"http://127.0.0.1:{issuer_port}"
    authorization = [sys.executable, str(rig.HERE / "serve_canaille.py"), str(issuer_port)]
    settings = {
        "endpoint": f"{issuer}/oauth/introspect", "issuer": issuer, "audience": canaille.API, "scope": "profile",
        "client": canaille.API, "secret": canaille.SECRET,
    }
    asked = {"path": "/oauth/introspect", "client-id": canaille.API, "secret": canaille.SECRET}

    def token(client: str, **fields: str) -> str:
        answer = form(f"{issuer}/oauth/token", fields, (client, canaille.SECRET))
        if answer.status != 200:
            raise RuntimeError(f"Canaille issues no token: {answer.status} {answer.body[:300]!r}")
        return answer.json()["access_token"]

    user = {"grant_type": "password", "username": canaille.USER, "password": canaille.PASSWORD, "scope": "profile"}
    get = ("GET", "/introspected-orders")
    with rig.Program("canaille", authorization, folder, cwd=folder) as program:
        program.start(lambda: rig.listens(issuer_port))
        with serve(binary, folder, port, issuer, settings) as api:
            mine = token(canaille.CLIENT, **user)
            checks.equal(api.result(*get, token=mine), (200, f"the orders of {canaille.USER}"), "a user's token is accepted")
            opaque = token(canaille.CLIENT, grant_type="client_credentials", scope="profile")
            checks.that("." not in opaque, "a token by client credentials is opaque")
            its = (200, f"the orders of {canaille.CLIENT}")
            checks.equal(api.result(*get, token=opaque), its, "an opaque token is accepted")
            strange = token(canaille.STRANGER, **user)
            checks.equal(api.result(*get, token=strange), (401, "inactive"), "a token for another API is not active here")
            narrow = token(canaille.CLIENT, **user | {"scope": "email"})
            checks.equal(api.result(*get, token=narrow), (403, "insufficient-scope"), "a token without the scope is refused")
            checks.equal(api.result(*get, token="made-up"), (401, "inactive"), "a made-up token is refused")
            refused = command.access(mine, issuer, canaille.API, "--algorithm", "RS256", "--algorithm", "RS512")
            checks.equal(refused, (REFUSED, "token-type"), "Canaille's tokens in JWT form are not those of RFC 9068")
            form(f"{issuer}/oauth/revoke", {"token": mine}, (canaille.CLIENT, canaille.SECRET))
            checks.equal(api.result(*get, token=mine), (401, "inactive"), "a revoked token is refused")
            resource = "https://api.example/orders"
            with serve_for_proxy(command.binary, folder, issuer, canaille.API, resource, asked) as forwarded:
                its = ("verified", canaille.CLIENT)
                checks.equal(forwarded.verdict(opaque), its, "POST /v1/verify accepts an opaque token")
                inactive = ("refused", "inactive")
                checks.equal(forwarded.verdict(strange), inactive, "POST /v1/verify refuses a token for another API")
                checks.equal(forwarded.verdict("made-up"), inactive, "POST /v1/verify refuses a made-up token")
                checks.that(opaque not in forwarded.service.words(), "the service logs no opaque token")
            program.stop()
            undecided = api.result(*get, token=opaque)
            checks.equal(undecided, (503, "introspection-unavailable"), "no token is accepted without the endpoint")
            leaks(checks, api.program)


def by_tool_client(checks: rig.Checks, api: API, server: Glewlwyd) -> None:
    """The client of the package mcp."""
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}).encode()
    refused = rig.ask(api.port, "POST", "/mcp", [("Content-Type", "application/json")], body)
    metadata = f"http://127.0.0.1:{api.port}/.well-known/oauth-protected-resource/mcp"
    challenge = refused.header("WWW-Authenticate") or ""
    named = (refused.status, f'resource_metadata="{metadata}"' in challenge)
    checks.equal(named, (401, True), "a request without a token is told the metadata")

    def visit(url: str) -> str:
        return server.provider.do("visit", url=url, redirect_uri=REDIRECT_URI)["url"]

    try:
        session = call_tool(server.tools, "orders", REDIRECT_URI, visit)
    except Exception as error:  # The client reports a failed request by one of many errors, in groups.
        checks.that(False, "the client calls the tool", repr(error))
        return
    checks.that(metadata in session.asked, "the client fetches the metadata of the resource", session.asked)
    checks.that(f"{server.issuer}/register" in session.asked, "the client registers itself at Glewlwyd", session.asked)
    sent = [session.request.get(name) for name in ("resource", "scope", "code_challenge_method")]
    checks.equal(sent, [server.tools, "orders:read", "S256"], "the client requests this resource and scope, with PKCE")
    checks.equal(session.tools, ["orders"], "the client lists the tools")
    subject = claims_of(session.access_token)["sub"]
    checks.equal(session.text, f"the orders of {subject}", "the client calls the tool for the user")
    elsewhere = api.result("GET", "/orders", token=session.access_token)
    checks.equal(elsewhere, (401, "audience"), "the client's token is refused by another resource of the server")


def leaks(checks: rig.Checks, program: rig.Program) -> None:
    checks.that(not TOKEN.search(program.words()), f"{program.name}: no token is logged")


def by_glewlwyd(checks: rig.Checks, command: Command, binary: Path, folder: Path) -> None:
    port = rig.free_port()
    with Provider("glewlwyd") as provider:
        server = Glewlwyd(provider, f"http://127.0.0.1:{port}")
        name, secret = server.credentials
        # Its plain answers have no `iss`, and no `sub` if there is no user.
        plain = {
            "endpoint": f"{server.issuer}/introspect", "issuer": server.issuer, "audience": server.orders,
            "client": name, "secret": secret, "optional": "iss",
        }
        asked = {"path": "/introspect", "client-id": name, "secret": secret, "optional": ["iss"]}
        place = (server.issuer, server.orders, server.orders)
        by_command(checks, command, server)
        with serve(binary, folder, port, server.issuer, plain) as api:
            by_request(checks, api, server, "the API")
            by_introspection(checks, api, server, are_signed=False)
            by_tool_client(checks, api, server)
            leaks(checks, api.program)
            checks.equal(api.program.stop(), 0, "the server exits with 0 after SIGTERM")
        with serve(binary, folder, port, server.issuer, plain | {"signed": "1", "optional": ""}) as api:
            by_introspection(checks, api, server, are_signed=True)
        with serve_for_proxy(command.binary, folder, *place) as forwarded:
            by_request(checks, forwarded, server, "forward-auth")
            by_verdict(checks, forwarded, server)
            leaks(checks, forwarded.service)
        with serve_for_proxy(command.binary, folder, *place, **{"dpop-nonces": True}) as forwarded:
            by_nonce(checks, forwarded, server)
        with serve_for_proxy(command.binary, folder, *place, asked) as forwarded:
            by_asking(checks, forwarded, server)
            leaks(checks, forwarded.service)


def main() -> int:
    if len(sys.argv) != 2:
        print("usage: authorization.py SERVICE_BINARY", file=sys.stderr)
        return 64
    binary = Path(sys.argv[1]).with_name("AccessTokenServer")
    if not binary.exists():
        print(f"authorization: {binary} is missing; run swift build --enable-all-traits", file=sys.stderr)
        return 1
    checks = rig.Checks("authorization")
    folder = Path(tempfile.mkdtemp(prefix="authorization-"))
    try:
        command = Command(sys.argv[1], folder)
        if shutil.which("glewlwyd"):
            by_glewlwyd(checks, command, binary, folder)
        else:
            print("authorization: Glewlwyd is not installed, so only Canaille is tested")
        by_canaille(checks, command, binary, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return checks.end()


if __name__ == "__main__":
    sys.exit(main())
