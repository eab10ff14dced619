"""What every rig needs: programs that end with it, ports, HTTP as it is on the wire, and a list of what was checked."""

import http.client
import json
import os
import random
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
ANSWER_SECONDS = 30
START_SECONDS = 60
STOP_SECONDS = 20


# Below what the system gives to connections: one of those could otherwise sit at the port of a program that starts again, or meet
# itself there.
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


def wait_until(condition: Callable[[], bool], what: str, seconds: float = START_SECONDS) -> None:
    """Asks again and again, and says what did not come about."""
    limit = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > limit:
            raise TimeoutError(f"{what}: not within {seconds:g} s")
        time.sleep(0.05)


def has_ipv6() -> bool:
    """Whether this machine speaks IPv6 with itself."""
    try:
        with socket.socket(socket.AF_INET6) as found:
            found.bind(("::1", 0))
    except OSError:
        return False
    return True


def listens(port: int) -> bool:
    with socket.socket() as there:
        there.settimeout(1)
        return there.connect_ex(("127.0.0.1", port)) == 0


class Program:
    """A program of ours in a process group of its own, with its output in a file. To be used with `with`."""

    def __init__(self, name: str, command: list[str], folder: Path, **options):
        # Where it can be said, it ends with us, however we end.
        lifeline = ["setpriv", "--pdeathsig", "KILL", "--"] if shutil.which("setpriv") else []
        self.name, self.command, self.options = name, lifeline + command, options
        self.log = folder / f"{name}.log"
        self.process: subprocess.Popen | None = None

    def start(self, ready: Callable[[], bool]) -> None:
        """Returns when it is ready; whatever it said is part of the error if it ends instead."""
        with open(self.log, "ab") as output:
            self.process = subprocess.Popen(
                self.command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
                **self.options,
            )

        def ready_or_ended() -> bool:
            if self.process.poll() is not None:
                raise RuntimeError(f"{self.name} ended with {self.process.returncode}:\n{self.last_words()}")
            return ready()

        try:
            wait_until(ready_or_ended, f"{self.name} is ready")
        except BaseException:
            self.kill()
            raise

    def words(self) -> str:
        """All that it has said."""
        return self.log.read_text(errors="replace")

    def last_words(self) -> str:
        return self.words()[-3000:]

    def stop(self) -> int | None:
        """Asks it to end, and insists after a while. Returns its status."""
        if self.process is None:
            return None
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            pass
        return self.kill()

    def kill(self) -> int | None:
        """Ends it, and what it started, without asking. Returns its status."""
        if self.process is None:
            return None
        process, self.process = self.process, None
        if process.poll() is None:
            # What is left of its group is its own: the group began with it.
            os.killpg(process.pid, signal.SIGKILL)
        return process.wait(STOP_SECONDS)

    def __enter__(self):
        return self

    def __exit__(self, *_) -> None:
        self.stop()


@dataclass
class Answer:
    """What came back, its headers as they were sent."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes

    def header(self, name: str) -> str | None:
        found = [value for key, value in self.headers if key.lower() == name.lower()]
        return ", ".join(found) if found else None

    def json(self):
        return json.loads(self.body)

    @property
    def code(self) -> str | None:
        """The code of a problem."""
        return self.json().get("code") if "problem+json" in (self.header("Content-Type") or "") else None


# Python names this option of Linux from 3.12 on only.
BIND_ADDRESS_NO_PORT = getattr(socket, "IP_BIND_ADDRESS_NO_PORT", 24)


def connect(
    port: int,
    source: str = "127.0.0.1",
    receives: int | None = None,
    seconds: float = ANSWER_SECONDS,
    address: str = "127.0.0.1",
) -> socket.socket:
    """A connection from one address of this machine to another, with a receive buffer of so many bytes if that is given."""
    client = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET)
    try:
        if receives is not None:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receives)
        client.settimeout(seconds)
        # The port is chosen when the connection is made: then a port that another connection has left can serve again.
        # Chosen when the address is bound, it must be free of every connection, and thousands of them leave none.
        client.setsockopt(socket.IPPROTO_IP, BIND_ADDRESS_NO_PORT, 1)
        client.bind((source, 0))
        client.connect((address, port))
    except BaseException:
        client.close()
        raise
    return client


def ask(
    port: int,
    method: str,
    path: str,
    headers: Iterable[tuple[str, str]] = (),
    body: bytes | None = None,
    tls: ssl.SSLContext | None = None,
    host: str | None = None,
    seconds: float = ANSWER_SECONDS,
    source: str = "127.0.0.1",
    address: str = "127.0.0.1",
) -> Answer:
    """One request on a connection of its own. Nothing is added to the headers but Host and Content-Length."""
    connection = http.client.HTTPConnection(address, port, timeout=seconds)
    connection.sock = connect(port, source, seconds=seconds, address=address)
    try:
        if tls is not None:
            connection.sock = tls.wrap_socket(connection.sock, server_hostname=host)
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        connection.putheader("Host", host or f"127.0.0.1:{port}")
        for name, value in headers:
            connection.putheader(name, value)
        if body is not None:
            connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body)
        response = connection.getresponse()
        return Answer(response.status, response.getheaders(), response.read())
    finally:
        connection.close()


def trusting(certificate: Path) -> ssl.SSLContext:
    """Believes this one certificate."""
    return ssl.create_default_context(cafile=str(certificate))


class Checks:
    """What was looked at. A failure is said at once, and everything else is looked at nevertheless."""

    def __init__(self, name: str):
        self.name, self.count, self.failed = name, 0, 0

    def that(self, holds: bool, sentence: str, seen: object = "") -> bool:
        self.count += 1
        if not holds:
            self.failed += 1
            print(f"{self.name}: NOT: {sentence}{f'; seen: {seen}' if seen != '' else ''}", file=sys.stderr, flush=True)
        return holds

    def equal(self, seen: object, expected: object, sentence: str) -> bool:
        return self.that(seen == expected, f"{sentence} ({expected!r})", repr(seen))

    def end(self) -> int:
        """Prints the sum, and returns the status to end with."""
        print(
            f"{self.name}: {self.count} checks, {self.failed} failed"
            if self.failed
            else f"{self.name}: {self.count} checks passed"
        )
        return 1 if self.failed else 0
