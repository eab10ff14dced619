"""Clients that send the head of a request and one byte of its body, and never the rest, or that do not read responses."""

import ssl
from contextlib import ExitStack, closing

import rig

PATH, LENGTH = "/v1/verify", "1000"
# A response that no proxy reads without its client.
LARGE = "/openapi.json"
FIELDS = {"content-type": "application/json", "content-length": LENGTH}
# The number of streams of one connection, which every proxy permits.
STREAMS = 100


def head(host: str, **fields: str) -> bytes:
    """Returns the head of a slow request, and one byte of its body."""
    lines = [f"POST {PATH} HTTP/1.1", f"Host: {host}", *(f"{name}: {value}" for name, value in (FIELDS | fields).items())]
    return "\r\n".join([*lines, "", "{"]).encode()


def frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    """Returns a frame of HTTP/2 (RFC 9113 section 4.1)."""
    return len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + payload


def literal(name: str, value: str) -> bytes:
    """Returns a field that is neither indexed nor compressed (RFC 7541 section 6.2.2); both parts are short."""
    return b"\0" + b"".join(bytes([len(part)]) + part.encode() for part in (name, value))


def opening(window: int | None = None) -> bytes:
    """Returns the beginning of a connection of HTTP/2, with the window of the client for each response if given."""
    settings = b"" if window is None else (4).to_bytes(2, "big") + window.to_bytes(4, "big")
    return b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(4, 0, 0, settings)


def headers(stream: int, method: str, host: str, path: str, fields: dict[str, str], flags: int) -> bytes:
    """Returns the frame with the head of a request."""
    request = {":method": method, ":scheme": "https", ":authority": host, ":path": path} | fields
    return frame(1, flags, stream, b"".join(literal(name, value) for name, value in request.items()))


def bodies(host: str, count: int) -> bytes:
    """Returns a connection of HTTP/2 with slow bodies: END_HEADERS, and DATA without END_STREAM."""
    numbers = range(1, 2 * count, 2)
    return opening() + b"".join(headers(number, "POST", host, PATH, FIELDS, 4) + frame(0, 0, number, b"{") for number in numbers)


def unread(host: str, count: int) -> bytes:
    """Returns a connection of HTTP/2 with requests whose responses the client does not accept: END_HEADERS and END_STREAM."""
    return opening(window=0) + b"".join(headers(number, "GET", host, LARGE, {}, 5) for number in range(1, 2 * count, 2))


def hold(stack: ExitStack, port: int, host: str, source: str, kind: str) -> None:
    """Opens connections of a kind, which the stack closes."""
    own = ssl.create_default_context()
    own.check_hostname, own.verify_mode = False, ssl.CERT_NONE
    protocol, sent, count = KINDS[kind]
    own.set_alpn_protocols([protocol])
    for _ in range(count):
        client = stack.enter_context(closing(own.wrap_socket(rig.connect(port, source=source), server_hostname=host)))
        if client.selected_alpn_protocol() != protocol:
            raise RuntimeError(f"the proxy does not speak {protocol}")
        client.sendall(sent(host))


# Each kind of slow requests: the protocol, the bytes on a connection, and the number of connections. Over HTTP/2 there are as many
# requests as the service has connections.
KINDS = {
    "slow bodies over HTTP/1.1": ("http/1.1", head, 200),
    "slow bodies over HTTP/2": ("h2", lambda host: bodies(host, STREAMS), 8),
    "unread responses over HTTP/2": ("h2", lambda host: unread(host, STREAMS), 9),
}
