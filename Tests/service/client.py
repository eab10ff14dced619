"""Signs in with LoginClient from a package outside this one, and with `verify-token login`.

usage: client.py SERVICE_BINARY CONSUMER

CONSUMER is the program of Tests/ClientConsumer, which has a token cache and a store of tweaks of its own.
"""

import json
import re
import shutil
import stat
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import rig
from api import API
from echo import Request
from issuer import AUDIENCE, Issuer
from providers import Provider
from relay import Relay
from service import Service

# The client's clock is ahead by this number of seconds, so that it considers its token expired.
AHEAD = str(400 * 24 * 3600)
ROUNDS = 20
# Tokens of sessions, and ID tokens.
SECRET = re.compile(r"ll[sr]_[A-Za-z0-9_-]{8}|eyJ[A-Za-z0-9_-]{8}")
COMMAND_SECONDS = 60


class LossyRelay(Relay):
    """A relay that can lose responses to requests that the service has handled. It closes each connection after one request."""

    def __init__(self, service: int):
        super().__init__(service)
        self.lost = 0
        # The number of responses that will be lost, for requests of this path.
        self.losing: dict[str, int] = {}

    def lose(self, path: str, count: int = 1) -> None:
        self.losing[path] = count

    def answer(self, handler, request: Request, body: bytes) -> None:
        status, headers, content = self.forward(request, body)
        if self.losing.get(request.path, 0) > 0:
            self.losing[request.path] -= 1
            self.lost += 1
            handler.close_connection = True
        else:
            handler.say(status, [*headers, ("Connection", "close")], content)


@dataclass
class Consumer:
    """The program, and the provider of the service with its client ID."""

    binary: str
    provider: str = "demo"
    audience: str = AUDIENCE


