"""Does a tweak take effect while the service works: from the page and from the file, at both instances, and with no request lost?

usage: tweaks.py SERVICE_BINARY

Two instances on one PostgreSQL verify tokens all the time. Meanwhile each way of changing a tweak is tried, with what it changes
looked at from outside: a token that is a little too old, a provider that nobody signs in with, how often one may ask.
"""

import argparse
import shutil
import signal
import sys
import tempfile
import threading
import time
from contextlib import ExitStack
from pathlib import Path

import rig
from admin import Admin
from api import API
from issuer import Issuer
from postgresql import PostgreSQL
from service import LIMITS, Service, keys

LEEWAY, ENABLED, REQUESTS = "tokens.times.leeway", "providers.demo.enabled", LIMITS[0]
LEVEL, SIZE = "log.level", "tokens.cache.size"
ACTION, COOLDOWN = "keys.refresh", "keys.cache.cooldown"
# Long enough that on a busy machine the second of two requests comes within it, in seconds.
COOLDOWN_SECONDS = 15
WRONG = "invalid configuration"
# How long a change may take to arrive elsewhere, in seconds.
ARRIVES = 60
# A token of that age is refused without leeway, and good with 300 s of it.
TOO_OLD = 60


class Work:
    """Requests that never end while it is open, each of which has to be answered well."""

    def __init__(self, checks: rig.Checks, apis: list[API], issuer: Issuer):
        self.checks, self.apis, self.issuer = checks, apis, issuer
        self.done, self.lost, self.ends = 0, [], threading.Event()

    def ask(self, api: API) -> None:
        while not self.ends.is_set():
            body = {"token": self.issuer.token("worker"), "policy": "rig"}
            try:
                answer = api.call("POST", "/v1/verify", body)
                if answer.status != 200 or answer.json()["verdict"] != "verified":
                    self.lost.append((answer.status, answer.body[:200]))
            except OSError as error:
                self.lost.append(repr(error))
            self.done += 1

    def __enter__(self) -> "Work":
        self.threads = [threading.Thread(target=self.ask, args=(api,)) for api in self.apis]
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_) -> None:
        self.ends.set()
        for thread in self.threads:
            thread.join()
        self.checks.that(not self.lost, "while tweaks change no request is lost or refused", self.lost[:3])
        self.checks.that(self.done > 50, "meanwhile both had something to do", self.done)


class Place:
    """One instance: its service, its operators, its clients."""

    def __init__(self, stack: ExitStack, binary: str, folder: Path, issuer: Issuer, shared: dict):
        self.admin, self.issuer = Admin(folder), issuer
        self.service = stack.enter_context(
            Service(binary, folder, issuer.url, admin=self.admin.settings, **shared)
        )
        self.api = API(self.service.port, issuer)

    def verdict(self) -> str:
        """What becomes of a token that ended a minute ago."""
        ended = int(time.time()) - TOO_OLD
        token = self.issuer.token("late", iat=ended - 60, exp=ended)
        answer = self.api.call("POST", "/v1/verify", {"token": token, "policy": "rig"}).json()
        return answer.get("code") or answer["verdict"]

    def value(self, tweak: str) -> str:
        return self.admin.tweaks()[tweak]["value"]

    def write(self, tweaks: dict) -> None:
        self.service.settings["tweaks"] = tweaks
        self.service.write()

    def hang_up(self) -> None:
        """Has the file read at once, and not within 15 seconds."""
        self.service.process.send_signal(signal.SIGHUP)

    def complaints(self) -> list[str]:
        """What the log says of configurations that are wrong."""
        return [line for line in self.service.words().splitlines() if WRONG in line]

    def restart(self) -> None:
        self.service.stop()
        self.service.begin()
        # The operators' sessions end with the process.
        self.admin.cookie = ""


def until(checks: rig.Checks, holds, sentence: str) -> None:
    """Checks what comes about within a while."""
    try:
        rig.wait_until(holds, sentence, ARRIVES)
        checks.that(True, sentence)
    except TimeoutError:
        checks.that(False, sentence)


