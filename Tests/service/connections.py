"""Checks that no client can block other clients by the use of its connections.

usage: connections.py SERVICE_BINARY

Clients pipeline thousands of requests, do not read responses, never complete a request, a head or a TLS handshake, ignore
Connection: close, or open more connections than permitted. Meanwhile an ordinary request must get its response.
"""

import http.client
import json
import re
import resource
import select
import shutil
import signal
import socket
import struct
import sys
import tempfile
import time
from contextlib import ExitStack, closing
from pathlib import Path
from threading import Event, Thread

import rig
import slow
from admin import Admin
from api import API, bearer
from issuer import Issuer
from proxy import HOST, certificate
from service import Service

# The maximum time for the response to an ordinary request meanwhile, also with a debug build of the service.
PATIENCE_SECONDS = 5
# The connections of a service that more clients hold without reading responses.
DEAF_CONNECTIONS = 40
# The open files that are permitted when the service starts, and its connections.
FEW_FILES = 256
# The service's timeouts for a client that does not read, and for one that ignores Connection: close.
DEAF_SECONDS, LINGER_SECONDS = 30, 5
# The time in which a connection above the limit must get no response.
WAITING_SECONDS = 2
# For requests that never end: the connection limit, and the number of clients, which is larger because the listener accepts in
# batches and may exceed the limit slightly.
ENDLESS_CONNECTIONS, ENDLESS_CLIENTS = 20, 32
# The service's timeouts, the interval of the clients' bytes, and the maximum time for another client's response, which is less
# than the 75 seconds of an idle connection.
TIMEOUT_SECONDS, DRIP_SECONDS, RELEASE_SECONDS = 3, 0.5, 60
ENDLESS_LENGTH = 60_000
# The first bytes of a TLS record with a ClientHello of 512 bytes.
HALF_HELLO = bytes.fromhex("1603010200010001fc0303")
# The number of connections that are reset right after a request.
RESETS = 150
# Of the checks of slow bodies: their number, which is that of the service's connections, and that of their networks if there are
# many. Of the admin listener: connections of each kind, more than it keeps.
SLOW_BODIES, SLOW_NETWORKS, ADMIN_CONNECTIONS = 800, 80, 150
# More connections than the service has.
HELD_CONNECTIONS = 900
# The connection limit per network in its check, and the addresses of two other networks.
NETWORK_CONNECTIONS, OTHER_NETWORK, PROXY_NETWORK = 5, "127.0.1.1", "127.0.2.1"


def request(path: str, method: str = "GET", head: str = "", body: bytes = b"") -> bytes:
    return f"{method} {path} HTTP/1.1\r\nHost: localhost\r\n{head}\r\n".encode() + body


def answers(client: socket.socket, count: int) -> list[int]:
    """Reads responses and returns their statuses, in order."""
    with closing(client.makefile("rb")) as reader:
        statuses = []
        for _ in range(count):
            statuses.append(int(reader.readline().split()[1]))
            length = 0
            while (line := reader.readline()) not in (b"\r\n", b""):
                name, _, value = line.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
            reader.read(length)
        return statuses


def healthy(checks: rig.Checks, service: Service, sentence: str) -> None:
    begun = time.monotonic()
    status = rig.ask(service.port, "GET", "/healthz", seconds=60).status
    took = time.monotonic() - begun
    checks.that(status == 200 and took < PATIENCE_SECONDS, sentence, f"{status} after {took:.1f} s")


def greedy(checks: rig.Checks, service: Service) -> None:
    """Pipelined requests get their responses in order, and do not delay other clients."""
    with closing(rig.connect(service.port)) as client:
        refused = request("/v1/sign-in", "POST", "Content-Length: 0\r\n") * 2
        client.sendall(request("/healthz") * 3 + request("/nowhere") + refused)
        checks.equal(answers(client, 6), [200, 200, 200, 404, 415, 415], "pipelined requests get their responses in order")
    with closing(rig.connect(service.port)) as client:
        for byte in request("/healthz") * 2:
            client.sendall(bytes([byte]))
        checks.equal(answers(client, 2), [200, 200], "requests that arrive byte by byte get their responses")
    with ExitStack() as stack:
        clients = [stack.enter_context(closing(rig.connect(service.port))) for _ in range(10)]
        for client in clients:
            client.setblocking(False)
            try:
                client.send(request("/nowhere") * 8_000)
            except BlockingIOError:
                pass
        for _ in range(5):
            healthy(checks, service, "another client gets its response beside thousands of pipelined requests")
    healthy(checks, service, "a client gets its response after the others have closed")


