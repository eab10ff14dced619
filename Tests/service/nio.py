"""Checks SwiftNIOServer, the adapter of docs/guides/other-frameworks.md, by the rigs of the service.

usage: nio.py SERVICE_BINARY CONSUMER [PART...]

`swift build` writes SwiftNIOServer and SignInServer into the directory of SERVICE_BINARY; CONSUMER is the program of
Tests/ClientConsumer. A part is `answers`, which compares the answers of the two servers, `connections`, `contract`, `client` or
`example`; the default is all. Each uses the rig of its name.
"""

import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path

import client
import connections
import contract
import example
import rig
from answers import record_port
from api import Account, Elsewhere
from issuer import Issuer
from recording import Answer, Recording, Wanted, raw
from wire import record_slow_reader

# The examples for each operation.
EXAMPLES = 3
# More than the buffers of a connection, and the seconds until the server reads no more.
FLOOD, FLOOD_SECONDS = 32_000_000, 1
# The requests with one session.
REQUESTS = 8


@contextmanager
def serve(binary: Path) -> Iterator[Elsewhere]:
    """Runs a program with two issuers, and returns a client of its API."""
    with Issuer() as corp, Issuer() as club, example.serve(binary, corp.url, club.url) as server:
        yield Elsewhere(server.port, corp, "corp", example.AUDIENCE)


class Sparing(Elsewhere):
    """Keeps a session for several requests, which are the same with each server."""

    calls = 0

    def sign_in(self, subject: str | None = None, **claims) -> Account:
        if self.calls % REQUESTS == 0:
            self.account = super().sign_in(subject, **claims)
        self.calls += 1
        return self.account


def is_of_router(answer: Answer) -> bool:
    """Whether the router of Hummingbird has answered: the fields of the service are missing."""
    return " 404 " in answer["status"] and "X-Content-Type-Options: nosniff" not in answer["fields"]


def answers(checks: rig.Checks, nio: Path, hummingbird: Path) -> None:
    """Both servers give the same answers. The pages of users have nothing that concerns an adapter."""

    def record(api: Elsewhere) -> Recording:
        sparing = Sparing(api.port, api.issuer, api.provider, api.audience)
        recording = record_port(api.port, sparing, api.provider, users=False)
        record_slow_reader(recording, api.port, "the description", raw("GET", "/openapi.json"))
        return recording

    with serve(nio) as one, serve(hummingbird) as other, ThreadPoolExecutor(2) as pool:
        here, there = pool.map(record, (one, other))
    for name, answer in list(here.answers.items()):
        checks.that(answer["status"], f"{name}: there is an answer")
        if answer["end"] in ("open", "closed"):
            says = "open" if "Connection: close" not in answer["fields"] else "closed"
            checks.equal(answer["end"], says, f"{name}: the answer says whether the connection is closed")
        if name in there.answers and is_of_router(there.answers[name]):
            # Here the service answers the paths and methods that no route has.
            is_refused = answer["status"][9:12] in ("404", "405") and not is_of_router(answer)
            checks.that(is_refused, f"{name}: the service refuses it", answer["status"])
            del here.answers[name], there.answers[name]
    here.compare(checks, there.answers, Wanted(None), loosely=True)


def unread_protocol(checks: rig.Checks, port: int) -> None:
    """What follows an upgrade is not read: the parser would keep all of it."""
    with closing(rig.connect(port, seconds=FLOOD_SECONDS)) as sender:
        sender.sendall(connections.request("/healthz", head="Connection: Upgrade\r\nUpgrade: x\r\n"))
        checks.equal(connections.answers(sender, 1), [200], "a request for another protocol gets its response")
        try:
            sender.sendall(b"x" * FLOOD)
            is_read = True
        except OSError:
            is_read = False
        checks.that(not is_read, "the bytes after it are not read")


def main() -> int:
    service, consumer = (Path(argument).absolute() for argument in sys.argv[1:3])
    program, hummingbird = service.with_name("SwiftNIOServer"), service.with_name("SignInServer")
    checks = rig.Checks("nio")
    with tempfile.TemporaryDirectory(prefix="nio-") as name:
        folder = Path(name)

        def connect(api: Elsewhere) -> None:
            connections.hosts(checks, api)
            connections.answered_early(checks, api)
            connections.told_to_end(checks, api)
            unread_protocol(checks, api.port)

        def with_server(check: Callable[[Elsewhere], None]) -> None:
            with serve(program) as api:
                check(api)

        parts = {
            "connections": lambda: with_server(connect),
            "client": lambda: with_server(
                lambda api: client.sessions(checks, client.Consumer(str(consumer), api.provider, api.audience), api, folder)
            ),
            "contract": lambda: with_server(
                lambda api: contract.check(checks, api, folder, EXAMPLES, phases="fuzzing")
            ),
            "answers": lambda: answers(checks, program, hummingbird),
            "example": lambda: (example.by_app(checks, program), example.by_browser(checks, program)),
        }
        for part in sys.argv[3:] or parts:
            begun = time.monotonic()
            parts[part]()
            print(f"nio: {part} in {time.monotonic() - begun:.0f} s", flush=True)
    return checks.end()


if __name__ == "__main__":
    sys.exit(main())
