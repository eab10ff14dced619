"""The requests of answers.py about HTTP/1.1 itself: targets, framing, bodies that are slow or end early, slow readers."""

import re
import socket
import struct
import time
from collections.abc import Iterator
from contextlib import closing

import rig
from recording import Place, Recording, connected, raw, read

# A body above every limit of the service, of which nothing is sent.
HUGE = 100_000_000
# Also above every limit, and short enough to be sent.
LONG = 200_000
JSON = ("Content-Type", "application/json")
FORM = ("Content-Type", "application/x-www-form-urlencoded")
CHUNKED = ("Transfer-Encoding", "chunked")
NAVIGATION = [("Accept", "text/html"), ("Sec-Fetch-Site", "none"), ("Sec-Fetch-Mode", "navigate")]
SAME_ORIGIN = ("Sec-Fetch-Site", "same-origin")
# The address of a peer that no service of this rig trusts.
UNTRUSTED = "127.0.1.1"
# The seconds between two pieces of a slow body.
PAUSE = 0.3
# Responses on one connection that its client reads late, and the bytes that another one reads before it leaves.
UNREAD, FIRST = 200, 1000


def spellings(path: str) -> Iterator[tuple[str, str]]:
    """Other spellings of a path, by the name of what differs."""
    yield "a doubled slash", f"/{path}"
    yield "a slash at the end", f"{path}/"
    yield "an escaped slash", path[0] + path[1:].replace("/", "%2F", 1) if "/" in path[1:] else f"{path}%2F"
    yield "an escaped letter", re.sub(r"[a-z]", lambda found: f"%{ord(found[0]):02x}", path, count=1)
    yield "another case", path.upper()
    yield "a query", f"{path}?a=1&a=2"


