"""Checks that the commands of each incident of docs/guides/operations.md do what the page says.

usage: incidents.py SERVICE_BINARY

The commands are read from the page and run as written, by a shell with the variables that the page names, on the store of a
running service. Only names of providers, dates and files are replaced. The incidents that another rig tests are listed here.
"""

import argparse
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import textwrap
import uuid
from contextlib import ExitStack
from pathlib import Path

import rig
from admin import Admin
from api import API, PASSWORD, Account, Refused
from issuer import Issuer
from service import COMMAND_SECONDS, Mailbox, Service

PAGE = rig.ROOT / "docs" / "guides" / "operations.md"
# The incidents without a command, and the rig that tests each; None if there is nothing to run.
ELSEWHERE = {
    "A provider is down": "outages.py",
    "The store is down": "outages.py",
    "A client secret has leaked": None,
}


def incidents() -> dict[str, str]:
    """The incidents of the page: the first words of each, without the full stop, and its text."""
    section = PAGE.read_text().split("\n## Incidents\n")[1].split("\n## ")[0]
    parts = re.split(r"^\*\*(.+?)\.\*\*", section, flags=re.MULTILINE)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


def blocks(text: str) -> list[str]:
    """The shell blocks of a text."""
    return [textwrap.dedent(block) for block in re.findall(r"^ *```sh\n(.*?)^ *```", text, re.MULTILINE | re.DOTALL)]


def codes(text: str, begin: str) -> list[str]:
    """The pieces of code in the sentences of a text that begin with these characters."""
    return [code for code in re.findall(r"`([^`\n]+)`", text) if code.startswith(begin)]


class Place:
    """A running service with two providers and passwords, its clients, and a shell of its operator."""

    def __init__(self, stack: ExitStack, checks: rig.Checks, binary: str, folder: Path):
        self.checks, self.folder, self.page = checks, folder, incidents()
        self.demo, self.other = stack.enter_context(Issuer()), stack.enter_context(Issuer())
        self.admin, self.mailbox = Admin(folder), Mailbox(folder)
        settings = self.mailbox.settings | {"admin": self.admin.settings}
        self.service = stack.enter_context(
            Service(binary, folder / "service", self.demo.url, self.other.url, **settings)
        )
        self.api = API(self.service.port, self.demo)
        self.apis = {"demo": self.api, "other": API(self.service.port, self.other, "other")}
        programs = folder / "bin"
        programs.mkdir()
        (programs / "verify-token").symlink_to(Path(binary).resolve())
        self.variables = os.environ | {
            "PATH": f"{programs}:{os.environ['PATH']}",
            "store": str(self.service.settings["store"]),
            "secrets": str(self.service.settings["secrets-file"]),
        }

    def run(self, script: str, **variables: str) -> str:
        """Runs commands of the page, and returns their output. Each must succeed."""
        ran = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", script],
            cwd=self.folder,
            env=self.variables | variables,
            capture_output=True,
            text=True,
            timeout=2 * COMMAND_SECONDS,
            check=False,
        )
        what = " ".join(script.split())[:100]
        self.checks.equal(ran.returncode, 0, f"the commands of the page succeed: {what}")
        if ran.returncode != 0:
            print(ran.stderr[-1000:], file=sys.stderr)
        return ran.stdout

    def begin(self) -> None:
        """Starts the service again, which has forgotten the operator's session."""
        self.service.begin()
        self.admin.cookie = ""

    def guarded(self) -> Account:
        """Signs in a user with a verified address, who may enrol a second factor, and enrols one."""
        account = self.api.sign_in(email=f"{uuid.uuid4()}@example.com", email_verified=True)
        self.api.enrol(account)
        return account

    def is_open(self, account: Account) -> bool:
        return self.api.call("GET", "/v1/forward-auth", token=account.token).status == 200

    def password_code(self, email: str) -> str | None:
        """The code of the refusal of a sign-in with the password; None if it is accepted."""
        credential = {"credential": {"type": "password", "email": email, "password": PASSWORD}}
        return self.api.call("POST", "/v1/sign-in", credential).code


def one_provider_fails(place: Place, text: str) -> None:
    [command, *_] = codes(text, "verify-token doctor ISSUER")
    script = command.replace("ISSUER", f"'{place.demo.url}' --allow-loopback-http")
    report = place.run(script)
    place.checks.that("ok" in report and "failed" not in report, "doctor finds nothing wrong with a working provider", report)