def on_the_page(checks: rig.Checks, first: Place, second: Place) -> None:
    for place in (first, second):
        checks.equal(place.verdict(), "expired", "a token that is a minute too old is refused")
    first.admin.set(LEEWAY, 300)
    checks.equal(first.verdict(), "verified", "with a leeway of five minutes it is taken by the next request")
    until(checks, lambda: second.verdict() == "verified", "and by the other instance")
    tweak = first.admin.tweaks()[LEEWAY]
    checks.equal((tweak["changedBy"], tweak["default"], tweak["value"]), ("rig", "30", "300"), "it says who and from what")
    page = first.admin.call("GET", "/").body.decode()
    checks.that("<td>rig</td>" in page and "300" in page, "the page shows who changed what")


def validated(checks: rig.Checks, place: Place) -> None:
    for tweak, wrong in (
        (LEEWAY, "301"),
        (LEEWAY, "-1"),
        (LEEWAY, "30.5"),
        (LEEWAY, "many"),
        (LEEWAY, ""),
        (SIZE, "1"),
        (SIZE, "1000001"),
        (SIZE, "99999999999999999999"),
        (ENABLED, "maybe"),
        (LEVEL, "silent"),
        (REQUESTS, "0"),
    ):
        before = place.value(tweak)
        answer = place.admin.tried(tweak, wrong)
        checks.equal(answer.status, 422, f"{tweak} is not set to {wrong!r}")
        checks.that("Not changed" in answer.body.decode(), f"the page says why {tweak} is not {wrong!r}")
        checks.equal(place.value(tweak), before, f"{tweak} stays what it was")
    for tweak, edge in ((LEEWAY, "0"), (LEEWAY, "300"), (SIZE, "2"), (SIZE, "1000000")):
        checks.equal(place.admin.tried(tweak, edge).status, 303, f"{tweak} goes as far as {edge}")
    stale = place.admin.tried(LEEWAY, "60", revision="1")
    checks.equal(stale.status, 409, "who has not seen the last change does not overwrite it")
    place.admin.reset(SIZE)
    place.admin.set(LEEWAY, 300)


def in_the_file(checks: rig.Checks, first: Place, second: Place) -> None:
    """Of one instance: the file lies beneath what operators have set, and above the default."""
    first.write({LEEWAY: 90} | dict.fromkeys(LIMITS, 1_000_000))
    until(checks, lambda: first.admin.tweaks()[LEEWAY].get("file") == "90", "what the file says is read without a restart")
    checks.equal(first.value(LEEWAY), "300", "what an operator has set counts before the file")
    first.admin.reset(LEEWAY)
    checks.equal(first.value(LEEWAY), "90", "what was reset is what the file says")
    checks.equal(first.verdict(), "verified", "and a minute is within it")
    until(checks, lambda: second.verdict() == "expired", "at the other instance it is the default again")
    first.write({LEEWAY: 301} | dict.fromkeys(LIMITS, 1_000_000))
    until(checks, lambda: first.admin.tweaks()[LEEWAY]["faults"], "a value out of its range in the file is told of")
    checks.equal(first.value(LEEWAY), "30", "and what lies beneath it counts")
    before = len(first.complaints())
    first.write({"no.such.tweak": 1, LEEWAY: 90})
    first.hang_up()
    until(checks, lambda: len(first.complaints()) > before, "a tweak that there is not is told of in the log")
    checks.that("no.such.tweak" in first.complaints()[-1], "and which it is", first.complaints())
    checks.equal(first.value(LIMITS[0]), "1000000", "with a tweak that there is not, the file of before counts on")
    checks.equal(first.value(LEEWAY), "30", "and nothing else of the file that is wrong")
    first.write(dict.fromkeys(LIMITS, 1_000_000))
    first.hang_up()
    until(checks, lambda: not first.admin.tweaks()[LEEWAY]["faults"], "what is right again is read again")


