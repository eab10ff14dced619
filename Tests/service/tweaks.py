"""Checks that tweaks take effect on both running instances, from the page and from the file, without lost requests.

usage: tweaks.py SERVICE_BINARY

Two instances on one PostgreSQL database verify tokens continuously. Meanwhile the script changes tweaks in every way, and
observes the effects from outside: on a token that has just expired, on a disabled provider, and on rate limits.
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
# Seconds, long enough that the second of two requests falls within the cooldown even on a busy machine.
COOLDOWN_SECONDS = 15
WRONG = "invalid configuration"
# The maximum seconds until a change takes effect at the other instance.
ARRIVES = 60
# Seconds since the expiry of a token, which is refused with the default leeway and accepted with 300 s.
TOO_OLD = 60


class Load:
    """Continuous verification requests to all instances, none of which may fail."""

    def __init__(self, checks: rig.Checks, apis: list[API], issuer: Issuer):
        self.checks, self.apis, self.issuer = checks, apis, issuer
        self.done, self.lost, self.ends = 0, [], threading.Event()

    def send(self, api: API) -> None:
        while not self.ends.is_set():
            body = {"token": self.issuer.token("worker"), "policy": "rig"}
            try:
                response = api.call("POST", "/v1/verify", body)
                if response.status != 200 or response.json()["verdict"] != "verified":
                    self.lost.append((response.status, response.body[:200]))
            except OSError as error:
                self.lost.append(repr(error))
            self.done += 1

    def __enter__(self) -> "Load":
        self.threads = [threading.Thread(target=self.send, args=(api,)) for api in self.apis]
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_) -> None:
        self.ends.set()
        for thread in self.threads:
            thread.join()
        self.checks.that(not self.lost, "no request is lost or refused while tweaks change", self.lost[:3])
        self.checks.that(self.done > 50, "the instances verified tokens meanwhile", self.done)


class Instance:
    """One instance of the service, with clients of its admin listener and of its API."""

    def __init__(self, stack: ExitStack, binary: str, folder: Path, issuer: Issuer, shared: dict):
        self.admin, self.issuer = Admin(folder), issuer
        self.service = stack.enter_context(
            Service(binary, folder, issuer.url, admin=self.admin.settings, **shared)
        )
        self.api = API(self.service.port, issuer)

    def verdict(self) -> str:
        """The verdict on a token that expired a minute ago, or the code of its refusal."""
        expiry = int(time.time()) - TOO_OLD
        token = self.issuer.token("late", iat=expiry - 60, exp=expiry)
        response = self.api.call("POST", "/v1/verify", {"token": token, "policy": "rig"}).json()
        return response.get("code") or response["verdict"]

    def value(self, tweak: str) -> str:
        return self.admin.tweaks()[tweak]["value"]

    def write(self, tweaks: dict) -> None:
        self.service.settings["tweaks"] = tweaks
        self.service.write()

    def reload(self) -> None:
        """Makes the service read its configuration at once, instead of within 15 seconds."""
        self.service.process.send_signal(signal.SIGHUP)

    def complaints(self) -> list[str]:
        """The log lines about invalid configurations."""
        return [line for line in self.service.words().splitlines() if WRONG in line]

    def restart(self) -> None:
        self.service.stop()
        self.service.begin()
        # The process stores the operators' sessions in memory.
        self.admin.cookie = ""


def until(checks: rig.Checks, holds, sentence: str) -> None:
    """Checks that a condition holds within a minute."""
    try:
        rig.wait_until(holds, sentence, ARRIVES)
        checks.that(True, sentence)
    except TimeoutError:
        checks.that(False, sentence)


def from_page(checks: rig.Checks, first: Instance, second: Instance) -> None:
    for instance in (first, second):
        checks.equal(instance.verdict(), "expired", "a token that expired a minute ago is refused")
    first.admin.set(LEEWAY, 300)
    checks.equal(first.verdict(), "verified", "with a leeway of five minutes, the next request accepts it")
    until(checks, lambda: second.verdict() == "verified", "the other instance accepts it too")
    tweak = first.admin.tweaks()[LEEWAY]
    reported = (tweak["changedBy"], tweak["default"], tweak["value"])
    checks.equal(reported, ("rig", "30", "300"), "the listener reports the operator, the default and the value")
    page = first.admin.call("GET", "/").body.decode()
    checks.that("<td>rig</td>" in page and "300" in page, "the page shows the operator and the value")


def validated(checks: rig.Checks, instance: Instance) -> None:
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
        before = instance.value(tweak)
        response = instance.admin.attempt(tweak, wrong)
        checks.equal(response.status, 422, f"{tweak} is not set to {wrong!r}")
        checks.that("Not changed" in response.body.decode(), f"the page reports that {tweak} was not changed to {wrong!r}")
        checks.equal(instance.value(tweak), before, f"{tweak} keeps its value")
    for tweak, edge in ((LEEWAY, "0"), (LEEWAY, "300"), (SIZE, "2"), (SIZE, "1000000")):
        checks.equal(instance.admin.attempt(tweak, edge).status, 303, f"{tweak} accepts its limit {edge}")
    stale = instance.admin.attempt(LEEWAY, "60", revision="1")
    checks.equal(stale.status, 409, "a change of an outdated revision is refused")
    instance.admin.reset(SIZE)
    instance.admin.set(LEEWAY, 300)


def from_file(checks: rig.Checks, first: Instance, second: Instance) -> None:
    """The file of one instance: operators override it, and it overrides the default."""
    first.write({LEEWAY: 90} | dict.fromkeys(LIMITS, 1_000_000))
    until(checks, lambda: first.admin.tweaks()[LEEWAY].get("file") == "90", "a value in the file is read without a restart")
    checks.equal(first.value(LEEWAY), "300", "a value set by an operator overrides the file")
    first.admin.reset(LEEWAY)
    checks.equal(first.value(LEEWAY), "90", "after a reset, the value of the file applies")
    checks.equal(first.verdict(), "verified", "its leeway includes a minute")
    until(checks, lambda: second.verdict() == "expired", "at the other instance, the default applies again")
    before = len(first.complaints())
    first.write({LEEWAY: 301} | dict.fromkeys(LIMITS, 1))
    first.reload()
    until(checks, lambda: len(first.complaints()) > before, "a value in the file that is out of range is logged")
    checks.that(LEEWAY in first.complaints()[-1], "the log names the tweak of the value", first.complaints())
    checks.equal(first.value(LEEWAY), "90", "the previous value stays in effect")
    before = len(first.complaints())
    first.write({"no.such.tweak": 1, LEEWAY: 120})
    first.reload()
    until(checks, lambda: len(first.complaints()) > before, "an unknown tweak is logged")
    checks.that("no.such.tweak" in first.complaints()[-1], "the log names the unknown tweak", first.complaints())
    checks.equal(first.value(LIMITS[0]), "1000000", "the previous file stays in effect if a tweak is unknown")
    checks.equal(first.value(LEEWAY), "90", "no other value of the invalid file takes effect")
    first.write({LEEWAY: 30} | dict.fromkeys(LIMITS, 1_000_000))
    first.reload()
    until(checks, lambda: first.value(LEEWAY) == "30", "a corrected file is read again")
    before = len(first.complaints())
    first.write(dict.fromkeys(LIMITS, 1_000_000))
    first.reload()
    until(checks, lambda: len(first.complaints()) > before, "a file without a tweak that it set before is logged")
    checks.that(LEEWAY in first.complaints()[-1], "the log names the missing tweak", first.complaints())


def providers(checks: rig.Checks, first: Instance, second: Instance) -> None:
    account = first.api.sign_in()
    first.admin.set(ENABLED, "false")
    attempt = {"purpose": "sign-in", "provider": "demo"}
    checks.equal(first.api.call("POST", "/v1/attempts", attempt).code, "operation-not-allowed", "a provider is disabled")
    until(
        checks,
        lambda: second.api.call("POST", "/v1/attempts", attempt).code == "operation-not-allowed",
        "the provider is disabled at the other instance",
    )
    checks.equal(first.api.call("GET", "/v1/session", token=account.token).status, 200, "sessions stay open")
    first.admin.reset(ENABLED)
    checks.equal(first.api.call("POST", "/v1/attempts", attempt).status, 201, "the provider is enabled again")


def limited(checks: rig.Checks, first: Instance) -> None:
    """Each limit applies to its own requests only."""
    token = first.api.sign_in().token
    verification = {"token": first.issuer.token("ada"), "policy": "rig"}
    requests = {
        LIMITS[0]: lambda: first.api.call("GET", "/openapi.json").status,
        LIMITS[1]: lambda: first.api.call("POST", "/v1/verify", verification).status,
        LIMITS[2]: lambda: first.api.call("GET", "/v1/forward-auth", token=token).status,
    }
    for limit, send in requests.items():
        first.admin.set(limit, 1)
        statuses = [send() for _ in range(5)]
        checks.that(429 in statuses, f"a lower {limit} takes effect at once", statuses)
        for other, send_other in requests.items():
            if other != limit:
                checks.equal([send_other() for _ in range(5)], [200] * 5, f"{limit} does not affect {other}")
        first.admin.set(limit, 1_000_000)
        until(checks, lambda: send() == 200, f"a higher {limit} takes effect too")  # noqa: B023


def persisted(checks: rig.Checks, first: Instance, second: Instance) -> None:
    first.admin.set(LEEWAY, 240)
    first.restart()
    second.restart()
    for instance in (first, second):
        checks.equal(instance.value(LEEWAY), "240", "a value is persisted across a restart")
        checks.equal(instance.verdict(), "verified", "the persisted value takes effect")
    second.admin.reset_all()
    until(checks, lambda: first.value(LEEWAY) == "30", "one reset of all tweaks applies to both instances")
    checks.equal(first.admin.tweaks()[LEEWAY]["source"], "default", "no value set by an operator is left")


def actions(checks: rig.Checks, instance: Instance, issuer: Issuer) -> None:
    """An operator refreshes the keys: at one instance, and at most once per cooldown."""

    def fetched() -> int:
        return issuer.asked.count("/keys")

    def performed() -> str:
        return instance.admin.perform(ACTION).body.decode()

    instance.admin.set(COOLDOWN, COOLDOWN_SECONDS)
    for _ in range(2):
        # The cooldown of earlier fetches has ended.
        time.sleep(COOLDOWN_SECONDS + 1)
        before = fetched()
        page = performed()
        checks.that("keys are being fetched" in page, "the page reports that keys are being fetched", page)
        until(checks, lambda: fetched() > before, "the refresh fetches the keys")
        page = performed()
        checks.that("keys were requested just now" in page, "the page reports that keys were requested just now", page)
        time.sleep(1)
        checks.equal(fetched() - before, 1, "one instance fetched the keys, once")
    instance.admin.reset(COOLDOWN)


def main() -> int:
    parser = argparse.ArgumentParser(description="Changes tweaks while the service runs.")
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
        first = Instance(stack, arguments.binary, folder / "first", issuer, shared)
        second = Instance(stack, arguments.binary, folder / "second", issuer, shared)
        with Load(checks, [first.api, second.api], issuer):
            from_page(checks, first, second)
            validated(checks, first)
            from_file(checks, first, second)
            providers(checks, first, second)
            actions(checks, first, issuer)
        limited(checks, first)
        persisted(checks, first, second)
    return checks.end()


if __name__ == "__main__":
    sys.exit(main())
