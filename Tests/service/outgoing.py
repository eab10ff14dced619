"""Checks that the service and the command reach an issuer through outgoing proxies of other authors, and only through those.

usage: outgoing.py SERVICE_BINARY

squid and tinyproxy open tunnels to an issuer with TLS on this machine, which is reached by the name of the machine: the service may
not reach the address itself. A proxy without the right credentials, or with a rule against private addresses, leads nowhere. The
service ignores the environment, and the command follows it.
"""

import json
import os
import re
import socket
import ssl
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import rig
from issuer import Issuer
from proxy import certificate
from service import Service

# The name leads to a private address, and does not mean this machine, which is never reached through a proxy.
NAME = socket.gethostname().lower()
COMMAND_SECONDS = 60
LOG_SECONDS = 10


class SecureIssuer(Issuer):
    """An issuer with TLS at the name of the machine."""

    def __init__(self, folder: Path):
        super().__init__(address="0.0.0.0")
        certificate(folder, NAME)
        self.authorities = folder / "cert.pem"
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.authorities, folder / "key.pem")
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.url = f"https://{NAME}:{self.server.server_port}"


class Proxy(rig.Program):
    """An outgoing proxy on a free port. Its log names the tunnels."""

    def __init__(self, name: str, folder: Path, port: int, command: list[str], environment: dict[str, str] | None = None):
        super().__init__(name, command, folder, **({"env": environment} if environment else {}))
        self.port, self.folder = port, folder

    def __enter__(self) -> "Proxy":
        self.start(lambda: rig.listens(self.port))
        return self

    def tunnels(self) -> int:
        """Returns the number of tunnels that were requested so far."""
        # tinyproxy begins lines with the word too, as a level.
        texts = (file.read_text(errors="replace") for file in self.folder.glob("*.log"))
        return sum(len(re.findall(r"CONNECT \S+:\d+", text)) for text in texts)


def squid(folder: Path, rules: str = "") -> Proxy:
    folder.mkdir()
    folder.chmod(0o777)
    port = rig.free_port()
    configuration = folder / "squid.conf"
    configuration.write_text(
        f"http_port 127.0.0.1:{port}\nvisible_hostname rig\n{rules}http_access allow CONNECT\nhttp_access deny all\ncache deny all\n"
        f"access_log stdio:{folder}/access.log\ncache_log {folder}/cache.log\npid_filename none\ncoredump_dir {folder}\n"
        "shutdown_lifetime 1 second\n"
    )
    return Proxy("squid", folder, port, ["squid", "-N", "-f", str(configuration)])


def tinyproxy(folder: Path, rules: str = "") -> Proxy:
    folder.mkdir()
    port = rig.free_port()
    configuration = folder / "tinyproxy.conf"
    configuration.write_text(f'Port {port}\nListen 127.0.0.1\nTimeout 60\nAllow 127.0.0.1\nLogLevel Connect\n{rules}')
    return Proxy("tinyproxy", folder, port, ["tinyproxy", "-d", "-c", str(configuration)])


