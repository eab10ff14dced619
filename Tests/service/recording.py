"""Answers to raw requests as a recording has them, and the differences between two recordings."""

import difflib
import fnmatch
import re
import socket
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from pathlib import Path

import rig

# What a request is sent to: a port of this machine, or a function that connects.
Place = int | Callable[[], socket.socket]
# An answer: its status line, its fields in order, its body, and whether the connection is open afterwards.
Answer = dict

# The order matters: specific kinds first.
KINDS = [
    (re.compile(pattern), kind)
    for pattern, kind in (
        (r"<svg.*?</svg>", "<svg>"),
        (r"<time [^>]*>[^<]*</time>", "<time>"),
        (r"ll[a-z]_[\w-]{20,}", "<token>"),
        (r"eyJ[\w-]+\.[\w-]+\.[\w-]*", "<jwt>"),
        (r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "<uuid>"),
        (r"\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?Z?", "<time>"),
        (r"(?i)^(Date|DPoP-Nonce): .*$", r"\1: <value>"),
        (r"(?i)^(X-Request-ID): [\w-]{16}$", r"\1: <request>"),
        (r"(?i)^(Retry-After): \d+$", r"\1: <seconds>"),
        # A cookie with the lifetime of a new session, of which a part of a second has passed.
        (r"Max-Age=(2592000|25919\d\d)", "Max-Age=<30 days>"),
        (r"(localhost|127\.0\.0\.1)(:|%3A)\d{4,5}", r"\1\2<port>"),
        # The networks of a client that calls from elsewhere each time.
        (r"127\.1\d\.\d+\.0/24", "<network>"),
        (r"[A-Z2-7]{32}", "<secret>"),
        (r"\b[2-9A-HJ-NP-Z]{5}(-[2-9A-HJ-NP-Z]{5})+\b", "<code>"),
        (r'"requestID":"[\w-]{16}"', '"requestID":<request>'),
        (r'"(expiresIn|retryAfter)":\d+', r'"\1":<seconds>'),
        (r'"(iat|exp)":\d+', r'"\1":<time>'),
        (r"<code>[\w-]{16}</code>", "<code><request></code>"),
        # Random text has a capital or a digit; codes of problems are as long. So are the names of some fields.
        (r"(?<![\w-])(?=[a-z_-]*[A-Z0-9])(?!X-Content|Content-Security|Cross-Origin|Strict-Transport)[\w-]{22,}", "<secret>"),
    )
]
# The fields that belong to the connection, or to the program that sends them.
TRANSPORT = {"connection", "content-length", "date", "keep-alive", "server", "transfer-encoding", "x-request-id"}


def spelled(text: str) -> str:
    """Replaces tokens, IDs, times and ports by their kind."""
    for pattern, kind in KINDS:
        text = pattern.sub(kind, text)
    return text


def raw(method: str, target: str, fields: Iterable[tuple[str, str]] = (), body: bytes | None = None) -> bytes:
    """Returns the bytes of a request. Adds `Host`, and `Content-Length` for a body."""
    lines = [f"{method} {target} HTTP/1.1", "Host: localhost", *(f"{name}: {value}" for name, value in fields)]
    if body is not None:
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join([*lines, "", ""]).encode() + (body or b"")


def connected(place: Place) -> socket.socket:
    return rig.connect(place) if isinstance(place, int) else place()


def exchange(place: Place, sent: bytes | Iterable[bytes], is_head: bool = False, ends: bool = False) -> Answer:
    """Sends bytes, or pieces of them, on a new connection, and returns the answer. `ends` closes the client's direction."""
    with closing(connected(place)) as client:
        try:
            for piece in [sent] if isinstance(sent, bytes) else sent:
                client.sendall(piece)
            if ends:
                client.shutdown(socket.SHUT_WR)
        except OSError:
            # The server has answered before the end of the request, and closed.
            pass
        with client.makefile("rb") as reader:
            answer = read(reader, is_head)
        return answer | {"end": "closed" if not answer["status"] or is_closed(client) else "open"}


def read(reader, is_head: bool) -> Answer:
    """Reads an answer; one without a status if there is none. Interim answers (RFC 9110 section 15.2) are fields of it."""
    interim, head = [], []
    try:
        while True:
            head = list(lines(reader))
            if not re.match(r"HTTP/1\.1 1(?!01)", head[0] if head else ""):
                break
            interim += head
        fields = {name.lower(): value for name, _, value in (line.partition(": ") for line in head[1:])}
        body = b"" if is_head or not head or re.match(r"\S+ (204|304)", head[0]) else content(reader, fields)
    except OSError:
        fields, body = {}, b""
    if not is_head and fields.get("content-length") == str(len(body)):
        head = [re.sub(r"(?i)^(content-length): \d+$", r"\1: <length of the body>", line) for line in head]
    return {
        "status": head[0] if head else "",
        "fields": [spelled(line) for line in interim + head[1:]],
        "body": spelled(body.decode(errors="backslashreplace")),
    }