def provider_issues_new_subjects(place: Place, text: str) -> None:
    """Users get a second subject, and then a third, which an empty account of the same user has."""
    old, new, newer = (f"{name}-{uuid.uuid4()}" for name in ("old", "new", "newer"))
    owner, empty = place.api.sign_in(old), place.api.sign_in(newer)
    [example] = re.findall(r"^ *```json\n(.*?)^ *```", text, re.MULTILINE | re.DOTALL)
    line = json.loads(example)
    [script] = blocks(text)

    def relink(before: str, after: str) -> str:
        line.update(provider="demo", old=before, new=after)
        (place.folder / "subjects.jsonl").write_text(json.dumps(line) + "\n")
        return place.run(script)

    output = relink(old, new)
    place.checks.that("to relink: 1\n" in output and "\nrelinked: 1\n" in output, "a login gets its new subject", output)
    place.checks.equal(relink(old, new).count("already: 1\n"), 2, "what is done is found in place")
    place.checks.equal(place.api.sign_in(new).id, owner.id, "the new subject opens the account")
    place.checks.that(place.is_open(owner), "its sessions stay open")
    [command] = codes(text, "verify-token accounts unlink")
    place.run(command.replace("ID", empty.id).replace("NAME", "demo").replace("SUBJECT", newer))
    place.checks.that("\nrelinked: 1\n" in relink(new, newer), "a subject that was released is given to the account")
    place.checks.equal(place.api.sign_in(newer).id, owner.id, "it opens the account")
    place.checks.equal(place.service.accounts("check"), "0 problems\n", "the store is consistent")


def keys_of_a_provider_leak(place: Place, text: str) -> None:
    [tweak] = codes(text, "providers.NAME")
    tweak = tweak.replace("NAME", "demo")
    accounts = {name: api.sign_in() for name, api in place.apis.items()}
    place.admin.set(tweak, "false")
    place.checks.equal(
        place.api.call("POST", "/v1/attempts", {"purpose": "sign-in", "provider": "demo"}).code,
        "operation-not-allowed",
        "nobody signs in with a provider that is switched off",
    )
    [script] = blocks(text)
    place.checks.that("google" in script and "2026-03-01" in script, "the example names a provider and a date")
    place.run(script.replace("google", "demo").replace("2026-03-01", "2020-03-01"))
    place.checks.that(not place.is_open(accounts["demo"]), "the sessions of users of the provider are closed")
    place.checks.that(place.is_open(accounts["other"]), "those of other users stay open")
    place.checks.that(not (place.folder / "all.jsonl").exists(), "no export is left behind")
    # The text names the action that fetches the new keys.
    place.checks.that("*keys.refresh*" in text, "the page names the action that fetches keys")
    place.admin.perform("keys.refresh")
    place.admin.reset(tweak)


def secrets_leak(place: Place, text: str) -> None:
    account = place.guarded()
    close, rotate = blocks(text)
    place.service.stop()
    place.run(close)
    old = Path(place.variables["secrets"]).read_text()
    place.run(rotate)
    new = Path(place.variables["secrets"]).read_text()
    place.checks.that(len(new) == len(old) and new != old, "the file has a new key instead of the old one")
    place.begin()
    place.checks.that(not place.is_open(account), "no session outlives the leak")
    place.checks.equal(
        place.api.call("POST", "/v1/sign-in", place.api.credential(account.subject)).code,
        "second-factor-required",
        "the second factor is read with the new key",
    )
    [command] = codes(text, "verify-token accounts remove-factors")
    place.run(command, id=account.id)
    place.checks.equal(place.api.sign_in(account.subject).id, account.id, "without its factor, the login opens the account")


