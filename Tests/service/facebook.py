"""Signs in at a stand-in for Facebook in a real browser, with and without tracking, and changes permissions.

usage: facebook.py SERVICE_BINARY [limited|enabled …]

FacebookSite is in the directory of the service's binary: `swift build` makes both. Limited Login responds in the fragment of the URL,
which a script on the callback page posts; a login with tracking responds with a code.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import rig
from browser import JOURNEYS, Journey, complete

CALLBACK = "/login/facebook/callback"
PERMISSIONS = "/permissions/facebook"
REASON = "We send receipts to your e-mail address."


class User:
    """The user of the stand-in, who decides before the browser is redirected."""

    def __init__(self, port: int):
        self.port = port

    def becomes(self, decision: str) -> None:
        answer = rig.ask(self.port, "GET", f"/stand-in/{decision}")
        assert answer.status == 200, answer


@contextmanager
def site(binary: Path, tracking: str) -> Iterator[int]:
    """A site whose only provider is the stand-in; yields its port."""
    with tempfile.TemporaryDirectory(prefix="facebook-") as folder:
        port = rig.free_port()
        with rig.Program("site", [str(binary), str(port), tracking], Path(folder)) as program:
            program.start(lambda: rig.listens(port))
            yield port


def press(journey: Journey, change: str, permission: str | None = None) -> None:
    """Presses the button of a change on the page of permissions, and waits for the way back from the provider."""
    field = f":has(input[name=permission][value='{permission}'])" if permission else ""
    journey.hand.press(f"form[action='{PERMISSIONS}/{change}']{field} button")
    journey.browser.wait_for(PERMISSIONS + r"(\?.*)?")


def is_offered(journey: Journey, change: str, permission: str) -> bool:
    form = f"form[action='{PERMISSIONS}/{change}']:has(input[name=permission][value='{permission}'])"
    return bool(journey.browser.all(form))


def sign_in(journey: Journey) -> None:
    journey.site.open_login()
    button = journey.browser.one("form[action='/login/facebook'] button")
    journey.that(button.text == "Continue with Facebook", "the button has Facebook's wording", button.text)
    journey.site.choose("facebook")
    journey.site.wait_for_account()
    journey.that(journey.site.is_signed_in, "a login at Facebook leads to the account", journey.browser.path)
    journey.that("#" not in journey.browser.driver.current_url, "the address has no fragment", journey.browser.path)


def cancel(journey: Journey, user: User) -> None:
    user.becomes("cancelling")
    journey.site.open_login()
    journey.site.choose("facebook")
    journey.browser.wait_for(r"/login\?.*")
    journey.that(not journey.site.is_signed_in and journey.site.notice, "a cancelled login leads back to the login page")
    user.becomes("willing")


def permissions(journey: Journey, user: User) -> None:
    user.becomes("declining")
    sign_in(journey)
    journey.look("facebook-account")
    journey.hand.press(f"main a[href='{PERMISSIONS}']")
    journey.browser.wait_for(PERMISSIONS)
    journey.look("facebook-permissions")
    journey.that(is_offered(journey, "revoke", "user_friends"), "a granted permission can be revoked")
    journey.that(is_offered(journey, "request", "email"), "a declined permission can be requested")
    journey.that(REASON in journey.browser.text, "the page gives the reason for the permission")
    press(journey, "request", "email")
    journey.that("declined" in journey.site.notice, "declining again changes nothing", journey.site.notice)
    journey.that(is_offered(journey, "request", "email"), "the permission can still be requested")
    user.becomes("willing")
    press(journey, "request", "email")
    journey.that("Thank you" in journey.site.notice, "a granted permission is acknowledged", journey.site.notice)
    press(journey, "revoke", "user_friends")
    journey.that("no longer" in journey.site.notice, "a revoked permission is confirmed", journey.site.notice)
    journey.that(is_offered(journey, "request", "user_friends"), "a revoked permission can be requested again")
    journey.that(is_offered(journey, "revoke", "email"), "the other permission is still granted")
    press(journey, "revoke-all")
    journey.that("Nothing is shared" in journey.site.notice, "the revoked login is confirmed", journey.site.notice)
    journey.browser.visit("/")
    journey.that("You revoked this sign-in method" in journey.browser.text, "the account page says that the login is revoked")
    journey.look("facebook-revoked")
    journey.hand.press("form[action='/link/facebook'] button")
    journey.browser.wait_for(r"/\?notice=linked")
    journey.that("You revoked" not in journey.browser.text, "the login is linked again", journey.browser.text)
    journey.site.sign_out()


def without_fragment(journey: Journey) -> None:
    """The callback page of Limited Login if the provider sent nothing."""
    journey.browser.visit(CALLBACK)
    journey.that(journey.browser.one("[role=alert]").is_displayed(), "the page says that no response arrived")
    journey.look("facebook-no-response")


def without_scripts(journey: Journey, tracking: str) -> None:
    journey.site.open_login()
    journey.site.choose("facebook")
    if tracking == "enabled":
        journey.site.wait_for_account()
        journey.that(journey.site.is_signed_in, "a login with tracking needs no script")
        return
    journey.browser.wait_for(CALLBACK + "#.*")
    journey.that("allow scripts" in journey.browser.text, "Limited Login says that it needs scripts", journey.browser.text)
    journey.that(journey.browser.all("main a[href='/login']"), "the page has a link to other logins")


def travel(journey: Journey, user: User, tracking: str) -> None:
    if journey.name == "no-scripts":
        without_scripts(journey, tracking)
        return
    cancel(journey, user)
    permissions(journey, user)
    if tracking == "limited":
        without_fragment(journey)


def main() -> int:
    parser = argparse.ArgumentParser(description="Signs in at a stand-in for Facebook in a real browser.")
    parser.add_argument("binary", type=Path)
    parser.add_argument("tracking", nargs="*", default=["limited", "enabled"])
    arguments = parser.parse_args()
    status = 0
    for tracking in arguments.tracking:
        checks = rig.Checks(f"facebook {tracking}")
        for name in JOURNEYS:
            # A new site for each journey, without accounts.
            with site(arguments.binary.parent / "FacebookSite", tracking) as port:
                complete(name, checks, port, lambda journey: travel(journey, User(port), tracking))
        status |= checks.end()
    return status


if __name__ == "__main__":
    sys.exit(main())
