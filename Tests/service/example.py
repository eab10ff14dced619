"""Checks that the example server of docs/guides/sign-in-server.md works as documented.

usage: example.py SERVICE_BINARY

`swift build` writes SignInServer into the directory of SERVICE_BINARY. nio.py checks SwiftNIOServer so too. An app signs a user in with ID tokens of a local provider.
Then a browser signs in at a mock provider, links a second one, enrols an authenticator app, and signs in with it. The rows that
the server's hook has stored are read from the database file.
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
from chromium import Chromium, chromium
from issuer import Issuer
from mocks import CLIENT_SECRET, Mock
from service import keys

# The client ID of the example at its providers.
AUDIENCE = "web"
ADA = {"sub": "ada", "name": "Ada Example", "email": "ada@corp.example", "email_verified": True}
ADA_AT_THE_CLUB = {"sub": "member-7", "name": "Ada of the Club", "email": "ada@club.example", "email_verified": True}
# The name of the user at the club before the last sign-in.
NEW_NAME = "Ada Lovelace of the Club"
# The time between reading a code and submitting it.
TYPING_SECONDS = 10


@dataclass
class Server:
    """A running example server."""

    program: rig.Program
    port: int
    store: Path

    # Whether it has a table that the hook writes.
    has_hook: bool

    def check_profiles(self, checks: rig.Checks, expected: list[tuple], sentence: str) -> None:
        """Checks the rows of the application's table, if it has one."""
        if not self.has_hook:
            return
        with closing(sqlite3.connect(f"file:{self.store}?mode=ro", uri=True)) as database:
            rows = database.execute("SELECT account, provider, name, email FROM profile ORDER BY provider").fetchall()
        checks.equal(rows, expected, sentence)


@contextmanager
def serve(binary: Path, corp: str, club: str) -> Iterator[Server]:
    """Runs the example with two issuers, in a temporary folder."""
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
            yield Server(program, port, store, binary.name == "SignInServer")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def by_app(checks: rig.Checks, binary: Path) -> None:
    """An app calls the API with ID tokens of `Issuer`."""
    with Issuer() as corp, Issuer() as club, serve(binary, corp.url, club.url) as server:
        api = API(server.port, corp, "corp")
        refused = api.call("GET", "/notes")
        checks.equal((refused.status, refused.code), (401, "missing-session"), "a request without a session is refused")
        ada = api.sign_in("ada", aud=AUDIENCE, name="Ada Example")
        answer = api.call("GET", "/notes", token=ada.token)
        seen, notes = (answer.status, answer.body), f"the notes of {ada.id}\n".encode()
        checks.equal(seen, (200, notes), "a signed-in user reads their own notes")
        server.check_profiles(checks, [(ada.id, "corp", "Ada Example", None)], "the hook has stored the claims")
        again = api.sign_in("ada", aud=AUDIENCE, name="Ada Lovelace")
        checks.equal(again.id, ada.id, "a second sign-in opens the same account")
        server.check_profiles(checks, [(ada.id, "corp", "Ada Lovelace", None)], "the next sign-in updates the stored claims")
        wrong = api.credential("ada", aud="another client", name="Eve")
        refused = api.call("POST", "/v1/sign-in", wrong)
        checks.equal(refused.code, "invalid-credential", "a token for another app is refused")
        server.check_profiles(checks, [(ada.id, "corp", "Ada Lovelace", None)], "the hook does not run for a refused token")
        api.sign_out(ada.token)
        checks.equal(api.call("GET", "/notes", token=ada.token).status, 401, "a session is refused after sign-out")
        checks.equal(server.program.stop(), 0, "the server exits with 0 after SIGTERM")


def by_browser(checks: rig.Checks, binary: Path) -> None:
    """A user signs in on the pages with two mock providers."""
    with tempfile.TemporaryDirectory(prefix="example-") as name:
        folder = Path(name)
        with (
            Mock("corp", folder, [ADA]) as corp,
            Mock("club", folder, [ADA_AT_THE_CLUB]) as club,
            serve(binary, corp.url, club.url) as server,
            chromium(f"http://localhost:{server.port}") as browser,
        ):
            travel(Journey("example", browser, checks), server, club)
            checks.equal(server.program.stop(), 0, "the server exits with 0 after SIGTERM and use by a browser")


def cookies(browser: Chromium) -> list[tuple[str, str]]:
    """Returns the header with the browser's cookies."""
    return [("Cookie", "; ".join(f"{cookie['name']}={cookie['value']}" for cookie in browser.driver.get_cookies()))]


def travel(journey: Journey, server: Server, club: Mock) -> None:
    site, browser, checks = journey.site, journey.browser, journey.checks
    site.sign_in("corp", "ada")
    site.wait_for_account()
    journey.that(site.is_signed_in, "a sign-in at the first provider leads to the account page", browser.path)
    account = rig.ask(server.port, "GET", "/notes", cookies(browser)).body.decode().removeprefix("the notes of ").strip()
    first = (account, "corp", ADA["name"], ADA["email"])
    server.check_profiles(checks, [first], "the hook has stored the claims of the first provider")

    site.link("club", "member-7")
    site.wait_for_account()
    journey.that(len(site.logins) == 2, "the second provider is linked", site.logins)
    second = (account, "club", ADA_AT_THE_CLUB["name"], ADA_AT_THE_CLUB["email"])
    server.check_profiles(checks, [second, first], "the hook has stored the claims of the linked provider")

    key = site.begin_factor("My phone")
    # The code of the previous time step is valid too. Each code is accepted once, so that of this step remains for the sign-in.
    rig.wait_until(lambda: time.time() % STEP < STEP - TYPING_SECONDS, "the time step leaves enough time to submit the code")
    site.give_code(totp(key, time.time() - STEP))
    browser.one("form[action='/recovery-codes']")
    browser.visit("/")
    journey.that(browser.all("form[action$='/remove']"), "the page lists the second factor")

    kept = cookies(browser)
    statuses = [rig.ask(server.port, "GET", "/notes", kept).status]
    site.sign_out()
    statuses.append(rig.ask(server.port, "GET", "/notes", kept).status)
    checks.equal(statuses, [200, 401], "the browser's cookies are refused after sign-out")
    browser.visit("/notes")
    led = browser.path
    journey.that(led == "/login?returnTo=%2Fnotes", "the route redirects to the sign-in page without a session", led)

    club.set_claims(ADA_AT_THE_CLUB | {"name": NEW_NAME})
    site.sign_in("club", "member-7")
    browser.wait_for("/login/second-factor.*")
    server.check_profiles(checks, [second, first], "the hook waits for the second factor")
    site.use_app(totp(key))
    site.wait_for_account()
    journey.that(site.is_signed_in, "the second factor completes the sign-in")
    renamed = (account, "club", NEW_NAME, ADA_AT_THE_CLUB["email"])
    server.check_profiles(checks, [renamed, first], "the hook has stored the new claims after the second factor")

    # Without `journey.that`: the response has no icon, which the browser requests and reports as missing on the console.
    browser.visit("/notes")
    checks.equal(browser.text, f"the notes of {account}", "the route accepts the session of the pages")


def main() -> int:
    if len(sys.argv) != 2:
        print("usage: example.py SERVICE_BINARY", file=sys.stderr)
        return 64
    binary = Path(sys.argv[1]).with_name("SignInServer")
    if not binary.exists():
        print(f"example: {binary} is missing; run swift build --enable-all-traits", file=sys.stderr)
        return 1
    checks = rig.Checks("example")
    by_app(checks, binary)
    by_browser(checks, binary)
    return checks.end()


if __name__ == "__main__":
    sys.exit(main())