def providers(checks: rig.Checks, first: Place, second: Place) -> None:
    account = first.api.sign_in()
    first.admin.set(ENABLED, "false")
    attempt = {"purpose": "sign-in", "provider": "demo"}
    checks.equal(first.api.call("POST", "/v1/attempts", attempt).code, "operation-not-allowed", "a provider is off")
    until(
        checks,
        lambda: second.api.call("POST", "/v1/attempts", attempt).code == "operation-not-allowed",
        "a provider is off at the other instance",
    )
    checks.equal(first.api.call("GET", "/v1/session", token=account.token).status, 200, "who is signed in stays so")
    first.admin.reset(ENABLED)
    checks.equal(first.api.call("POST", "/v1/attempts", attempt).status, 201, "a provider is on again")


def limited(checks: rig.Checks, first: Place) -> None:
    """Each limit counts for what it is of, and for nothing else."""
    token = first.api.sign_in().token
    verification = {"token": first.issuer.token("ada"), "policy": "rig"}
    asks = {
        LIMITS[0]: lambda: first.api.call("GET", "/openapi.json").status,
        LIMITS[1]: lambda: first.api.call("POST", "/v1/verify", verification).status,
        LIMITS[2]: lambda: first.api.call("GET", "/v1/forward-auth", token=token).status,
    }
    for limit, ask in asks.items():
        first.admin.set(limit, 1)
        answers = [ask() for _ in range(5)]
        checks.that(429 in answers, f"a lower {limit} counts at once", answers)
        for other, ask_other in asks.items():
            if other != limit:
                checks.equal([ask_other() for _ in range(5)], [200] * 5, f"{limit} is none of {other}")
        first.admin.set(limit, 1_000_000)
        until(checks, lambda: ask() == 200, f"a higher {limit} counts too")  # noqa: B023


def kept(checks: rig.Checks, first: Place, second: Place) -> None:
    first.admin.set(LEEWAY, 240)
    first.restart()
    second.restart()
    for place in (first, second):
        checks.equal(place.value(LEEWAY), "240", "what was set is there after a restart")
        checks.equal(place.verdict(), "verified", "and counts")
    second.admin.reset_all()
    until(checks, lambda: first.value(LEEWAY) == "30", "everything is reset at once, for both")
    checks.equal(first.admin.tweaks()[LEEWAY]["source"], "default", "and nobody has set anything")


def actions(checks: rig.Checks, place: Place, issuer: Issuer) -> None:
    """Keys are fetched when an operator asks for it: by the instance that is asked, and not too often."""

    def fetched() -> int:
        return issuer.asked.count("/keys")

    def performed() -> str:
        return place.admin.perform(ACTION).body.decode()

    place.admin.set(COOLDOWN, COOLDOWN_SECONDS)
    for _ in range(2):
        # Whatever was fetched before is too long ago to count.
        time.sleep(COOLDOWN_SECONDS + 1)
        before = fetched()
        page = performed()
        checks.that("keys are being fetched" in page, "the page says that keys are fetched", page)
        until(checks, lambda: fetched() > before, "keys are fetched when an operator asks for it")
        page = performed()
        checks.that("keys were requested just now" in page, "the page says that they were fetched just now", page)
        time.sleep(1)
        checks.equal(fetched() - before, 1, "and they are fetched once, by the one instance that was asked")
    place.admin.reset(COOLDOWN)


def main() -> int:
    parser = argparse.ArgumentParser(description="Changes tweaks while the service works.")
    parser.add_argument("binary")
    arguments = parser.parse_args()
    checks = rig.Checks("tweaks")
    with ExitStack() as stack:
        folder = Path(tempfile.mkdtemp(prefix="tweaks-"))
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        issuer = stack.enter_context(Issuer())
        database = stack.enter_context(PostgreSQL())
        shared = {
            "store": database.store,
            "secrets-file": str(keys(folder / "accounts.keys")),
            "policies": ["rig"],
            "policy": {"rig": {"provider": "demo", "nonce": "unchecked"}},
        }
        first = Place(stack, arguments.binary, folder / "first", issuer, shared)
        second = Place(stack, arguments.binary, folder / "second", issuer, shared)
        with Work(checks, [first.api, second.api], issuer):
            on_the_page(checks, first, second)
            validated(checks, first)
            in_the_file(checks, first, second)
            providers(checks, first, second)
            actions(checks, first, issuer)
        limited(checks, first)
        kept(checks, first, second)
    return checks.end()


if __name__ == "__main__":
    sys.exit(main())