def account_is_taken_over(place: Place, text: str) -> None:
    """An attacker has linked a login, set a password and enrolled a second factor in a user's account."""
    owner = place.api.sign_in()
    email = f"{owner.subject}@example.com"
    place.apis["other"].link(owner, "attacker")
    body = {"password": PASSWORD, "email": email}
    place.api.renewed(owner, place.api.must("PUT", "/v1/account/password", body, owner.token))
    thief = place.apis["other"].sign_in("attacker")
    place.checks.equal(thief.id, owner.id, "the attacker is in the account")
    look, clean = blocks(text)
    seen = place.run(look, id=owner.id)
    place.checks.that(not place.is_open(thief) and not place.is_open(owner), "a disabled account has no sessions")
    for word in ("identity.linked", "password.changed", "other attacker"):
        place.checks.that(word in seen, f"the operator sees what was done: {word}")
    place.run(clean, id=owner.id, provider="other", uid="attacker")
    place.checks.that(place.apis["other"].sign_in("attacker").id != owner.id, "the attacker's login is not the account's")
    place.checks.equal(place.password_code(email), "wrong-password", "the attacker's password does not sign in")
    place.checks.equal(place.api.sign_in(owner.subject).id, owner.id, "the user signs in to the account")
    audit = place.service.accounts("audit", owner.id)
    place.checks.equal(audit.count("identity.unlinked by service"), 2, "the audit names the service")
    place.checks.equal(place.service.accounts("check"), "0 problems\n", "the store is consistent")


def factor_is_removed(place: Place, text: str) -> None:
    owner = place.guarded()
    _, clean = blocks(text)
    [command] = [line for line in clean.splitlines() if "remove-factors" in line]
    place.run(command, id=owner.id)
    place.checks.equal(place.api.sign_in(owner.subject).id, owner.id, "no second factor is required any more")


def disk_is_full(place: Place, text: str) -> None:
    [command] = codes(text, "verify-token accounts sweep")
    place.api.sign_in()
    with sqlite3.connect(place.variables["store"], timeout=COMMAND_SECONDS) as database:
        database.execute("UPDATE login_audit SET at = 0")
    database.close()
    output = place.run(command)
    place.checks.that(re.search(r"^login_audit: [1-9]", output, re.MULTILINE) is not None, "audit rows are deleted", output)


def machine_was_killed(place: Place, text: str) -> None:
    [command] = codes(text, "verify-token accounts check")
    place.service.kill()
    place.checks.equal(place.run(command), "0 problems\n", "a killed service leaves no damage")
    place.begin()


def flood(place: Place, text: str) -> None:
    [tweak] = codes(text, "limits.")
    place.admin.set(tweak, "1")
    statuses = [place.api.call("GET", "/v1/account").status for _ in range(3)]
    place.checks.that(429 in statuses, "a lower limit takes effect at once", statuses)
    place.admin.reset(tweak)


def service_does_not_start(place: Place, text: str) -> None:
    [command] = codes(text, "(umask 077; openssl")
    file = place.folder / "new.keys"
    place.run(command.replace("FILE", f"'{file}'"))
    place.checks.equal(file.stat().st_mode & 0o777, 0o600, "only the owner reads the new keys")
    before = {name: place.service.settings[name] for name in ("store", "secrets-file")}
    place.service.stop()
    place.service.settings |= {"store": str(place.folder / "new.sqlite"), "secrets-file": str(file)}
    place.begin()
    place.checks.that(place.api.sign_in().id != "", "a new store begins with the new keys")
    place.service.stop()
    place.service.settings |= before
    place.begin()


HERE = {
    "Sign-in with one provider fails": [one_provider_fails],
    "A provider has issued new subjects": [provider_issues_new_subjects],
    "A provider's signing keys have leaked": [keys_of_a_provider_leak],
    "The secrets file has leaked": [secrets_leak],
    "An account is compromised": [account_is_taken_over, factor_is_removed],
    "The disk is full": [disk_is_full],
    "The machine was killed or lost power": [machine_was_killed],
    "A flood of requests": [flood],
    "The service does not start": [service_does_not_start],
}


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("service")
    arguments = parser.parse_args()
    checks = rig.Checks("incidents")
    page = incidents()
    checks.equal(sorted(page), sorted(HERE | ELSEWHERE), "each incident of the page is tested")
    for name, elsewhere in ELSEWHERE.items():
        checks.that(elsewhere is None or (Path(__file__).parent / elsewhere).exists(), f"{name}: its rig exists")
        checks.equal(blocks(page[name]), [], f"{name}: it has no commands")
    folder = Path(tempfile.mkdtemp(prefix="incidents-"))
    try:
        with ExitStack() as stack:
            place = Place(stack, checks, arguments.service, folder)
            for name, steps in HERE.items():
                for step in steps:
                    try:
                        step(place, page[name])
                    except (Refused, RuntimeError, TimeoutError, ValueError) as error:
                        checks.that(False, f"{name}: {step.__name__}", error)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return checks.end()


if __name__ == "__main__":
    sys.exit(main())