def repeated(token: str) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Fields of a request with a session in which one occurs twice, or contradicts another."""
    session = ("Authorization", f"Bearer {token}")
    cookie = ("Cookie", f"__Host-session={token}")
    own = ("Sec-Fetch-Site", "same-origin")
    for name, fields in {
        "Authorization": [session, session],
        "Authorization and a cookie": [session, cookie],
        "Cookie": [cookie, cookie],
        "Cookie, another one first": [("Cookie", "theme=dark"), cookie],
        "a cookie": [("Cookie", f"__Host-session={token}; __Host-session={token}")],
        "Origin": [cookie, ("Origin", "null"), ("Origin", "http://localhost")],
        "Sec-Fetch-Site": [cookie, own, ("Sec-Fetch-Site", "cross-site")],
        "X-Forwarded-For": [session, ("X-Forwarded-For", "203.0.113.9"), ("X-Forwarded-For", "203.0.113.8")],
        "DPoP": [session, ("DPoP", "x"), ("DPoP", "y")],
        "Content-Type": [session, JSON, FORM],
        "Accept": [session, ("Accept", "text/html"), ("Accept", "application/json")],
    }.items():
        yield name, fields


def early(path: str, method: str, fields: list[tuple[str, str]], form: tuple[str, str] = JSON) -> Iterator[tuple[str, bytes]]:
    """Requests whose answer must not wait for their body, which is never sent completely."""
    for name, more in {
        "a body that is too long": [form, ("Content-Length", str(HUGE))],
        "another media type": [("Content-Type", "text/plain"), ("Content-Length", "10")],
        "no media type": [("Content-Length", "10")],
        "an expectation": [form, ("Expect", "100-continue"), ("Content-Length", str(HUGE))],
    }.items():
        yield name, raw(method, path, [*fields, *more])


def record_targets(recording: Recording, place: Place) -> None:
    """Targets in absolute form, and others than a plain path."""
    for path in ("/healthz", "/v1/session", "/login", "/nowhere"):
        for target in (
            f"http://localhost{path}", f"http://localhost:1{path}", f"http://other.example{path}", f"https://localhost{path}",
            f"HTTP://LOCALHOST{path}?a=b", f"http://ada@localhost{path}", f"//localhost{path}", f"ftp://localhost{path}",
            f"{path}#fragment", f"{path}?", f"{path}?a=%zz", f"{path}%", f"{path}%00", f"{path};a=b", f"/.{path}", f"/x/..{path}",
            f"/%2e{path}", f"{path}%3Fa", f"{path}\\", path[1:],
        ):  # fmt: skip
            for method in ("GET", "HEAD"):
                recording.add(place, f"{method} {target}", method, target)
    for method, target in (
        ("GET", "http://localhost"), ("GET", "http://localhost?a"), ("GET", "http://"), ("GET", "*"), ("OPTIONS", "*"),
        ("GET", ""), ("CONNECT", "localhost:443"), ("GET", "?a"), ("GET", "/login?next=a b"), ("GET", "/lögin"), ("PRI", "*"),
    ):  # fmt: skip
        recording.add(place, f"{method} {target}: a special target", method, target)
    recording.add(place, "a target that is long", "GET", "/" + "a" * 9_000)
    recording.add(place, "a target that is too long", "GET", "/" + "a" * 100_000)


def record_heads(recording: Recording, place: Place) -> None:
    """Heads that are malformed, or unusual."""
    line, host = b"GET /healthz HTTP/1.1\r\n", b"Host: localhost\r\n"
    for name, head in {
        "no host": line,
        "two hosts": line + host + host,
        "an empty host": line + b"Host:\r\n",
        "a host that is a list": line + b"Host: localhost, other.example\r\n",
        "a malformed host": line + b"Host: local host/\r\n",
        "HTTP/1.0": b"GET /healthz HTTP/1.0\r\n",
        "HTTP/1.0 that stays": b"GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\n",
        "HTTP/1.2": b"GET /healthz HTTP/1.2\r\n" + host,
        "HTTP/2.0": b"GET /healthz HTTP/2.0\r\n" + host,
        "HTTP/0.9": b"GET /healthz\r\n",
        "a version in small letters": b"GET /healthz http/1.1\r\n" + host,
        "two spaces": b"GET  /healthz HTTP/1.1\r\n" + host,
        "an empty line first": b"\r\n" + line + host,
        "line feeds alone": (line + host).replace(b"\r\n", b"\n"),
        "a space before the colon": line + host + b"X : y\r\n",
        "a folded line": line + host + b"X: y\r\n z\r\n",
        "a field without a colon": line + host + b"X\r\n",
        "a field without a name": line + host + b": y\r\n",
        "a field with a zero byte": line + host + b"X: a\0b\r\n",
        "a field that is not UTF-8": line + host + b"User-Agent: \xff\xfe\r\n",
        "a long field": line + host + b"X: " + b"a" * 12_000 + b"\r\n",
        "a field that is too long": line + host + b"X: " + b"a" * 100_000 + b"\r\n",
        "many fields": line + host + b"X: y\r\n" * 90,
        "too many fields": line + host + b"X: y\r\n" * 5_000,
        "the end of the connection": line + host + b"Connection: close\r\n",
        "an upgrade": line + host + b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n",
        "an unknown expectation": line + host + b"Expect: the best\r\n",
        "no HTTP": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    }.items():
        recording.send(place, f"a head with {name}", head + b"\r\n")


def record_framing(recording: Recording, place: Place) -> None:
    """Bodies by length and in chunks, of which some are malformed."""
    chunk = b"2\r\n{}\r\n0\r\n\r\n"
    for path, form in (("/v1/sign-in", JSON), ("/login/password", FORM), ("/nowhere", JSON), ("/healthz", JSON)):
        for name, fields, body in (
            ("chunks", [CHUNKED], chunk),
            ("chunks with an extension", [CHUNKED], b"2;a=b\r\n{}\r\n0\r\n\r\n"),
            ("chunks with a trailer", [CHUNKED], b"2\r\n{}\r\n0\r\nX: y\r\n\r\n"),
            ("a chunk without a size", [CHUNKED], b"x\r\n{}\r\n0\r\n\r\n"),
            ("a chunk that is too large", [CHUNKED], b"fffffffffffffffff\r\n{}"),
            ("a chunk that is too long", [CHUNKED], f"{LONG:x}\r\n".encode() + b" " * LONG),
            ("chunks in capitals", [("Transfer-Encoding", "CHUNKED")], chunk),
            ("another coding", [("Transfer-Encoding", "gzip, chunked")], chunk),
            ("an unknown coding", [("Transfer-Encoding", "x")], b"{}"),
            ("chunks twice", [CHUNKED, CHUNKED], chunk),
            ("chunks and a length", [CHUNKED, ("Content-Length", "2")], chunk),
            ("the same length twice", [("Content-Length", "2"), ("Content-Length", "2")], b"{}"),
            ("two lengths", [("Content-Length", "2"), ("Content-Length", "3")], b"{}"),
            ("a list of lengths", [("Content-Length", "2, 2")], b"{}"),
            ("a negative length", [("Content-Length", "-2")], b"{}"),
            ("a length with a sign", [("Content-Length", "+2")], b"{}"),
            ("a length that is no number", [("Content-Length", "two")], b"{}"),
            ("a length that is too large", [("Content-Length", "9" * 30)], b"{}"),
            ("a body that is too long, and sent", [("Content-Length", str(LONG))], b" " * LONG),
            ("an expectation, and the body at once", [("Expect", "100-continue"), ("Content-Length", "2")], b"{}"),
        ):
            recording.send(place, f"POST {path}: {name}", raw("POST", path, [form, *fields]) + body)
    recording.send(place, "GET /healthz: a body", raw("GET", "/healthz", [JSON], b"{}"))
    recording.send(place, "GET /login: a body", raw("GET", "/login", [FORM], b"a=b"))


def record_ends(recording: Recording, place: Place) -> None:
    """Clients that send slowly, do not complete a request, or leave. The server ends requests after two seconds."""
    for path, form in (("/v1/sign-in", JSON), ("/login/password", FORM), ("/v1/link", JSON)):
        head = raw("POST", path, [form, ("Content-Length", "100")])
        half = head + b"{"
        recording.send(place, f"POST {path}: a slow body", slowly(head, b"{", b" " * 49, b" " * 49, b"}"))
        recording.send(place, f"POST {path}: a slow head", slowly(head[:9], head[9:30], head[30:], b"{" + b" " * 98 + b"}"))
        recording.send(place, f"POST {path}: half a body, until the timeout", half)
        recording.send(place, f"POST {path}: nothing of the body, until the timeout", head)
        expecting = raw("POST", path, [form, ("Expect", "100-continue"), ("Content-Length", "2")])
        recording.send(place, f"POST {path}: an expectation, until the timeout", expecting)
        recording.send(place, f"POST {path}: an expectation, and the body later", slowly(expecting, b"{}"))
        recording.send(place, f"POST {path}: half a chunk, until the timeout", raw("POST", path, [form, CHUNKED]) + b"9\r\n{")
        for what, sent in {"the head": head[:-20], "the body": half}.items():
            recording.send(place, f"POST {path}: half of {what}, then the end of the client's stream", sent, ends=True)
            for how, leave in {"leaves": leave_politely, "resets the connection": reset}.items():
                with closing(connected(place)) as client:
                    client.sendall(sent)
                    leave(client)
                recording.add(place, f"after a client {how} in the middle of {what} of POST {path}", "GET", "/healthz")
    recording.send(place, "half a head, until the timeout", b"GET /healthz HTTP/1.1\r\nHost: loc")


def slowly(*pieces: bytes) -> Iterator[bytes]:
    for number, piece in enumerate(pieces):
        if number:
            time.sleep(PAUSE)
        yield piece


def leave_politely(client: socket.socket) -> None:
    client.shutdown(socket.SHUT_RDWR)


def reset(client: socket.socket) -> None:
    """Makes the close of a connection a reset, which discards what was not sent."""
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def record_slow_reader(recording: Recording, port: int, name: str, sent: bytes) -> None:
    """A large answer to clients that read it late, and that leave in the middle of it."""
    with closing(rig.connect(port, receives=65_536)) as client:
        client.sendall(sent * UNREAD)
        time.sleep(2)
        with client.makefile("rb") as reader:
            answers = [read(reader, is_head=False) for _ in range(UNREAD)]
    same = [{name: value for name, value in answer.items() if name != "fields"} for answer in answers]
    recording.note(f"{name}: read late", answers[0] | {"end": f"{same.count(same[0])} equal answers"})
    for how, leave in {"leaves": leave_politely, "resets the connection": reset}.items():
        with closing(rig.connect(port, receives=4096)) as client:
            client.sendall(sent * UNREAD)
            client.recv(FIRST)
            leave(client)
        recording.add(port, f"{name}: after a client {how} in the middle of the answer", "GET", "/healthz")