class Bench:
    """Runs the service and the command, and compares the requests to the issuer with the tunnels of a proxy."""

    def __init__(self, checks: rig.Checks, binary: str, folder: Path, issuer: SecureIssuer):
        self.checks, self.binary, self.folder, self.issuer = checks, binary, folder, issuer
        self.runs = 0

    def service(self, environment: dict[str, str] | None = None, **settings) -> int:
        """Starts a service with these settings, and returns the status of the verification of a valid token."""
        self.runs += 1
        settings = {"ca-file": str(self.issuer.authorities)} | settings
        service = Service(self.binary, self.folder / f"service-{self.runs}", self.issuer.url, **settings)
        service.options["env"] = os.environ | (environment or {})
        service.write()
        service.start(service.alive)
        try:
            body = json.dumps({"policy": "demo", "token": self.issuer.token("subject", nonce="n"), "nonce": "n"}).encode()
            return rig.ask(service.port, "POST", "/v1/verify", [("Content-Type", "application/json")], body).status
        finally:
            service.stop()

    def command(self, environment: dict[str, str]) -> int:
        """Runs `keys` with these variables, and returns the exit status."""
        words = ["keys", "--issuer", self.issuer.url, "--ca-file", str(self.issuer.authorities)]
        ran = subprocess.run(
            [self.binary, *words], env=os.environ | environment, capture_output=True, timeout=COMMAND_SECONDS, check=False
        )
        return ran.returncode

    def expect(self, proxy: Proxy, run: Callable[[], int], status: int, tunneled: bool, sentence: str) -> None:
        """Checks the status of a run, and that each of its requests, or none, has a tunnel."""
        asked, tunnels = len(self.issuer.asked), proxy.tunnels()
        self.checks.equal(run(), status, sentence)
        expected = tunnels + (len(self.issuer.asked) - asked if tunneled else 0)
        try:
            # squid logs a tunnel when it ends.
            rig.wait_until(lambda: proxy.tunnels() == expected, "each request has its tunnel", LOG_SECONDS)
        except TimeoutError:
            self.checks.equal(proxy.tunnels(), expected, f"tunnels: {sentence}")

    def through(self, proxy: Proxy) -> None:
        """Checks the service and the command with a proxy that opens tunnels to every address."""
        url, name = f"http://127.0.0.1:{proxy.port}", proxy.name
        network = {"allow-networks": [socket.gethostbyname(NAME)]}
        exempt = network | {"outgoing-proxy": url, "outgoing-proxy-exceptions": [NAME]}
        for run, status, tunneled, sentence in [
            (lambda: self.service(**{"outgoing-proxy": url}), 200, True, f"the service fetches keys through {name}"),
            (lambda: self.service(**exempt), 200, False, f"the service reaches an exception without {name}"),
            (lambda: self.service({"HTTPS_PROXY": url}), 503, False, "the service ignores HTTPS_PROXY"),
            (lambda: self.command({"HTTPS_PROXY": url}), 0, True, f"the command fetches keys through {name}"),
            (lambda: self.command({"HTTPS_PROXY": url, "NO_PROXY": NAME}), 2, False, "the command follows NO_PROXY"),
        ]:
            self.expect(proxy, run, status, tunneled, sentence)


def main() -> int:
    if len(sys.argv) != 2:
        print("usage: outgoing.py SERVICE_BINARY", file=sys.stderr)
        return 64
    checks = rig.Checks("outgoing")
    with tempfile.TemporaryDirectory(prefix="outgoing-") as name:
        folder = Path(name)
        # squid gives up its privileges.
        folder.chmod(0o755)
        with SecureIssuer(folder) as issuer:
            bench = Bench(checks, sys.argv[1], folder, issuer)
            with squid(folder / "squid") as proxy:
                bench.through(proxy)
            rules = f"acl internal dst {socket.gethostbyname(NAME)}\nhttp_access deny internal\n"
            with squid(folder / "strict", rules) as proxy:
                status = bench.service(**{"outgoing-proxy": f"http://127.0.0.1:{proxy.port}"})
                checks.equal(status, 503, "squid refuses a private address")
            with tinyproxy(folder / "tinyproxy") as proxy:
                bench.through(proxy)
            with tinyproxy(folder / "guarded", "BasicAuth rig word\n") as proxy:
                file = folder / "credentials"
                file.touch(0o600)
                settings = {
                    "outgoing-proxy": f"http://127.0.0.1:{proxy.port}", "outgoing-proxy-credentials-file": str(file),
                }
                for credentials, status in (("rig:word", 200), ("rig:other", 503)):
                    file.write_text(credentials + "\n")
                    checks.equal(bench.service(**settings), status, f"tinyproxy, with the credentials {credentials}")
    return checks.end()


if __name__ == "__main__":
    # Debian installs squid there.
    os.environ["PATH"] += ":/usr/sbin"
    sys.exit(main())
