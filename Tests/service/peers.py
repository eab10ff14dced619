"""The requests of answers.py whose answers depend on the peer: limits of networks, trusted proxies, a peer without an address."""

import itertools
import socket
from functools import partial
from pathlib import Path

import rig
from recording import Recording
from service import Service
from wire import FORM, JSON, NAVIGATION, SAME_ORIGIN, UNTRUSTED, early, spellings

# The requests of one network until the limit, in the service for 429.
FEW = 3


def record_limits(recording: Recording, service: Service) -> None:
    """Above the limit of its network, a client is answered before its body."""
    for path in ("/v1/verify", "/v1/forward-auth", "/v1/sign-in"):
        for _ in range(FEW):
            rig.ask(service.port, "POST", path, [JSON], b"{}")
    operations = ("/v1/sign-in", "/v1/attempts", "/v1/sign-out", "/v1/verify", "/v1/forward-auth")
    for path in (*operations, "/login/password", "/", "/nowhere"):
        form = JSON if path.startswith("/v1") else FORM
        for what, sent in early(path, "POST", [], form):
            recording.send(service.port, f"POST {path}: above the limit, {what}", sent)
        for method in ("GET", "HEAD"):
            recording.add(service.port, f"{method} {path}: above the limit", method, path, NAVIGATION)


def record_forwarded(recording: Recording, service: Service) -> None:
    """Client addresses that a trusted peer reports, and others report in vain. The limit of a network tells which one counts."""
    limited = ("X-Forwarded-For", "203.0.113.9")
    other = (("X-Forwarded-For", f"198.51.{number}.1") for number in itertools.count())
    for _ in range(FEW):
        rig.ask(service.port, "GET", "/signed-out", [limited])
    for name, fields in {
        "the limited address": [limited],
        "another address": [next(other)],
        "the limited address last": [next(other), limited],
        "the limited address first": [limited, next(other)],
        "a list with the limited address last": [("X-Forwarded-For", f"{next(other)[1]}, {limited[1]}")],
        "a list with the limited address first": [("X-Forwarded-For", f"{limited[1]}, {next(other)[1]}")],
        "a list that ends with the proxy": [("X-Forwarded-For", f"{limited[1]}, 127.0.0.1")],
        "the limited address with a port": [("X-Forwarded-For", f"{limited[1]}:80")],
        "the limited address as IPv6": [("X-Forwarded-For", f"::ffff:{limited[1]}")],
        "Forwarded": [("Forwarded", f"for={limited[1]}")],
        "no address": [("X-Forwarded-For", "unknown")],
        "nothing": [("X-Forwarded-For", "")],
    }.items():
        recording.add(service.port, f"X-Forwarded-For: {name}", "GET", "/signed-out", fields)
    far = partial(rig.connect, service.port, source=UNTRUSTED)
    for number in range(FEW + 1):
        recording.add(far, f"X-Forwarded-For: request {number} of an untrusted peer", "GET", "/signed-out", [next(other)])
    reported = {"an ID": ["rig-1"], "two IDs": ["rig-1", "rig-2"], "a malformed ID": ["a b"], "a long ID": ["a" * 65]}
    for name, ids in reported.items():
        fields = [("X-Request-ID", id_) for id_ in ids]
        for who, source in {"the proxy": "127.0.0.1", "an untrusted peer": UNTRUSTED}.items():
            here = partial(rig.connect, service.port, source=source)
            recording.add(here, f"X-Request-ID: {name} of {who}", "GET", "/healthz", fields)


def record_admin(recording: Recording, path: Path) -> None:
    """The listener for operators, on a Unix socket: a peer without an address."""

    def connect() -> socket.socket:
        client = socket.socket(socket.AF_UNIX)
        client.settimeout(rig.ANSWER_SECONDS)
        client.connect(str(path))
        return client

    tweaks = ("/", "/tweaks.json", "/tweaks/log.level", "/tweaks/nobody", "/actions/nobody")
    for target in (*tweaks, "/metrics", "/sign-in", "/nowhere"):
        for method in ("GET", "HEAD", "POST", "PUT", "DELETE"):
            # The metrics count this rig's own requests.
            if (method, target) != ("GET", "/metrics"):
                recording.add(connect, f"admin: {method} {target}", method, target, [("X-Forwarded-For", "203.0.113.9")])
        for what, spelling in spellings(target):
            if not target.startswith("/metrics"):
                recording.add(connect, f"admin: GET {target}: {what}", "GET", spelling)
        for what, sent in early(target, "POST", [SAME_ORIGIN], FORM):
            recording.send(connect, f"admin: POST {target}: {what}", sent)
        foreign = [("Sec-Fetch-Site", "cross-site"), FORM]
        recording.add(connect, f"admin: POST {target}: another site", "POST", target, foreign, b"")
        recording.add(connect, f"admin: PUT {target}: JSON", "PUT", target, [JSON], b'{"value":"debug","revision":7}')
    for name, host in {"another host": b"other.example", "a port": b"localhost:1", "an address": b"[::1]"}.items():
        recording.send(connect, f"admin: {name}", b"GET /tweaks.json HTTP/1.1\r\nHost: " + host + b"\r\n\r\n")
