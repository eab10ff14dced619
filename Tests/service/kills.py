"""Checks that acknowledged changes survive kills, and that SIGTERM drops no request.

usage: kills.py SERVICE_BINARY [--rounds 5] [--ends 10]

On SQLite and on PostgreSQL, clients sign in, link logins, close sessions and sign out. At a random moment the service is killed
and restarted, and every acknowledged change must be stored. Then the service receives SIGTERM repeatedly, while some requests on
open connections are unread and others incomplete: each gets a response, and the service exits with 0.
"""

import argparse
import http.client
import json
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import rig
from api import API, Account, Refused
from issuer import Issuer
from postgresql import PostgreSQL
from service import Service

CLIENTS = 6
# The time of the kill: a random number of seconds in this range after the first acknowledged changes.
MOMENTS = (0.3, 2.5)
# The number of sessions of earlier rounds that are verified again.
SAMPLE = 100
# The numbers of complete requests, of incomplete requests and of connections being opened when the service receives SIGTERM.
ASKING, HALF_SENT, FRESH = 300, 12, 200
# The errors of a client when the service is killed: a broken connection, or a refused one.
BROKEN = (OSError, http.client.HTTPException)


@dataclass
class Person:
    """The changes to an account that the service has acknowledged, or may have stored without acknowledgement."""

    account: Account
    linked: list[str] = field(default_factory=list)
    # Whether the session is open; None without an acknowledgement, when both are possible.
    is_open: bool | None = True


class Client(threading.Thread):
    """Changes accounts until the service is killed, and records each acknowledged change."""

    def __init__(self, api: API, seed: int):
        super().__init__(daemon=True)
        self.api, self.random = api, random.Random(seed)
        self.people: list[Person] = []
        self.trouble: list[str] = []

    def run(self) -> None:
        try:
            while True:
                self.change()
        except BROKEN:
            pass
        except (Refused, KeyError, ValueError) as error:
            self.trouble.append(f"{type(error).__name__}: {error}")

    def change(self) -> None:
        account = self.api.sign_in()
        person = Person(account)
        self.people.append(person)
        match self.random.randrange(4):
            case 0:
                subject = str(uuid.uuid4())
                # Linking may replace the session token.
                person.is_open = None
                self.api.second.link(account, subject)
                person.linked.append(subject)
                person.is_open = True
            case 1:
                person.is_open = None
                self.api.sign_out(account.token)
                person.is_open = False
            case 2:
                again = self.api.sign_in(account.subject)
                closing = next(one for one in self.api.sessions(again.token) if not one["isCurrent"])
                person.is_open = None
                self.api.close(again.token, closing["id"])
                person.is_open = False
                self.people.append(Person(again))
            case _:
                pass


def has_begun(clients: list[Client]) -> bool:
    """Whether there are acknowledged changes, or a client has stopped early."""
    people = sum(len(client.people) for client in clients)
    return people >= CLIENTS or not all(client.is_alive() for client in clients)


class Linking(API):
    """The API with a second provider, whose logins are linked."""

    def __init__(self, port: int, issuer: Issuer, other: Issuer):
        super().__init__(port, issuer, "demo")
        self.second = API(port, other, "other")


def verify(checks: rig.Checks, api: API, people: list[Person], store: str) -> None:
    """Checks that each acknowledged change is stored."""
    for person in people:
        answer = api.call("GET", "/v1/account", token=person.account.token)
        if person.is_open is None:
            continue
        if not person.is_open:
            checks.equal(answer.status, 401, f"{store}: a closed session stays closed")
            continue
        if checks.equal(answer.status, 200, f"{store}: an acknowledged session is open"):
            known = answer.json()
            checks.equal(known["id"], person.account.id, f"{store}: the session belongs to its account")
            subjects = {login["uid"] for login in known["logins"]}
            checks.that(
                {person.account.subject, *person.linked} <= subjects,
                f"{store}: an acknowledged login is linked",
                subjects,
            )


def kill(checks: rig.Checks, service: Service, issuers: tuple[Issuer, Issuer], rounds: int, store: str) -> None:
    known: list[Person] = []
    changes, failed = 0, checks.failed
    for number in range(rounds):
        api = Linking(service.port, *issuers)
        clients = [Client(api, seed=number * CLIENTS + one) for one in range(CLIENTS)]
        for client in clients:
            client.start()
        rig.wait_until(lambda: has_begun(clients), "the clients have made changes")  # noqa: B023
        time.sleep(random.uniform(*MOMENTS))
        service.kill()
        for client in clients:
            client.join(rig.ANSWER_SECONDS)
            checks.that(not client.is_alive(), f"{store}: no client hangs after the kill")
            checks.that(not client.trouble, f"{store}: no client has another error", client.trouble[:3])
        service.begin()
        new = [person for client in clients for person in client.people]
        changes += len(new)
        verify(checks, api, new + random.sample(known, min(SAMPLE, len(known))), store)
        known += new
        service.accounts("check")
    checks.that(changes >= rounds * CLIENTS, f"{store}: the clients have made enough changes", changes)
    print(
        f"kills: {store}: {rounds} kills, {changes} sessions acknowledged, "
        f"{'none lost' if checks.failed == failed else 'some LOST'}",
        flush=True,
    )


