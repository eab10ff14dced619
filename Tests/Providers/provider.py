"""Runs an OpenID provider on 127.0.0.1: logs users in, changes its keys, stops and restarts it.

usage: provider.py NAME

NAME is `mock` (oidc-provider-mock), `django` (django-oidc-provider), `toolkit` (django-oauth-toolkit), `nano` (NanoIDP), `pyop`
(pyop), `idpy` (idpyoidc) or `glewlwyd` (Glewlwyd). Each line of standard input is a JSON object with what to do; each is answered
with one line of JSON:

  {"do": "token", "user": "alice", "nonce": "…"}   {"id_token": …, "access_token": …, "sub": …}, by a login
  {"do": "visit", "user": "alice", "url": "…"}     {"url": …}: where the browser of somebody who logs in is sent back to
  {"do": "visit", …, "redirect_uri": "…"}          the same for a native app with this redirect URI
  {"do": "register", "redirect_uri": "…"}          {"client_id": …, "client_secret": …}: of a native app
  {"do": "service", "name": "…"}                   {"client_id": …, "client_secret": …}: of a client that acts for itself
                                                   (Glewlwyd)
  {"do": "protect", "resources": {"SCOPE": […]}}   issues tokens with a scope for these APIs, with a new key (Glewlwyd)
  {"do": "keys"}                                   {"keys": […]}, as it serves them
  {"do": "rotate"}                                 signs with a new key from now on, and serves no other
  {"do": "announce"}, {"do": "retire"}             the same in two steps, where the provider can: serves a second key
                                                   and signs with the first; then signs with the second, alone
  {"do": "stop"}, {"do": "start"}                  nobody listens any more; listens again, at the same port

The first line of output comes when it listens: {"issuer": …, "client_id": …, "client_secret": …, "redirect_url": …}. It
ends with standard input, and the server with it, however this program ends.
"""

import json
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
from pathlib import Path

import browser
import client
import glewlwyd
import serve_nanoidp

HERE = Path(__file__).resolve().parent
START_SECONDS = 60
STOP_SECONDS = 10


# Below the ephemeral ports of the system: a connection with such a port could occupy the port of a server that restarts.
PORTS = range(20_000, 32_000)


def free_port() -> int:
    while True:
        port = random.choice(PORTS)
        with socket.socket() as found:
            try:
                found.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port


class Provider:
    """A provider in a separate process. A context manager."""

    name: str
    path: str
    # Whether its tokens have a key ID, and whether it can publish a key before it signs with it.
    names_keys: bool
    can_announce: bool
    # Whether its ID tokens have the hash of the access token.
    has_hash = True

    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="provider-"))
        self.port = free_port()
        self.origin = f"http://127.0.0.1:{self.port}"
        self.issuer = self.origin + self.path
        # A document that it serves once it is ready.
        self.ready = f"{self.issuer}/.well-known/openid-configuration"
        self.server: subprocess.Popen | None = None

    def __enter__(self) -> "Provider":
        try:
            self.prepare()
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_) -> None:
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    @classmethod
    def is_installed(cls) -> bool:
        return True

    def prepare(self) -> None: ...

    def command(self) -> list[str]: ...

    def rotate(self) -> None: ...

    def start(self) -> None:
        """Starts the server, and waits until it responds."""
        if self.server is not None:
            return
        log = self.folder / "log.txt"
        with open(log, "ab") as output:
            self.server = subprocess.Popen(
                self.command(), stdin=subprocess.PIPE, stdout=output, stderr=output, cwd=HERE
            )
        limit = time.monotonic() + START_SECONDS
        while True:
            try:
                browser.fetch(self.ready)
                return
            except (urllib.error.URLError, ConnectionError, TimeoutError):
                if self.server.poll() is not None or time.monotonic() > limit:
                    self.stop()
                    raise RuntimeError(f"{self.name} does not start: {log.read_text()[-2000:]}") from None
                time.sleep(0.05)

    def stop(self) -> None:
        """Kills the server, so that its connections break."""
        if self.server is None:
            return
        server, self.server = self.server, None
        server.kill()
        server.stdin.close()
        server.wait(STOP_SECONDS)

    def restart(self) -> None:
        self.stop()
        self.start()

    def token(self, nonce: str, user: str = client.USERS[0]) -> dict:
        """Returns the ID token of a login, and the subject."""
        return browser.log_in(self.issuer, user, nonce)

    def register(self, redirect_uri: str) -> dict:
        """Registers a native app, and returns its credentials. This provider accepts any redirect URI, and no public client."""
        return {"client_id": client.ID, "client_secret": client.SECRET}

    def keys(self) -> list[dict]:
        """Returns the published keys."""
        metadata = browser.fetch(f"{self.issuer}/.well-known/openid-configuration")
        return browser.fetch(metadata["jwks_uri"])["keys"]


class Mock(Provider):
    """oidc-provider-mock, which generates its only key when it starts."""

    name, path = "oidc-provider-mock", ""
    names_keys, can_announce = False, False

    def command(self) -> list[str]:
        return [sys.executable, "serve_mock.py", str(self.port)]

    def rotate(self) -> None:
        self.restart()


class Pyop(Mock):
    """A provider with the library pyop, which generates its only key when it starts."""

    name, path = "pyop", ""
    names_keys, can_announce = True, False

    def command(self) -> list[str]:
        return [sys.executable, "serve_pyop.py", str(self.port)]


