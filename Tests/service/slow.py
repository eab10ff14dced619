"""Clients that send the head of a request and one byte of its body, and never the rest."""

import ssl
from contextlib import ExitStack, closing

import rig

PATH, LENGTH = "/v1/verify", "1000"
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


def streams(host: str, count: int) -> bytes:
    """Returns the beginning of a connection of HTTP/2 with slow requests."""
    request = {":method": "POST", ":scheme": "https", ":authority": host, ":path": PATH} | FIELDS
    fields = b"".join(literal(name, value) for name, value in request.items())
    sent = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(4, 0, 0, b"")
    for number in range(count):
        # HEADERS with END_HEADERS, and DATA without END_STREAM.
        sent += frame(1, 4, 2 * number + 1, fields) + frame(0, 0, 2 * number + 1, b"{")
    return sent


def hold(stack: ExitStack, port: int, host: str, source: str, count: int, protocol: str) -> None:
    """Opens connections with slow requests, which the stack closes: one for each over HTTP/1.1, few over HTTP/2."""
    own = ssl.create_default_context()
    own.check_hostname, own.verify_mode = False, ssl.CERT_NONE
    own.set_alpn_protocols([protocol])
    size = STREAMS if protocol == "h2" else 1
    for begin in range(0, count, size):
        plain = rig.connect(port, source=source)
        client = stack.enter_context(closing(own.wrap_socket(plain, server_hostname=host)))
        if client.selected_alpn_protocol() != protocol:
            raise RuntimeError(f"the proxy does not speak {protocol}")
        client.sendall(streams(host, min(size, count - begin)) if protocol == "h2" else head(host))
