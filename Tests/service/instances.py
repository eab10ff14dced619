"""Checks that two instances on one PostgreSQL server behave as one service.

usage: instances.py SERVICE_BINARY [--rounds 20]

Both instances together accept a nonce once; both refuse a closed session at the next request; a setting changed on one takes
effect on the other. Their keys are replaced while one of them keeps running, and no user is signed out.
"""

import argparse
import secrets
import shutil
import sys
import tempfile
import threading
from contextlib import ExitStack
from pathlib import Path

import rig
from admin import Admin
from api import API
from issuer import Issuer
from postgresql import PostgreSQL
from service import Service

# The number of simultaneous requests, half of them to each instance.
AT_ONCE = 8
TWEAK = "tokens.times.leeway"
TWEAK_SECONDS = 60


def once(checks: rig.Checks, both: list[API], rounds: int) -> None:
    """Sends simultaneous requests with one attempt and one ID token: one is accepted."""
    for number in range(rounds):
        credential = both[number % 2].credential(f"person-{number}")
        gate = threading.Barrier(AT_ONCE)
        answers: list[rig.Answer] = []

        def ask(api: API) -> None:
            gate.wait()
            answers.append(api.call("POST", "/v1/sign-in", credential))

        threads = [threading.Thread(target=ask, args=(both[one % 2],)) for one in range(AT_ONCE)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        accepted = [answer for answer in answers if answer.status == 200]
        checks.equal(len(accepted), 1, "one of the simultaneous requests with a nonce is accepted")
        refused = {answer.status for answer in answers if answer.status != 200}
        checks.that(
            all(400 <= status < 500 for status in refused),
            "the others are refused without a server error",
            refused,
        )


def closed(checks: rig.Checks, both: list[API], rounds: int) -> None:
    for number in range(rounds):
        here, there = both[number % 2], both[1 - number % 2]
        account = here.sign_in()
        # Both instances have handled the session, so any cache of theirs contains it.
        for api in both:
            checks.equal(
                api.call("GET", "/v1/forward-auth", token=account.token).status, 200, "both instances accept the session"
            )
        here.sign_out(account.token)
        for api in (there, here):
            answer = api.call("GET", "/v1/forward-auth", token=account.token)
            checks.equal(answer.status, 401, "both instances refuse a closed session at the next request")
            checks.equal(answer.header("X-Auth-Error"), "invalid-user-token", "both instances respond with the reason")


def tweaked(checks: rig.Checks, first: Admin, second: Admin) -> None:
    before = first.tweaks()[TWEAK]["value"]
    wanted = str(int(before) + 1)
    first.set(TWEAK, wanted)
    checks.equal(first.tweaks()[TWEAK]["value"], wanted, "a change takes effect on its own instance")
    rig.wait_until(
        lambda: second.tweaks()[TWEAK]["value"] == wanted,
        "a change takes effect on the other instance",
        TWEAK_SECONDS,
    )
    second.reset(TWEAK)
    rig.wait_until(
        lambda: first.tweaks()[TWEAK]["value"] == before, "a reset takes effect on the other instance", TWEAK_SECONDS
    )
    checks.that(True, "both instances have the same value")


def counted(checks: rig.Checks, admin: Admin, api: API) -> None:
    """Checks that the metrics count the verdicts of tokens in sign-ins."""

    def counts() -> list[int]:
        """Returns the numbers of verified tokens and of invalid signatures."""
        lines = [line for line in admin.metrics().splitlines() if line.startswith("login_verifications_total{")]
        found = [[line for line in lines if f'outcome="{outcome}"' in line] for outcome in ("verified", "signature")]
        return [sum(int(float(line.split()[-1])) for line in lines) for lines in found]

    before = counts()
    api.sign_in()
    credential = api.credential("forged")
    head, claims, signature = credential["credential"]["token"].split(".")
    forged = ("B" if signature[0] == "A" else "A") + signature[1:]
    credential["credential"]["token"] = ".".join((head, claims, forged))
    answer = api.call("POST", "/v1/sign-in", credential)
    checks.that(400 <= answer.status < 500, "a token with an invalid signature is refused", answer.status)
    checks.equal(counts(), [before[0] + 1, before[1] + 1], "the metrics count both verdicts")
    checks.that('action="nonce.replayed"} ' in admin.metrics(), "the metrics contain actions that have not occurred yet, with 0")


class Keys:
    """The secrets file of one instance, with the newest key first."""

    def __init__(self, file: Path, keys: list[str]):
        self.file = file
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch(0o600)
        self.write(keys)

    def write(self, keys: list[str]) -> None:
        self.file.write_text("".join(f"{key}\n" for key in keys))


def rotated(checks: rig.Checks, services: list[Service], files: list[Keys], both: list[API], old: str) -> None:
    """Adds a new key to both instances as the second, then makes it the first. One restarts while the other runs."""
    new, third = secrets.token_hex(32), secrets.token_hex(32)
    tokens: list[str] = []

    def opened() -> list[str]:
        """Begins attempts on one instance and signs in on the other, in both directions. Returns the session tokens."""
        ways = (both, both[::-1])
        answers = [there.must("POST", "/v1/sign-in", here.credential(f"key-{len(tokens)}")) for here, there in ways]
        return [answer["tokens"]["sessionToken"] for answer in answers]

    def accepted(stage: str) -> None:
        tokens.extend(opened())
        for number, api in enumerate(both):
            seen = [api.call("GET", "/v1/forward-auth", token=token).status for token in tokens]
            checks.that(set(seen) == {200}, f"{stage}, instance {number} accepts every session", seen)

    def restarted(number: int, keys: list[str]) -> None:
        services[number].stop()
        files[number].write(keys)
        services[number].begin()

    accepted("before the keys are replaced")
    for keys, stage in (([old, new], "the new key second"), ([new, old], "the new key first")):
        for number in range(len(both)):
            restarted(number, keys)
            accepted(f"with {stage} at {number + 1} of {len(both)}")
    # The reason for two rounds: a key must be known to all instances before any issues tokens with it.
    restarted(0, [third, new, old])
    token = both[0].sign_in().token
    seen = [api.call("GET", "/v1/forward-auth", token=token).status for api in both]
    checks.equal(seen, [200, 401], "an instance refuses sessions of a key that is not in its file")


def main() -> int:
    parser = argparse.ArgumentParser(description="Checks that two instances behave as one service.")
    parser.add_argument("binary")
    parser.add_argument("--rounds", type=int, default=20)
    arguments = parser.parse_args()
    checks = rig.Checks("instances")
    with ExitStack() as stack:
        folder = Path(tempfile.mkdtemp(prefix="instances-"))
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        issuer = stack.enter_context(Issuer())
        database = stack.enter_context(PostgreSQL())
        # Both instances need the same key to accept each other's sessions.
        key = secrets.token_hex(32)
        admins, services, files, both = [], [], [], []
        for name in ("first", "second"):
            admin, file = Admin(folder / name), Keys(folder / name / "shared.keys", [key])
            shared = {"store": database.store, "secrets-file": str(file.file)}
            service = Service(arguments.binary, folder / name, issuer.url, admin=admin.settings, **shared)
            stack.enter_context(service)
            admins.append(admin)
            services.append(service)
            files.append(file)
            both.append(API(service.port, issuer))
        once(checks, both, arguments.rounds)
        closed(checks, both, arguments.rounds)
        tweaked(checks, *admins)
        counted(checks, admins[0], both[0])
        rotated(checks, services, files, both, key)
    return checks.end()


if __name__ == "__main__":
    sys.exit(main())