def lines(reader) -> Iterator[str]:
    while (line := reader.readline()) not in (b"\r\n", b""):
        yield line.decode("latin-1").rstrip("\r\n")


def content(reader, fields: dict[str, str]) -> bytes:
    """Reads the body of an answer; to the end of the connection if it has no length (RFC 9112 section 6.3)."""
    if "transfer-encoding" in fields:
        body = b""
        while size := int(reader.readline().split(b";")[0] or b"0", 16):
            body += reader.read(size)
            reader.readline()
        reader.readline()
        return body
    if "content-length" in fields:
        return reader.read(int(fields["content-length"]))
    return reader.read() if fields.get("connection") == "close" else b""


def is_closed(client: socket.socket) -> bool:
    """Whether the server has closed the connection, or does not answer another request on it."""
    try:
        client.sendall(raw("GET", "/healthz"))
        return not client.recv(1)
    except OSError:
        return True


class Recording:
    """Answers by the name of their request."""

    def __init__(self):
        self.answers: dict[str, Answer] = {}

    def add(self, place: Place, name: str, method: str, target: str, fields=(), body: bytes | None = None) -> None:
        self.send(place, name, raw(method, target, fields, body), method == "HEAD")

    def send(self, place: Place, name: str, sent: bytes | Iterable[bytes], is_head: bool = False, ends: bool = False) -> None:
        self.note(name, exchange(place, sent, is_head, ends))

    def note(self, name: str, answer: Answer) -> None:
        assert name not in self.answers, name
        self.answers[name] = answer

    def compare(self, checks: rig.Checks, expected: dict[str, Answer], wanted: "Wanted", loosely: bool) -> None:
        """Checks that the answers are the expected ones. Prints each difference by request and field, unless it is wanted."""
        for name in sorted(expected.keys() | self.answers.keys()):
            old, new = expected.get(name), self.answers.get(name)
            if old is None or new is None:
                found = [("presence", f"\n- {old is not None}\n+ {new is not None}")]
            else:
                found = list(differences(old, new, loosely))
            found = [(field, shown) for field, shown in found if not wanted.contains(name, field)]
            for field, shown in found:
                checks.that(False, f"{name} | {field}", shown)
            if not found:
                checks.that(True, f"{name}: the answer is the recorded one")


def differences(old: Answer, new: Answer, loosely: bool) -> Iterator[tuple[str, str]]:
    """The fields in which two answers differ, each with both values. `loosely`, only those that an application can set."""
    status = [answer["status"].split(" ", 2)[1:2] if loosely else [answer["status"]] for answer in (old, new)]
    values = [by_name(answer["fields"]) for answer in (old, new)]
    compared = [("status", *status)]
    for name in sorted(values[0].keys() | values[1].keys()):
        if not (loosely and name in TRANSPORT):
            compared.append((name, values[0].get(name, []), values[1].get(name, [])))
    if not loosely:
        order = [[field.partition(":")[0] for field in answer["fields"]] for answer in (old, new)]
        if sorted(order[0]) == sorted(order[1]):
            compared.append(("order", *order))
        compared.append(("connection afterwards", [old["end"]], [new["end"]]))
    compared.append(("body", pieces(old["body"]), pieces(new["body"])))
    for name, before, after in compared:
        if before != after:
            changed = list(difflib.unified_diff(before, after, n=0, lineterm=""))[2:]
            yield name, "\n" + "\n".join(line for line in changed if not line.startswith("@@"))


def by_name(fields: list[str]) -> dict[str, list[str]]:
    values: dict[str, list[str]] = {}
    for field in fields:
        name, _, value = field.partition(": ")
        values.setdefault(name.lower(), []).append(value)
    return values


def pieces(body: str) -> list[str]:
    """Returns the lines of a body for a comparison; each element of HTML and member of JSON begins one."""
    return body.replace("><", ">\n<").replace(',"', ',\n"').splitlines()


class Wanted:
    """The differences that are wanted, from a file with lines of the form `request | field | reason`.

    Requests and fields are patterns of the shell: `HEAD * | content-length | …`. Lines that begin with # are comments.
    """

    def __init__(self, file: Path | None):
        read = file.read_text().splitlines() if file else []
        rows = [line for line in read if line.strip() and not line.startswith("#")]
        self.rows = [tuple(part.strip() for part in line.split(" | ", 2)) for line in rows]
        self.found: Counter = Counter()
        for row in self.rows:
            if len(row) != 3 or not row[2]:
                raise ValueError(f"{file}: a wanted difference needs a request, a field and a reason: {row}")

    def contains(self, name: str, field: str) -> bool:
        for row in self.rows:
            if fnmatch.fnmatchcase(name, row[0]) and fnmatch.fnmatchcase(field, row[1]):
                self.found[row] += 1
                return True
        return False

    def report(self, checks: rig.Checks) -> None:
        """Prints how often each occurs, and checks that it does."""
        for row in self.rows:
            print(f"answers: {self.found[row]} wanted differences: {' | '.join(row)}")
            checks.that(self.found[row] > 0, f"the wanted difference occurs: {' | '.join(row)}")