class IdPy(Pyop):
    """A provider with the library idpyoidc, which generates its only key when it starts."""

    name, path = "idpyoidc", ""
    has_hash = False

    def command(self) -> list[str]:
        return [sys.executable, "serve_idpyoidc.py", str(self.port)]


class Django(Provider):
    """django-oidc-provider, whose keys are in a database and change while it runs."""

    name, path = "django-oidc-provider", "/openid"
    names_keys, can_announce = True, True
    program = "serve_django.py"

    def prepare(self) -> None:
        self.manage("prepare")

    def command(self) -> list[str]:
        return [sys.executable, self.program, "serve", str(self.folder), str(self.port)]

    def register(self, redirect_uri: str) -> dict:
        self.manage("register", redirect_uri)
        return {"client_id": client.NATIVE_ID, "client_secret": None}

    def announce(self) -> None:
        self.manage("announce")

    def retire(self) -> None:
        self.manage("retire")

    def rotate(self) -> None:
        self.announce()
        self.retire()

    def manage(self, what: str, *words: str) -> None:
        command = [sys.executable, self.program, what, str(self.folder), *words]
        ran = subprocess.run(command, cwd=HERE, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if ran.returncode != 0:
            raise RuntimeError(f"{self.name} cannot {what}: {ran.stderr[-2000:]}")


class Toolkit(Django):
    """django-oauth-toolkit, whose keys are settings and change when it starts."""

    name, path = "django-oauth-toolkit", "/o"
    program = "serve_toolkit.py"

    def announce(self) -> None:
        self.manage("announce")
        self.restart()

    def retire(self) -> None:
        self.manage("retire")
        self.restart()


class Nano(Provider):
    """NanoIDP, whose key is in a file that it makes."""

    name, path = "NanoIDP", ""
    names_keys, can_announce = True, False

    def prepare(self) -> None:
        serve_nanoidp.configure(self.folder, self.port)

    def register(self, redirect_uri: str) -> dict:
        serve_nanoidp.configure(self.folder, self.port, redirect_uri)
        self.restart()
        return {"client_id": client.NATIVE_ID, "client_secret": None}

    def command(self) -> list[str]:
        return [sys.executable, "serve_nanoidp.py", str(self.folder), str(self.port)]

    def rotate(self) -> None:
        self.stop()
        shutil.rmtree(self.folder / "keys")
        self.start()


class Glewlwyd(Provider):
    """Glewlwyd, a program in C with its own implementation of JOSE. It requires PKCE, and has public clients."""

    name, path = "Glewlwyd", f"/api/{glewlwyd.PLUGIN}"
    names_keys, can_announce = True, False

    @classmethod
    def is_installed(cls) -> bool:
        return shutil.which("glewlwyd") is not None

    def prepare(self) -> None:
        self.configuration = glewlwyd.prepare(self.folder, self.port)
        self.ready = f"{self.origin}/config"
        self.administration: glewlwyd.Administration | None = None

    def command(self) -> list[str]:
        # The kernel kills it when this program ends for any reason.
        return ["setpriv", "--pdeathsig", "KILL", "--", "glewlwyd", "-c", str(self.configuration)]

    def start(self) -> None:
        super().start()
        if self.administration is None:
            self.administration = glewlwyd.Administration(self.origin)
            self.administration.add_all()

    def register(self, redirect_uri: str) -> dict:
        self.administration.add_client(client.NATIVE_ID, redirect_uri, confidential=False)
        return {"client_id": client.NATIVE_ID, "client_secret": None}

    def service(self, name: str) -> dict:
        """Adds a client that acts for itself, and returns its credentials."""
        self.administration.add_service(name)
        return {"client_id": name, "client_secret": client.SECRET}

    def protect(self, resources: dict[str, list[str]]) -> None:
        self.administration.protect(resources)

    def rotate(self) -> None:
        self.administration.rotate()


PROVIDERS = {"mock": Mock, "django": Django, "toolkit": Toolkit, "nano": Nano, "pyop": Pyop, "idpy": IdPy, "glewlwyd": Glewlwyd}


def obey(provider: Provider, order: dict) -> dict:
    match order["do"]:
        case "token":
            return provider.token(order["nonce"], order.get("user", client.USERS[0]))
        case "visit":
            person = browser.Browser(order.get("user", client.USERS[0]))
            return {"url": person.visit(order["url"], order.get("redirect_uri", client.REDIRECT_URI))}
        case "register":
            return provider.register(order["redirect_uri"])
        case "service":
            return provider.service(order["name"])
        case "protect":
            provider.protect(order["resources"])
            return {}
        case "keys":
            return {"keys": provider.keys()}
        case "rotate" | "announce" | "retire" | "stop" | "start" as what:
            getattr(provider, what)()
            return {}
    raise ValueError(f"cannot do {order['do']!r}")


def say(answer: dict) -> None:
    print(json.dumps(answer), flush=True)


def main() -> int:
    if len(sys.argv) != 2 or sys.argv[1] not in PROVIDERS:
        print(f"usage: provider.py {'|'.join(PROVIDERS)}", file=sys.stderr)
        return 64
    # On SIGTERM, the directory is removed too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    with PROVIDERS[sys.argv[1]]() as provider:
        about = {"client_id": client.ID, "client_secret": client.SECRET, "redirect_url": client.REDIRECT_URI}
        say({"issuer": provider.issuer} | about)
        for line in sys.stdin:
            try:
                say(obey(provider, json.loads(line)))
            except Exception as error:  # Every error is reported to the caller.
                say({"error": f"{type(error).__name__}: {error}"})
    return 0


if __name__ == "__main__":
    sys.exit(main())
