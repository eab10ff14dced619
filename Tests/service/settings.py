"""Changes settings of a server without accounts, in a real browser.

usage: settings.py SERVICE_BINARY

TweaksServer, the server of docs/guides/tweaks.md, is in the directory of the service's binary: `swift build` makes both.
"""

import base64
import json
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import rig
from browser import JOURNEYS, Journey, complete

PASSWORD = "made-up-password-of-the-settings"
AUTHORIZATION = ("Authorization", "Basic " + base64.b64encode(f"ada:{PASSWORD}".encode()).decode())
FORM = ("Content-Type", "application/x-www-form-urlencoded")


class Server:
    """The server in a directory of its own."""

    def __init__(self, folder: Path, port: int):
        self.folder, self.port = folder, port

    @property
    def greeting(self) -> str:
        return rig.ask(self.port, "GET", "/greeting").body.decode()

    def settings(self) -> dict:
        """The settings by title, as JSON."""
        answer = rig.ask(self.port, "GET", "/settings/tweaks.json", [AUTHORIZATION])
        return {tweak["title"]: tweak for tweak in answer.json()["tweaks"]}


@contextmanager
def serve(binary: Path) -> Iterator[Server]:
    with tempfile.TemporaryDirectory(prefix="settings-") as name:
        folder, port = Path(name), rig.free_port()
        password = folder / "settings.password"
        password.touch(mode=0o600)
        password.write_text(PASSWORD + "\n")
        with rig.Program("server", [str(binary), str(port)], folder, cwd=folder) as program:
            program.start(lambda: rig.listens(port))
            yield Server(folder, port)


def by_program(checks: rig.Checks, server: Server) -> None:
    """Requests without a browser, and those that another site would cause."""
    checks.equal(rig.ask(server.port, "GET", "/settings").status, 401, "a request without the password is refused")
    wrong = ("Authorization", "Basic " + base64.b64encode(b"ada:wrong").decode())
    checks.equal(rig.ask(server.port, "GET", "/settings", [wrong]).status, 401, "a wrong password is refused")
    loud = server.settings()["Loud"]
    path = f"/settings/tweaks/{loud['id']}"
    forged = rig.ask(server.port, "POST", path, [AUTHORIZATION, FORM], b"value=true&revision=0")
    checks.equal(forged.status, 403, "a form without a CSRF token is refused")
    change = json.dumps({"value": "true", "revision": 0}).encode()
    kind = ("Content-Type", "application/json")
    for header in (("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Site", "same-site"), ("Origin", "https://attacker.example")):
        foreign = rig.ask(server.port, "PUT", path, [AUTHORIZATION, kind, header], change)
        checks.equal(foreign.status, 403, f"a change with {header[0]}: {header[1]} is refused")
    checks.equal(server.greeting, "Hello", "refused changes have no effect")
    checks.equal(rig.ask(server.port, "PUT", path, [AUTHORIZATION, kind], change).status, 200, "a program sets a value")
    checks.equal(server.greeting, "HELLO", "the value takes effect")
    checks.equal(rig.ask(server.port, "PUT", path, [AUTHORIZATION, kind], change).status, 409, "an old revision is refused")
    mode = stat.S_IMODE((server.folder / "settings.json").stat().st_mode)
    checks.equal(oct(mode), oct(0o600), "the file of the values is private")


def by_browser(journey: Journey, server: Server) -> None:
    browser, hand = journey.browser, journey.hand
    greeting = server.settings()["Greeting"]["id"]
    field = f"[id='value-{greeting}']"
    form = f"form:has({field})"
    browser.driver.get(f"http://ada:{PASSWORD}@localhost:{server.port}/settings")
    browser.visit("/settings")
    journey.look("settings")
    journey.that("Greeting" in browser.text, "the page lists the declared settings")
    hand.type(field, "Good morning")
    hand.press(f"{form} button")
    browser.wait_for(r"/settings/?\?changed=.*")
    journey.that(server.greeting == "Good morning", "a value takes effect at once", server.greeting)
    journey.that("set by ada" in browser.text, "the page names the author", browser.text[:400])
    count = browser.one("form[action*='/actions/'] button")
    journey.that(count.text == "Count the letters", "the page has a button for the action", count.text)
    hand.press("form[action*='/actions/'] button")
    journey.that("12 letters" in browser.text, "the page shows the result of the action", browser.text[:400])
    browser.visit("/settings")
    hand.press("form[action$='/reset']:has(button[aria-label='Reset Greeting']) button")
    browser.wait_for(r"/settings/?\?changed=.*")
    journey.that(server.greeting == "Hello", "a reset restores the default", server.greeting)
    journey.look("settings-reset")


def main() -> int:
    binary = Path(sys.argv[1]).parent / "TweaksServer"
    checks = rig.Checks("settings")
    with serve(binary) as server:
        by_program(checks, server)
    for name in JOURNEYS:
        with serve(binary) as server:
            complete(name, checks, server.port, lambda journey: by_browser(journey, server))
    return checks.end()


if __name__ == "__main__":
    sys.exit(main())
