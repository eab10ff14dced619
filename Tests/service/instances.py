"""Are two instances on one PostgreSQL one service?

usage: instances.py SERVICE_BINARY [--rounds 20]

A nonce counts once in total, whoever of the two is asked; a closed session is refused by both with the next request; a
setting that was changed at one is seen by the other. Their keys are replaced while one of them always works, and nobody is
signed out.
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

# How many ask at the same moment, half of them at each instance.
AT_ONCE = 8
TWEAK = "tokens.times.leeway"
TWEAK_SECONDS = 60


def once(checks: rig.Checks, both: list[API], rounds: int) -> None:
    """One attempt, one ID token, many requests at the same moment: one is accepted."""
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
        checks.equal(len(accepted), 1, "a nonce is accepted once in total")
        refused = {answer.status for answer in answers if answer.status != 200}
        checks.that(
            all(400 <= status < 500 for status in refused),
            "the others are refused, with no error of the service",
            refused,
        )


def closed(checks: rig.Checks, both: list[API], rounds: int) -> None:
    for number in range(rounds):
        here, there = both[number % 2], both[1 - number % 2]
        account = here.sign_in()
        # Both have seen it, so whatever they remember they remember.
        for api in both:
            checks.equal(
                api.call("GET", "/v1/forward-auth", token=account.token).status, 200, "a session is known to both"
            )
        here.sign_out(account.token)
        for api in (there, here):
            answer = api.call("GET", "/v1/forward-auth", token=account.token)
            checks.equal(answer.status, 401, "a closed session is refused by both with the next request")
            checks.equal(answer.header("X-Auth-Error"), "invalid-user-token", "and both say why")


def tweaked(checks: rig.Checks, first: Admin, second: Admin) -> None:
    before = first.tweaks()[TWEAK]["value"]
    wanted = str(int(before) + 1)
    first.set(TWEAK, wanted)
    checks.equal(first.tweaks()[TWEAK]["value"], wanted, "a setting is changed where it was changed")
    rig.wait_until(
        lambda: second.tweaks()[TWEAK]["value"] == wanted,
        "a setting changed at one is seen by the other",
        TWEAK_SECONDS,
    )
    second.reset(TWEAK)
    rig.wait_until(
        lambda: first.tweaks()[TWEAK]["value"] == before, "a setting reset at one is seen by the other", TWEAK_SECONDS
    )
    checks.that(True, "a setting is the same at both")


def counted(checks: rig.Checks, admin: Admin, api: API) -> None:
    """Whatever a token is shown for, its verdict is counted."""

    def counts() -> list[int]:
        """How many were verified, and how many were refused for their signature."""
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
    checks.that(400 <= answer.status < 500, "a forged token signs nobody in", answer.status)
    checks.equal(counts(), [before[0] + 1, before[1] + 1], "both verdicts are counted")
    checks.that('action="nonce.replayed"} ' in admin.metrics(), "and what has not happened yet is counted with 0")


class Keys:
    """The keys that each instance has, in a file of its own, as on a machine of its own: the newest first."""

    def __init__(self, file: Path, keys: list[str]):
        self.file = file
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch(0o600)
        self.write(keys)

    def write(self, keys: list[str]) -> None:
        self.file.write_text("".join(f"{key}\n" for key in keys))


def rotated(checks: rig.Checks, services: list[Service], files: list[Keys], both: list[API], old: str) -> None:
    """A new key comes to both as the second, and only then to both as the first. Each restarts while the other works."""
    new, third = secrets.token_hex(32), secrets.token_hex(32)
    tokens: list[str] = []

    def opened() -> list[str]:
        """Sessions that began at one and were opened at the other, both ways round."""
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
    # Why it takes two rounds.
    restarted(0, [third, new, old])
    token = both[0].sign_in().token
    seen = [api.call("GET", "/v1/forward-auth", token=token).status for api in both]
    checks.equal(seen, [200, 401], "an instance refuses sessions of a key that it lacks")


def main() -> int:
    parser = argparse.ArgumentParser(description="Looks whether two instances are one service.")
    parser.add_argument("binary")
    parser.add_argument("--rounds", type=int, default=20)
    arguments = parser.parse_args()
    checks = rig.Checks("instances")
    with ExitStack() as stack:
        folder = Path(tempfile.mkdtemp(prefix="instances-"))
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        issuer = stack.enter_context(Issuer())
        database = stack.enter_context(PostgreSQL())
        # The same keys, or neither could read what the other sealed.
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