def finished(checks: rig.Checks, connections: list[socket.socket], sentence: str) -> None:
    """Checks that each connection receives one complete response."""
    trouble: list[str] = []
    for connection in connections:
        answer = http.client.HTTPResponse(connection)
        try:
            answer.begin()
            if answer.status >= 500 or not answer.read():
                trouble.append(str(answer.status))
        except BROKEN as error:
            trouble.append(repr(error))
        finally:
            connection.close()
    checks.that(not trouble, sentence, f"{len(trouble)} of {len(connections)}: {trouble[:3]}")


def end(checks: rig.Checks, service: Service, token: str, store: str) -> None:
    """Sends SIGTERM right after requests on open connections, while others are incomplete and some never end."""
    body = json.dumps({"policy": "demo", "token": "x.y.z", "nonce": "n"}).encode()
    head = (
        "POST /v1/verify HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    ).encode()
    asked = (
        b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
        f"GET /v1/account HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n\r\n".encode(),
        head + body,
    )
    with ExitStack() as stack:

        def used() -> socket.socket:
            """Returns an open connection with one completed request."""
            connection = stack.enter_context(
                socket.create_connection(("127.0.0.1", service.port), rig.ANSWER_SECONDS)
            )
            connection.sendall(asked[0])
            answer = http.client.HTTPResponse(connection)
            answer.begin()
            answer.read()
            return connection

        asking = [used() for _ in range(ASKING)]
        half_sent = [used() for _ in range(HALF_SENT)]
        # An idle connection, and one whose request never ends: neither may delay the exit.
        used()
        used().sendall(head + body[:5])
        for connection in half_sent:
            connection.sendall(head + body[:5])
        for number, connection in enumerate(asking):
            connection.sendall(asked[number % len(asked)])
        # Some of these connections are accepted while the service stops listening. They get a response or are closed, and must
        # not crash the service.
        for _ in range(FRESH):
            fresh = stack.enter_context(socket.socket())
            fresh.setblocking(False)
            fresh.connect_ex(("127.0.0.1", service.port))
        process = service.process
        process.terminate()
        started = time.monotonic()
        for connection in half_sent:
            connection.sendall(body[5:])
        finished(checks, half_sent, f"{store}: requests that are incomplete at SIGTERM get a response")
        finished(checks, asking, f"{store}: requests that were sent before SIGTERM get a response")
        try:
            status = process.wait(rig.STOP_SECONDS)
        except subprocess.TimeoutExpired:
            status = None
        checks.equal(status, 0, f"{store}: the service exits with 0 after SIGTERM")
        checks.that(
            time.monotonic() - started < rig.STOP_SECONDS,
            f"{store}: requests that never end do not delay the exit",
            f"{time.monotonic() - started:.1f} s",
        )


def main() -> int:
    parser = argparse.ArgumentParser(description="Kills the service, and checks that acknowledged changes are stored.")
    parser.add_argument("binary")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--ends", type=int, default=10)
    arguments = parser.parse_args()
    checks = rig.Checks("kills")
    with ExitStack() as stack:
        folder = Path(tempfile.mkdtemp(prefix="kills-"))
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        issuers = (stack.enter_context(Issuer()), stack.enter_context(Issuer()))
        database = stack.enter_context(PostgreSQL(fsync=True))
        for name, store in (("sqlite", str(folder / "sqlite" / "accounts.sqlite")), ("postgresql", database.store)):
            settings = {"store": store, "connections-per-network": ASKING * 4, "connections": ASKING * 8}
            service = Service(arguments.binary, folder / name, issuers[0].url, other=issuers[1].url, **settings)
            with service:
                kill(checks, service, issuers, arguments.rounds, name)
                token = API(service.port, issuers[0]).sign_in().token
                for number in range(arguments.ends):
                    if number > 0:
                        service.kill()
                        service.begin()
                    end(checks, service, token, name)
    return checks.end()


if __name__ == "__main__":
    sys.exit(main())