def deaf(checks: rig.Checks, binary: str, folder: Path, issuer: Issuer) -> None:
    """The connection of a client that does not read is closed after a timeout."""
    with Service(binary, folder, issuer.url, connections=3) as service, ExitStack() as stack:
        clients = [stack.enter_context(closing(rig.connect(service.port, receives=4096))) for _ in range(3)]
        for client in clients:
            client.sendall(request("/healthz"))
            checks.equal(answers(client, 1), [200], "a client gets its response")
        begun = time.monotonic()
        for client in clients:
            client.setblocking(False)
            try:
                client.send(request("/openapi.json") * 200)
            except BlockingIOError:
                pass
        answer = rig.ask(service.port, "GET", "/healthz", seconds=DEAF_SECONDS * 3)
        took = time.monotonic() - begun
        checks.equal(answer.status, 200, "a client gets its response after those that do not read are disconnected")
        checks.that(took > DEAF_SECONDS / 2, "clients have time to read", f"{took:.1f} s")
    with Service(binary, folder, issuer.url) as service, closing(rig.connect(service.port, receives=4096)) as client:
        client.sendall(request("/openapi.json") * 4)
        time.sleep(1)
        checks.equal(answers(client, 4), [200] * 4, "a client that reads late receives everything")


def deaf_and_many(checks: rig.Checks, binary: str, folder: Path, issuer: Issuer) -> None:
    """Clients that pipeline requests and read no response give way to one that connects."""
    with Service(binary, folder, issuer.url, connections=DEAF_CONNECTIONS) as service, ExitStack() as stack:
        for number in range(DEAF_CONNECTIONS * 3 // 2):
            client = rig.connect(service.port, source=f"127.{number // 8 + 1}.0.1", receives=4096)
            stack.enter_context(closing(client))
            client.sendall(request("/openapi.json") * 20)
        healthy(checks, service, "a client gets its response beside many that read none")


def permitted_files(checks: rig.Checks, binary: str, folder: Path, issuer: Issuer) -> None:
    """The service raises its limit of open files to what its connections need."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (FEW_FILES, before[1]))
    try:
        with Service(binary, folder, issuer.url, connections=FEW_FILES) as service:
            limits = Path(f"/proc/{service.process.pid}/limits").read_text()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
    permitted = int(re.search(r"Max open files +(\d+)", limits)[1])
    checks.that(permitted >= FEW_FILES + 328, "the limit of open files is raised", permitted)


def told_to_end(checks: rig.Checks, service: Service) -> None:
    """After a response with Connection: close the service reads nothing more, and the client receives the response."""
    for name, head in (("a length", "Content-Length: 1000000000000"), ("chunks", "Transfer-Encoding: chunked")):
        with closing(rig.connect(service.port)) as client:
            client.sendall(request("/v1/sign-in", "POST", f"Content-Type: application/json\r\n{head}\r\n"))
            piece = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
            try:
                for _ in range(10):
                    client.sendall(piece)
            except OSError:
                pass
            checks.equal(answers(client, 1), [413], f"a client receives the refusal of a body too large by {name}")
            begun = time.monotonic()
            try:
                rest = client.recv(1)
                while time.monotonic() - begun < LINGER_SECONDS * 4:
                    client.sendall(b"x")
                    time.sleep(0.2)
            except OSError:
                rest = b""
            took = time.monotonic() - begun
            checks.that(rest == b"" and took < LINGER_SECONDS * 3, "the connection is closed after the refusal", f"{took:.1f} s")


def drip(clients: list[socket.socket], piece: bytes, done: Event) -> None:
    """Sends a piece on each connection at intervals, ignoring responses, until `done` is set."""
    for client in clients:
        client.setblocking(False)
    while not done.wait(DRIP_SECONDS):
        for client in clients:
            try:
                client.send(piece)
            except OSError:
                pass


def never_finished(checks: rig.Checks, binary: str, folder: Path, issuer: Issuer) -> None:
    """The connection of a client that never completes a request is closed after a timeout."""
    length = f"Content-Length: {ENDLESS_LENGTH}\r\n"
    chunks = "Transfer-Encoding: chunked\r\n"
    form = "Content-Type: application/json\r\n"
    kinds = {
        "a body that no handler reads": (request("/healthz", head=length), b"x"),
        "chunks that no handler reads": (request("/nowhere", head=chunks), b"1\r\nx\r\n"),
        "a body of a refused request": (request("/v1/sign-out", "POST", length), b"x"),
        "a body that a handler reads": (request("/v1/verify", "POST", form + length), b" "),
        "chunks that a handler reads": (request("/v1/verify", "POST", form + chunks), b"1\r\n \r\n"),
        "nothing": (b"", b""),
        "one byte": (b"G", b""),
        "a head, a byte at a time": (b"GET /healthz HTTP/1.1\r\nX: ", b"x"),
    }
    folder.mkdir(exist_ok=True)
    certificate(folder)
    files = {"certificate-file": str(folder / "cert.pem"), "key-file": str(folder / "key.pem")}
    settings = {
        "connections": ENDLESS_CONNECTIONS,
        "head-timeout": TIMEOUT_SECONDS,
        "request-timeout": TIMEOUT_SECONDS,
    }
    with Service(binary, folder / "plain", issuer.url, **settings) as service:
        for name, (begin, piece) in kinds.items():
            holding(checks, service, name, begin, piece)
    service = Service(
        binary, folder / "tls", issuer.url, tls=files, **settings | {"public-url": f"https://{HOST}"}
    )
    service.trust = {"tls": rig.trusting(folder / "cert.pem"), "host": HOST}
    with service:
        holding(checks, service, "half a TLS handshake", HALF_HELLO, b"")


def holding(checks: rig.Checks, service: Service, name: str, begin: bytes, piece: bytes) -> None:
    """Occupies all connections with requests that never end; another client must get its response."""
    done = Event()
    with ExitStack() as stack:
        # Each client is in another network: the service would accept ten connections of one network.
        sources = [f"127.0.{number + 10}.1" for number in range(ENDLESS_CLIENTS)]
        clients = [stack.enter_context(closing(rig.connect(service.port, source=source))) for source in sources]
        for client in clients:
            client.sendall(begin)
        dripping = Thread(target=drip, args=(clients, piece, done))
        dripping.start()
        begun = time.monotonic()
        try:
            status = rig.ask(service.port, "GET", "/healthz", seconds=RELEASE_SECONDS, **service.trust).status
        except OSError as error:
            status = repr(error)
        took = time.monotonic() - begun
        done.set()
        dripping.join()
    checks.equal(status, 200, f"a client gets its response while all connections send {name}")
    checks.that(took < RELEASE_SECONDS, "a client gets its response in time", f"{name}: {took:.1f} s")


def answered_early(checks: rig.Checks, service: Service) -> None:
    """The response to an incomplete request has Connection: close, and the service closes the connection."""
    with closing(rig.connect(service.port)) as client:
        client.sendall(request("/healthz", head=f"Content-Length: {ENDLESS_LENGTH}\r\n"))
        answer = http.client.HTTPResponse(client)
        answer.begin()
        answer.read()
        checks.equal(answer.status, 200, "a request gets its response before its body is complete")
        checks.equal(answer.getheader("Connection"), "close", "the response has Connection: close")
        checks.equal(client.recv(1), b"", "the service closes the connection")


def answered_unread(checks: rig.Checks, service: Service) -> None:
    with closing(rig.connect(service.port)) as client:
        client.sendall(request("/healthz", head="Content-Length: 4\r\n", body=b"xxxx") + request("/healthz"))
        checks.equal(answers(client, 2), [200, 200], "the connection stays open after a complete body")


def hosts(checks: rig.Checks, service: Service) -> None:
    """HTTP/1.1 without Host, or with two, is malformed (RFC 9112 §3.2)."""
    for name, head, status in (
        ("no Host", "GET /healthz HTTP/1.1\r\n", 400),
        ("two Hosts", "GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n", 400),
        ("no Host and HTTP/1.0", "GET /healthz HTTP/1.0\r\n", 200),
    ):
        with closing(rig.connect(service.port)) as client:
            client.sendall(f"{head}\r\n".encode())
            checks.equal(answers(client, 1), [status], f"the status is right for {name}")


def is_answered(service: Service, source: str) -> bool:
    """Whether a new connection from an address gets a response: one above the limit of its network is closed."""
    try:
        return rig.ask(service.port, "GET", "/healthz", source=source).status == 200
    except (OSError, http.client.HTTPException):
        return False


def networks(checks: rig.Checks, binary: str, folder: Path, issuer: Issuer) -> None:
    """The connections of one network are limited, and do not reduce those of others."""
    settings = {"connections-per-network": NETWORK_CONNECTIONS, "trusted-proxies": [PROXY_NETWORK]}
    with Service(binary, folder, issuer.url, **settings) as service, ExitStack() as stack:
        rig.wait_until(lambda: is_answered(service, "127.0.0.1"), "the connections of the start are closed")

        def open_from(source: str) -> socket.socket:
            client = stack.enter_context(closing(rig.connect(service.port, source=source)))
            client.sendall(request("/healthz"))
            checks.equal(answers(client, 1), [200], "connections up to the limit of a network get responses")
            return client

        taken = [open_from(f"127.0.0.{number + 1}") for number in range(NETWORK_CONNECTIONS)]
        checks.that(not is_answered(service, "127.0.0.99"), "a connection above the limit of its network is closed")
        checks.that(is_answered(service, OTHER_NETWORK), "a client of another network gets its response")
        for client in taken:
            client.sendall(request("/healthz"))
            checks.equal(answers(client, 1), [200], "the connections within the limit stay usable")
        taken[0].close()
        rig.wait_until(lambda: is_answered(service, "127.0.0.99"), "a new connection is accepted after one is closed")
        for _ in range(NETWORK_CONNECTIONS * 2):
            open_from(PROXY_NETWORK)


def slow_bodies(checks: rig.Checks, binary: str, folder: Path, issuer: Issuer) -> None:
    """Slow bodies that a trusted proxy passes on, of one network or of many, keep no other client from the service."""
    with Service(binary, folder, issuer.url, **{"trusted-proxies": ["127.0.0.1/32"]}) as service:
        known = bearer(API(service.port, issuer).sign_in().token)
        victim = ("X-Forwarded-For", "203.0.113.7")
        questions = {"/login": [], "/healthz": [], "/v1/forward-auth": known, "/v1/session": known}
        for clients in (1, SLOW_NETWORKS):
            with ExitStack() as stack:
                taken = []
                for number in range(SLOW_BODIES):
                    client = stack.enter_context(closing(rig.connect(service.port)))
                    address = f"198.51.{number % clients}.1"
                    client.sendall(slow.head("localhost", **{"X-Forwarded-For": address}))
                    taken.append(client)
                    # A proxy gives up a connection whose request is refused.
                    taken = [one for one in taken if not refused(checks, one)]
                for path, headers in list(questions.items()) * 2:
                    answer = rig.ask(service.port, "GET", path, [*headers, victim])
                    checks.equal(answer.status, 200, f"{path} is answered beside slow bodies of {clients} networks")
                if clients == 1:
                    headers = [("Content-Type", "application/json"), victim]
                    answer = rig.ask(service.port, "POST", slow.PATH, headers, b'{"token":"x","policy":"none"}')
                    checks.equal(answer.code, "unknown-policy", "a whole body of another network is read beside slow ones")


def held(checks: rig.Checks, binary: str, folder: Path, issuer: Issuer) -> None:
    """Connections that a trusted proxy holds without using them keep no other client from the service."""
    with Service(binary, folder, issuer.url, **{"trusted-proxies": ["127.0.0.1/32"]}) as service, ExitStack() as stack:
        for _ in range(HELD_CONNECTIONS):
            client = stack.enter_context(closing(rig.connect(service.port)))
            client.sendall(request("/healthz"))
            checks.equal(answers(client, 1), [200], "a new connection gets a response, however many are held")


def refused(checks: rig.Checks, client: socket.socket) -> bool:
    """Whether a request has its response, which must be that of too many bodies; or its connection was closed."""
    if not select.select([client], [], [], 0)[0]:
        return False
    try:
        answer = http.client.HTTPResponse(client)
        answer.begin()
        seen = (answer.status, answer.getheader("Retry-After"), answer.getheader("Connection"))
        checks.equal(seen, (429, "5", "close"), "a slow body above the limit is refused unread")
        answer.close()
    except (OSError, http.client.HTTPException):
        # A body that was too slow.
        pass
    client.close()
    return True


def admin_kept(checks: rig.Checks, binary: str, folder: Path, issuer: Issuer) -> None:
    """Other users of the machine cannot keep operators off the admin listener with connections of their own."""
    admin = Admin(folder / "admin")
    with Service(binary, folder, issuer.url, admin=admin.settings) as service, ExitStack() as stack:
        begun = {"nothing": b"", "an incomplete head": b"GET / HTTP/1.1\r\n", "a complete request": request("/sign-in")}
        begun["an incomplete body"] = request("/sign-in", "POST", "Content-Length: 1000\r\n", b"x")
        for name, sent in begun.items():
            for _ in range(ADMIN_CONNECTIONS):
                client = stack.enter_context(closing(rig.connect(admin.port)))
                client.sendall(sent)
            checks.equal(admin.ask("GET", "/metrics").status, 200, f"the admin listener answers beside connections with {name}")
        checks.that(service.alive(), "the public listener answers meanwhile")


def ending(checks: rig.Checks, binary: str, folder: Path, issuer: Issuer) -> None:
    """During the shutdown each response has Connection: close."""
    with Service(binary, folder, issuer.url) as service, closing(rig.connect(service.port)) as client:
        body = json.dumps({"token": "x", "policy": "rig", "nonce": "x"}).encode()
        client.sendall(request("/v1/verify", "POST", f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"))
        time.sleep(1)
        service.process.send_signal(signal.SIGTERM)
        time.sleep(1)
        client.sendall(body)
        answer = http.client.HTTPResponse(client)
        answer.begin()
        answer.read()
        checks.that(answer.status < 500, "a request that is incomplete at SIGTERM gets a response", answer.status)
        checks.equal(answer.getheader("Connection"), "close", "the response has Connection: close")
        checks.equal(client.recv(1), b"", "the service closes the connection")


def reset_at_once(checks: rig.Checks, binary: str, folder: Path, issuer: Issuer) -> None:
    """A client that resets its connections cannot forge its address or request ID with the headers of a trusted proxy."""
    with Service(binary, folder, issuer.url) as service:
        body = json.dumps({"credential": {"type": "id-token", "token": "x.y.z", "attempt": "unknown"}}).encode()
        fields = "X-Forwarded-For: 203.0.113.9\r\nX-Request-ID: forged\r\nContent-Type: application/json\r\n"
        forged = request("/v1/sign-in", "POST", f"{fields}Content-Length: {len(body)}\r\n", body)
        for number in range(RESETS):
            client = rig.connect(service.port)
            client.sendall(forged * (1 + number % 3))
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            client.close()
        healthy(checks, service, "another client gets its response beside connections that are reset")
        seen = service.log.read_text(encoding="utf-8")
        checks.that("forged" not in seen, "a client that resets its connection cannot choose a request ID")


def too_many(checks: rig.Checks, binary: str, folder: Path, issuer: Issuer) -> None:
    """Connections above the total limit wait until one is closed."""

    def asks(connection: http.client.HTTPConnection) -> int:
        connection.request("GET", "/healthz")
        answer = connection.getresponse()
        answer.read()
        return answer.status

    with Service(binary, folder, issuer.url, connections=2) as service, ExitStack() as stack:
        first, second, third = (
            stack.enter_context(closing(http.client.HTTPConnection("127.0.0.1", service.port, timeout=rig.ANSWER_SECONDS)))
            for _ in range(3)
        )
        for connection in (first, second):
            checks.equal(asks(connection), 200, "connections up to the limit get responses")
        seen: list[int] = []
        waiting = Thread(target=lambda: seen.append(asks(third)))
        waiting.start()
        waiting.join(WAITING_SECONDS)
        checks.equal(seen, [], "a connection above the limit waits")
        checks.equal(asks(first), 200, "the connections within the limit stay usable")
        first.close()
        waiting.join(rig.ANSWER_SECONDS)
        checks.equal(seen, [200], "the waiting connection gets its response after one is closed")


def main() -> int:
    if len(sys.argv) != 2:
        print("usage: connections.py SERVICE_BINARY", file=sys.stderr)
        return 64
    binary = sys.argv[1]
    checks = rig.Checks("connections")
    with ExitStack() as stack:
        folder = Path(tempfile.mkdtemp(prefix="connections-"))
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        issuer = stack.enter_context(Issuer())
        with Service(binary, folder / "greedy", issuer.url) as service:
            greedy(checks, service)
            told_to_end(checks, service)
            answered_early(checks, service)
            answered_unread(checks, service)
            hosts(checks, service)
        never_finished(checks, binary, folder / "endless", issuer)
        networks(checks, binary, folder / "networks", issuer)
        slow_bodies(checks, binary, folder / "slow", issuer)
        held(checks, binary, folder / "held", issuer)
        admin_kept(checks, binary, folder / "operators", issuer)
        permitted_files(checks, binary, folder / "files", issuer)
        deaf(checks, binary, folder / "deaf", issuer)
        deaf_and_many(checks, binary, folder / "many-deaf", issuer)
        ending(checks, binary, folder / "ending", issuer)
        too_many(checks, binary, folder / "many", issuer)
        reset_at_once(checks, binary, folder / "reset", issuer)
    return checks.end()


if __name__ == "__main__":
    sys.exit(main())
