"""Does the example server of docs/guides/sign-in-server.md do what it says?

usage: example.py SERVICE_BINARY

SignInServer stands beside the service's binary: `swift build` makes both. An app signs somebody in with tokens of a provider on this
machine. Then a browser signs in at a provider that others wrote, links a second one, enrols an app as second factor, and signs in
with it; what the server's hook has stored is read from the file.
"""

import shutil
import sqlite3
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import rig
from api import API, totp
from browser import STEP, Journey
from chromium import chromium
from issuer import Issuer
from mocks import CLIENT_SECRET, Mock
from service import Mailbox, keys

# As the example is registered at its providers.
AUDIENCE = "web"
ADA = {"sub": "ada", "name": "Ada Example", "email": "ada@corp.example", "email_verified": True}
ADA_AT_THE_CLUB = {"sub": "member-7", "name": "Ada of the Club", "email": "ada@club.example", "email_verified": True}
# How long a person may take from an app's code to the page that takes it.
TYPING_SECONDS = 10


@dataclass
class Server:
    """The example as it runs."""

    program: rig.Program
    port: int
    store: Path

    def profiles(self) -> list[tuple[str, str, str, str]]:
        """The rows of the application's table."""
        with closing(sqlite3.connect(f"file:{self.store}?mode=ro", uri=True)) as database:
            return database.execute("SELECT account, provider, name, email FROM profile ORDER BY provider").fetchall()


@contextmanager
def serve(binary: Path, corp: str, club: str) -> Iterator[Server]:
    """The example with these two issuers, in a folder that goes away."""
    folder = Path(tempfile.mkdtemp(prefix="example-"))
    port, store = rig.free_port(), folder / "accounts.sqlite"
    environment = {
        "PATH": "/usr/bin:/bin",
        "HOME": str(folder),
        "PORT": str(port),
        "CORP_ISSUER": corp,
        "CORP_SECRET": CLIENT_SECRET,
        "CLUB_ISSUER": club,
        "CLUB_SECRET": CLIENT_SECRET,
        "STORE": str(store),
        "SECRETS": str(keys(folder / "accounts.keys")),
    }
    try:
        with rig.Program("example", [str(binary)], folder, env=environment, cwd=folder) as program:
            program.start(lambda: rig.listens(port))
            yield Server(program, port, store)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def by_app(checks: rig.Checks, binary: Path) -> None:
    """An app at the operations, with tokens of an issuer that makes any."""
    with Issuer() as corp, Issuer() as club, serve(binary, corp.url, club.url) as server:
        api = API(server.port, corp, "corp")
        refused = api.call("GET", "/notes")
        checks.equal((refused.status, refused.code), (401, "missing-session"), "a stranger reads nothing, and hears why")
        ada = api.sign_in("ada", aud=AUDIENCE, name="Ada Example")
        answer = api.call("GET", "/notes", token=ada.token)
        seen, notes = (answer.status, answer.body), f"the notes of {ada.id}\n".encode()
        checks.equal(seen, (200, notes), "a person reads what is theirs")
        checks.equal(server.profiles(), [(ada.id, "corp", "Ada Example", None)], "the hook has stored the claims")
        again = api.sign_in("ada", aud=AUDIENCE, name="Ada Lovelace")
        checks.equal(again.id, ada.id, "who comes again has the same account")
        checks.equal(server.profiles(), [(ada.id, "corp", "Ada Lovelace", None)], "the hook stores what is new")
        wrong = api.credential("ada", aud="another client", name="Eve")
        refused = api.call("POST", "/v1/sign-in", wrong)
        checks.equal(refused.code, "invalid-credential", "a token for another app is refused")
        checks.equal(server.profiles(), [(ada.id, "corp", "Ada Lovelace", None)], "the hook does not run for it")
        api.sign_out(ada.token)
        checks.equal(api.call("GET", "/notes", token=ada.token).status, 401, "after signing out it is over")
        checks.equal(server.program.stop(), 0, "told to end, it ends well")


def by_browser(checks: rig.Checks, binary: Path) -> None:
    """A person at the pages, with two providers that others wrote."""
    with tempfile.TemporaryDirectory(prefix="example-") as name:
        folder = Path(name)
        with (
            Mock("corp", folder, [ADA]) as corp,
            Mock("club", folder, [ADA_AT_THE_CLUB]) as club,
            serve(binary, corp.url, club.url) as server,
            chromium(f"http://localhost:{server.port}") as browser,
        ):
            travel(Journey("example", browser, checks, Mailbox(folder), None), server)
            checks.equal(server.program.stop(), 0, "told to end, it ends well after the browser too")


def travel(journey: Journey, server: Server) -> None:
    site, browser, checks = journey.site, journey.browser, journey.checks
    site.sign_in("corp", "ada")
    site.wait_for_account()
    journey.that(site.is_signed_in, "signing in at the first provider leads to the account", browser.path)
    stored = server.profiles()
    account = stored[0][0] if stored else ""
    first = (account, "corp", ADA["name"], ADA["email"])
    checks.equal(stored, [first], "the hook has stored the claims of the first provider")

    site.link("club", "member-7")
    site.wait_for_account()
    journey.that(len(site.logins) == 2, "the second provider is linked", site.logins)
    checks.equal(server.profiles(), [first], "linking is no sign-in: the hook does not run")

    key = site.begin_factor("My phone")
    # The code of the last half minute counts too, and leaves that of this one for later: each counts once.
    rig.wait_until(lambda: time.time() % STEP < STEP - TYPING_SECONDS, "there is time to type the code")
    site.give_code(totp(key, time.time() - STEP))
    browser.one("form[action='/recovery-codes']")
    browser.visit("/")
    journey.that(browser.all("form[action$='/remove']"), "the second factor is there")

    cookies = "; ".join(f"{cookie['name']}={cookie['value']}" for cookie in browser.driver.get_cookies())
    statuses = [rig.ask(server.port, "GET", "/notes", [("Cookie", cookies)]).status]
    site.sign_out()
    statuses.append(rig.ask(server.port, "GET", "/notes", [("Cookie", cookies)]).status)
    checks.equal(statuses, [200, 401], "after signing out the browser's cookies open nothing")
    browser.visit("/notes")
    led = browser.path
    journey.that(led == "/login?returnTo=%2Fnotes", "without a session the route leads to the sign-in page", led)

    site.sign_in("club", "member-7")
    browser.wait_for("/login/second-factor.*")
    checks.equal(server.profiles(), [first], "before the second factor the hook does not run")
    site.use_app(totp(key))
    site.wait_for_account()
    journey.that(site.is_signed_in, "the second factor opens the account")
    second = (account, "club", ADA_AT_THE_CLUB["name"], ADA_AT_THE_CLUB["email"])
    checks.equal(server.profiles(), [second, first], "after the second factor the hook has stored the claims")

    # This is no page: the browser asks for an icon, and the console says that there is none.
    browser.visit("/notes")
    checks.equal(browser.text, f"the notes of {account}", "the route answers in the same session")


def main() -> int:
    if len(sys.argv) != 2:
        print("usage: example.py SERVICE_BINARY", file=sys.stderr)
        return 64
    binary = Path(sys.argv[1]).with_name("SignInServer")
    if not binary.exists():
        print(f"example: there is no {binary}; swift build --enable-all-traits makes it", file=sys.stderr)
        return 1
    checks = rig.Checks("example")
    by_app(checks, binary)
    by_browser(checks, binary)
    return checks.end()


if __name__ == "__main__":
    sys.exit(main())
