"""Helpers that all rigs share: child processes, free ports, raw HTTP requests, and the count of checks."""

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


# Below the system's ephemeral ports: an outgoing connection could otherwise occupy the port of a program that restarts, or
# connect to itself.
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
    """Polls a condition; raises TimeoutError with the description `what` if it is not met in time."""
    limit = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > limit:
            raise TimeoutError(f"not within {seconds:g} s: {what}")
        time.sleep(0.05)


def has_ipv6() -> bool:
    """Whether this machine has the IPv6 loopback address."""
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
    """A child process in its own process group, with its output in a file. A context manager."""

    def __init__(self, name: str, command: list[str], folder: Path, **options):
        # Where setpriv exists, the kernel kills the child when this process ends for any reason.
        lifeline = ["setpriv", "--pdeathsig", "KILL", "--"] if shutil.which("setpriv") else []
        self.name, self.command, self.options = name, lifeline + command, options
        self.log = folder / f"{name}.log"
        self.process: subprocess.Popen | None = None

    def start(self, ready: Callable[[], bool]) -> None:
        """Starts the program and returns when it is ready. If it exits first, the error contains its output."""
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
                raise RuntimeError(f"{self.name} exited with {self.process.returncode}:\n{self.last_words()}")
            return ready()

        try:
            wait_until(ready_or_ended, f"{self.name} is ready")
        except BaseException:
            self.kill()
            raise

    def words(self) -> str:
        """Returns the whole output."""
        return self.log.read_text(errors="replace")

    def last_words(self) -> str:
        return self.words()[-3000:]

    def stop(self) -> int | None:
        """Sends SIGTERM, and SIGKILL after `STOP_SECONDS`. Returns the exit status."""
        if self.process is None:
            return None
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            pass
        return self.kill()

    def kill(self) -> int | None:
        """Kills the program and its process group. Returns the exit status."""
        if self.process is None:
            return None
        process, self.process = self.process, None
        if process.poll() is None:
            # The program is the leader of its group, so the group contains only its own children.
            os.killpg(process.pid, signal.SIGKILL)
        return process.wait(STOP_SECONDS)

    def __enter__(self):
        return self

    def __exit__(self, *_) -> None:
        self.stop()


@dataclass
class Answer:
    """A response, with its headers unchanged."""

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
        """The code of a problem document (RFC 9457); None for other content."""
        return self.json().get("code") if "problem+json" in (self.header("Content-Type") or "") else None


# Python defines this Linux option only since 3.12.
BIND_ADDRESS_NO_PORT = getattr(socket, "IP_BIND_ADDRESS_NO_PORT", 24)


def connect(
    port: int,
    source: str = "127.0.0.1",
    receives: int | None = None,
    seconds: float = ANSWER_SECONDS,
    address: str = "127.0.0.1",
) -> socket.socket:
    """Opens a connection between two addresses of this machine, with a receive buffer of `receives` bytes if given."""
    client = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET)
    try:
        if receives is not None:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receives)
        client.settimeout(seconds)
        # The kernel chooses the port at connect time, so it can reuse a port that is free for this destination only. A port
        # chosen at bind time must be free for all destinations, and thousands of connections exhaust those.
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
    """Sends one request on a new connection. Adds no headers except Host and Content-Length."""
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


def request(target: str, body: object = None, headers: Iterable[tuple[str, str]] = ()) -> bytes:
    """Returns the bytes of a request on a persistent connection. `target` is its method and path; the body is sent as JSON."""
    lines = [f"{target} HTTP/1.1", "Host: localhost", "Accept: application/json"]
    lines += [f"{name}: {value}" for name, value in headers]
    data = b""
    if body is not None:
        data = json.dumps(body).encode()
        lines += ["Content-Type: application/json", f"Content-Length: {len(data)}"]
    return "\r\n".join([*lines, "", ""]).encode() + data


def trusting(certificate: Path) -> ssl.SSLContext:
    """Returns a TLS context that trusts only this certificate."""
    return ssl.create_default_context(cafile=str(certificate))


class Checks:
    """Counts checks. Prints a failure immediately and continues."""

    def __init__(self, name: str):
        self.name, self.count, self.failed = name, 0, 0

    def that(self, holds: bool, sentence: str, seen: object = "") -> bool:
        self.count += 1
        if not holds:
            self.failed += 1
            print(f"{self.name}: FAILED: {sentence}{f'; seen: {seen}' if seen != '' else ''}", file=sys.stderr, flush=True)
        return holds

    def equal(self, seen: object, expected: object, sentence: str) -> bool:
        return self.that(seen == expected, f"{sentence} ({expected!r})", repr(seen))

    def end(self) -> int:
        """Prints the totals and returns the exit status."""
        print(
            f"{self.name}: {self.count} checks, {self.failed} failed"
            if self.failed
            else f"{self.name}: {self.count} checks passed"
        )
        return 1 if self.failed else 0