class Client:
    """A process of the consumer. A context manager."""

    def __init__(self, consumer: Consumer, port: int, file: Path, kind: str = "preferences"):
        self.consumer = consumer
        self.command = [consumer.binary, f"http://127.0.0.1:{port}", str(file), kind]
        self.output = ""

    def __enter__(self) -> "Client":
        self.process = subprocess.Popen(
            self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        return self

    def __exit__(self, *_) -> None:
        self.process.stdin.close()
        self.process.wait(COMMAND_SECONDS)

    def __call__(self, *words: str) -> list[str]:
        """Returns the lines that a command printed."""
        self.process.stdin.write(" ".join(words) + "\n")
        self.process.stdin.flush()
        lines = []
        while line := self.process.stdout.readline():
            self.output += line
            lines.append(line.strip())
            if line == "done\n" or line.startswith("error "):
                return lines
        raise RuntimeError(f"the consumer ended: {self.output[-1000:]}")

    def sign_in(self, issuer: Issuer, subject: str, nonce: str | None = None) -> list[str]:
        begun = self("begin", self.consumer.provider)
        found = next(line.removeprefix("nonce ") for line in begun if line.startswith("nonce "))
        return begun + self("sign-in", issuer.token(subject, nonce or found, aud=self.consumer.audience))


def account_of(lines: list[str]) -> str:
    return next((line.removeprefix("account ") for line in lines if line.startswith("account ")), "")


def states(checks: rig.Checks, consumer: Consumer, api: API, issuer: Issuer, relay: LossyRelay, folder: Path) -> None:
    """Every state of a session, and what leads to it."""
    file = folder / "preferences.json"
    with Client(consumer, relay.port, file) as client:
        lines = client.sign_in(issuer, "ada")
        checks.that("state created" in lines and "state createdOpening" in lines, "a sign-in begins", lines)
        checks.that("state open" in lines, "a sign-in opens the session", lines)
        ada = account_of(lines)
        checks.equal(oct(stat.S_IMODE(file.stat().st_mode)), oct(0o600), "the tokens are in a private file")
        checks.that("name Ada" in client("rename", "Ada"), "an operation of the API is a method of the client")
        checks.that("level 1" in client("current"), "the session at the service has its level")
        client("keep", "EAA-1")
        client("ahead", AHEAD)
        checks.that("state openTokenExtended" in client("account"), "an expired token is refreshed before a request")
        relay.lose("/v1/resume")
        lines = client("account")
        checks.that(account_of(lines) == ada and relay.lost == 1, "a lost response of a refresh is repeated", lines)
        checks.that("state closed" in client("close"), "a session is closed, and its tokens are kept")
        checks.that("error invalid-state" in client("account"), "a closed session sends no requests")
        lines = client("new") + client("load")
        checks.that("state createdTokenLoaded" in lines, "the tokens are loaded", lines)
        checks.that("state open" in client("open"), "the tokens open another session")
        checks.equal(account_of(client("account")), ada, "it is the session of the same user")
        checks.that("token" in client("kept"), "the token of a provider is kept through refreshes and restarts")
        tokens = json.loads(file.read_text())["tokens"]
        checks.that("state closed" in client("sign-out"), "signing out closes the session")
        checks.that("no tokens" in client("cached"), "signing out clears the cache")
        refused = [
            api.call("GET", "/v1/account", token=tokens["sessionToken"]).code,
            api.call("POST", "/v1/resume", {"refreshToken": tokens["refreshToken"]}).code,
        ]
        checks.equal(refused, ["invalid-user-token"] * 2, "signing out revokes both tokens")
        client("ahead", "0")
        client("new")
        lines = client.sign_in(issuer, "ada", nonce="another")
        checks.that("state closedLoginFailed because of missing-or-invalid-nonce" in lines, "a refused token fails the sign-in", lines)
        client("new")
        client("begin", client.consumer.provider)
        checks.that("state closedLoginFailed" in client("cancel"), "a cancelled sign-in has failed")
        leaks(checks, client.output, "the consumer")


def endings(checks: rig.Checks, consumer: Consumer, api: API, issuer: Issuer, relay: LossyRelay, folder: Path) -> None:
    """Sessions that end elsewhere."""
    with Client(consumer, relay.port, folder / "other.json") as client:
        client.sign_in(issuer, "bob")
        elsewhere = api.sign_in("bob")
        [session] = [item["id"] for item in api.sessions(elsewhere.token) if not item["isCurrent"]]
        api.close(elsewhere.token, session)
        lines = client("account")
        checks.that("state closed because of invalid-user-token" in lines, "a session that was closed elsewhere is closed", lines)
        checks.that("no tokens" in client("cached"), "its tokens are removed from the cache")
        client("new")
        client.sign_in(issuer, "bob")
        client("close")
        client("new")
        client("load")
        relay.lose("/v1/resume", 2)
        client("ahead", AHEAD)
        lines = client("open")
        checks.that("error service-unreachable" in lines, "two lost responses leave the outcome open", lines)
        checks.that("tokens" in client("cached"), "the tokens are kept then")
        checks.that("state open" in client("open"), "the session opens once the service responds")
        client("close")
        client("new")
        client("load")
        api.must("DELETE", "/v1/sessions", token=api.sign_in("bob").token)
        lines = client("open")
        ended = "state closedLoginFailed because of invalid-user-token"
        checks.that(ended in lines, "kept tokens of a session that was closed elsewhere open no session", lines)
        checks.that("no tokens" in client("cached"), "they are removed from the cache")
        client("new")
        client.sign_in(issuer, "bob")
        api.must("DELETE", "/v1/account", token=api.sign_in("bob").token)
        lines = client("account")
        checks.that("state closed because of invalid-user-token" in lines, "a deleted account has no session", lines)
        checks.that("no tokens" in client("cached"), "the tokens of a deleted account are removed from the cache")
        leaks(checks, client.output, "the consumer")


def sharing(checks: rig.Checks, consumer: Consumer, issuer: Issuer, relay: LossyRelay, folder: Path) -> None:
    """Two processes with one file of tokens that refresh at the same time."""
    file = folder / "tokens"
    with (
        Client(consumer, relay.port, file, "tokens") as one,
        Client(consumer, relay.port, file, "tokens") as two,
        ThreadPoolExecutor(2) as pool,
    ):
        ada = account_of(one.sign_in(issuer, "ada"))
        two("load")
        two("open")
        for client in (one, two):
            client("ahead", AHEAD)
        seen = set()
        for _ in range(ROUNDS):
            seen |= set(pool.map(lambda client: account_of(client("account")), (one, two)))
        checks.equal(seen, {ada}, f"two processes refresh {ROUNDS} times at once, and none is signed out")
        checks.equal(oct(stat.S_IMODE(file.stat().st_mode)), oct(0o600), "their file is private")
        checks.equal([entry.name for entry in folder.glob("tokens*")], ["tokens"], "no temporary file is left")
        leaks(checks, one.output + two.output, "the consumers")


def tweaks(checks: rig.Checks, consumer: Consumer, relay: LossyRelay, folder: Path) -> None:
    file = folder / "tweaks.json"
    with Client(consumer, relay.port, file) as client:
        checks.that("pause 30" in client("tweak"), "a tweak has its default")
        checks.that("pause 60" in client("tweak", "60"), "a tweak is stored by the persistence of the application")
        checks.that("error invalid-value" in client("tweak", "601"), "a value out of range is refused")
    with Client(consumer, relay.port, file) as client:
        checks.that("pause 60" in client("tweak"), "another process reads the value")


def sessions(checks: rig.Checks, consumer: Consumer, api: API, folder: Path) -> None:
    """All checks of the consumer, with any server of the API."""
    with LossyRelay(api.port) as relay:
        states(checks, consumer, api, api.issuer, relay, folder)
        endings(checks, consumer, api, api.issuer, relay, folder)
        sharing(checks, consumer, api.issuer, relay, folder)
        tweaks(checks, consumer, relay, folder)


def leaks(checks: rig.Checks, output: str, name: str) -> None:
    found = SECRET.findall(output)
    checks.that(not found, f"{name} prints no token", found[:1])


@dataclass
class Login:
    """`verify-token login` for one user at one provider."""

    binary: str
    service: Service
    provider: Provider
    file: Path

    def run(self, *options: str, redirect_uri: str | None = None) -> tuple[int, str]:
        """Returns the exit status and the output; with a redirect URI, a browser logs in at the provider."""
        command = [
            self.binary, "login", "--service", f"http://127.0.0.1:{self.service.port}", "--session", str(self.file),
            "--allow-loopback-http", "--issuer", self.provider.issuer, *options,
        ]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        output = ""
        try:
            while redirect_uri and (line := process.stdout.readline()):
                output += line
                if line.startswith("http"):
                    callback = self.provider.do("visit", url=line.strip(), redirect_uri=redirect_uri)["url"]
                    port = urlsplit(redirect_uri).port
                    # A request that another page makes does not end the login.
                    rig.ask(port, "GET", "/callback?code=forged&state=forged")
                    rig.ask(port, "GET", callback.removeprefix(f"http://127.0.0.1:{port}"))
                    break
            output += process.stdout.read()
            return process.wait(COMMAND_SECONDS), output
        finally:
            process.kill()


def by_command(checks: rig.Checks, binary: str, folder: Path, name: str) -> None:
    """`verify-token login` at a third-party provider."""
    with Provider(name) as provider:
        port = rig.free_port()
        redirect_uri = f"http://127.0.0.1:{port}/callback"
        app = provider.do("register", redirect_uri=redirect_uri)
        service = Service(binary, folder, provider.issuer)
        service.settings["provider"]["demo"]["audiences"] = [app["client_id"]]
        with service:
            login = Login(binary, service, provider, folder / "session")
            options = ["--service-provider", "demo", "--client-id", app["client_id"], "--port", str(port)]
            if app["client_secret"]:
                secret = folder / "client-secret"
                secret.write_text(app["client_secret"] + "\n")
                options += ["--client-secret-file", str(secret)]
            status, first = login.run(*options, redirect_uri=redirect_uri)
            checks.that(status == 0 and "signed in: " in first, f"{name}: the command signs in", first)
            leaks(checks, first, f"{name}: the command")
            checks.equal(oct(stat.S_IMODE(login.file.stat().st_mode)), oct(0o600), f"{name}: the session is in a private file")
            status, again = login.run()
            same = status == 0 and again.strip() == first.strip().splitlines()[-1]
            checks.that(same, f"{name}: the next call shows the same user without a browser", again)
            status, output = login.run("--sign-out")
            checks.that(status == 0 and not login.file.exists(), f"{name}: signing out deletes the file", output)
            status, output = login.run()
            checks.that(status == 64, f"{name}: without a session, the options of a sign-in are required", output)


def main() -> int:
    binary, consumer = sys.argv[1:3]
    checks = rig.Checks("client")
    folder = Path(tempfile.mkdtemp(prefix="client-"))
    try:
        with Issuer() as issuer, Service(binary, folder / "service", issuer.url) as service:
            sessions(checks, Consumer(consumer), API(service.port, issuer), folder)
        for name in ("mock", "django", "toolkit", "nano", *(["glewlwyd"] if shutil.which("glewlwyd") else [])):
            by_command(checks, binary, folder / name, name)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return checks.end()


if __name__ == "__main__":
    sys.exit(main())
