"""Drives the pages in a real browser, and checks the accessibility of each page with axe.

usage: browser.py SERVICE_BINARY [--screenshots FOLDER] [JOURNEY…]

A journey is `mouse`, `keyboard` or `no-scripts`; the default is all three. All servers are on loopback.
"""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import rig
from api import PASSWORD, totp
from chromium import SCHEMES, SIZES, Chromium, Keyboard, Mouse, chromium
from demo import demo
from pages import CODE_OF_PROBLEM, PROBLEM, Site
from service import Mailbox, Phones

JOURNEYS = ("mouse", "keyboard", "no-scripts")
STEP = 30
EMAIL = "carol@example.com"
# A number gets one code in 30 seconds, so each purpose has its own.
FACTOR_NUMBER = "+14155550100"
LOGIN_NUMBER = "+14155550101"
# The two appearances of a page that are stored as screenshots; all four are checked.
KEPT = (("phone", "light"), ("desktop", "dark"))


class Journey:
    """A walk of one user through the pages, with the checks on the way."""

    def __init__(
        self,
        name: str,
        browser: Chromium,
        checks: rig.Checks,
        mailbox: Mailbox | None = None,
        phones: Phones | None = None,
        downloads: Path | None = None,
        screenshots: Path | None = None,
    ):
        self.name, self.browser, self.checks, self.screenshots = name, browser, checks, screenshots
        self.mailbox, self.phones, self.downloads = mailbox, phones, downloads
        self.hand = Keyboard(browser) if name == "keyboard" else Mouse(browser)
        self.site = Site(browser, self.hand)
        self.looked: set[str] = set()

    def that(self, holds: bool, sentence: str, seen: object = "") -> None:
        self.checks.that(bool(holds), f"{self.name}: {sentence}", seen)
        complaints = self.browser.complaints()
        self.checks.that(not complaints, f"{self.name}: {sentence}, without console messages", complaints)

    def refused(self, status: int, sentence: str) -> None:
        """Checks that the page shows a problem, and that its status is `status`."""
        noted, complaints = self.browser.refusals(status)
        self.checks.that(len(noted) == 1, f"{self.name}: {sentence}: the page has the status {status}", noted)
        self.checks.that(not complaints, f"{self.name}: {sentence}, without other console messages", complaints)
        self.checks.that(self.browser.one(f"{PROBLEM}, {CODE_OF_PROBLEM}"), f"{self.name}: {sentence}, and the page shows it")

    def look(self, page: str) -> None:
        """Checks the page with axe and for horizontal scrolling, in each size and colour scheme."""
        # Only in one journey: the others visit the same pages, and these checks move the focus.
        if self.name != "mouse" or page in self.looked:
            return
        self.looked.add(page)
        for size in SIZES:
            for scheme in SCHEMES:
                self.browser.look(size, scheme)
                found = self.browser.violations()
                self.checks.that(not found, f"{page}, {size}, {scheme}: axe reports no violations", found)
                self.checks.that(not self.browser.is_too_wide(), f"{page}, {size}, {scheme}: no horizontal scrolling")
                if self.screenshots and (size, scheme) in KEPT:
                    self.browser.driver.save_screenshot(str(self.screenshots / f"{page}-{size}-{scheme}.png"))
        self.browser.look_as_before()


def complete(name: str, checks: rig.Checks, port: int, travel: Callable[[Journey], None], **parts) -> None:
    """Opens a browser and runs a journey in it. An error is a failed check, so that further journeys run nevertheless."""
    with chromium(f"http://localhost:{port}", name != "no-scripts", parts.get("downloads")) as browser:
        journey = Journey(name, browser, checks, **parts)
        try:
            travel(journey)
            if isinstance(journey.hand, Keyboard):
                journey.that(not journey.hand.unseen, "the focus indicator is always visible", journey.hand.unseen)
        except Exception as error:
            words = (str(error).splitlines() or [""])[0]
            seen = f"{type(error).__name__}: {words}; at {browser.driver.current_url}"
            checks.that(False, f"{name}: the journey completes", seen)


def sign_in_and_link(journey: Journey) -> None:
    site = journey.site
    site.open_login()
    journey.look("login")
    site.choose("demo")
    site.authorize("alice")
    site.wait_for_account()
    journey.that(site.is_signed_in, "a sign-in with a provider leads to the account page", journey.browser.path)
    journey.that(len(site.logins) == 1, "the account has one login", site.logins)
    journey.look("account")
    site.link("other", "alice-elsewhere")
    site.wait_for_account()
    journey.that(len(site.logins) == 2, "a second login is linked", site.logins)
    journey.that(site.notice, "the page confirms the linking")
    journey.look("account-linked")


def cancel(journey: Journey) -> None:
    site = journey.site
    site.open_login()
    site.choose("demo")
    site.deny_as_specified()
    journey.browser.wait_for("/login.*")
    journey.that(not site.is_signed_in and site.notice, "cancelling at the provider leads to a notice on the sign-in page")
    site.open_login()
    site.choose("demo")
    site.deny()
    journey.refused(403, "an authorization response without state is refused")


def second_factor(journey: Journey) -> tuple[str, list[str]]:
    """Enrols an authenticator app and creates recovery codes. Returns the app's key and the codes."""
    site = journey.site
    site.hand.press("a[href='/second-factor']")
    journey.look("second-factor-begin")
    journey.browser.visit("/")
    key = site.begin_factor("My phone")
    journey.look("second-factor-key")
    site.give_code("000000")
    journey.refused(422, "a wrong code is refused")
    journey.look("second-factor-wrong")
    site.give_code(totp(key))
    journey.browser.wait_for("/recovery-codes.*")
    journey.browser.visit("/")
    journey.that(journey.browser.all("form[action$='/remove']"), "the page lists the second factor")
    codes = site.make_recovery_codes()
    journey.that(len(codes) >= 8 and len(set(codes)) == len(codes), "the page shows distinct recovery codes", len(codes))
    journey.look("recovery-codes")
    site.go_home()
    return key, codes


def sign_in_with_second_factor(journey: Journey, key: str, codes: list[str]) -> None:
    site = journey.site
    site.sign_out()
    journey.that(not site.is_signed_in, "sign-out closes the session")
    journey.look("signed-out")
    journey.browser.visit("/")
    journey.that(
        journey.browser.path.startswith("/login"), "the account page requires a sign-in after sign-out", journey.browser.path
    )
    site.sign_in("demo", "alice")
    journey.browser.wait_for("/login/second-factor.*")
    journey.look("second-factor-choose")
    if journey.name == "keyboard":
        site.use_recovery_code(codes[0])
    else:
        # A code of this time step was already used, and each code is accepted once.
        time.sleep(STEP - time.time() % STEP + 1)
        site.use_app(totp(key))
    site.wait_for_account()
    journey.that(site.is_signed_in, "the second factor completes the sign-in")


def sessions(journey: Journey) -> None:
    journey.site.open_sessions()
    journey.that(journey.browser.all("ul.cards > li"), "the sessions are listed")
    journey.look("sessions")
    journey.browser.visit("/")


def unlink(journey: Journey) -> None:
    site = journey.site
    site.remove_factor()
    site.wait_for_account()
    journey.that(not journey.browser.all("form[action$='/remove']"), "the second factor is removed")
    site.unlink("other")
    journey.that(len(site.logins) == 1, "the second login is unlinked", site.logins)
    journey.that(not journey.browser.all("form[action='/unlink']"), "the last login cannot be unlinked")


def passwords(journey: Journey) -> None:
    """Creates an account with a password, verifies its address by mail, and signs in."""
    site = journey.site
    journey.browser.visit("/sign-up")
    journey.look("sign-up")
    site.give_password(EMAIL, "short")
    journey.refused(422, "a weak password is refused")
    journey.look("sign-up-problem")
    site.give_password(EMAIL, PASSWORD)
    site.wait_for_account()
    journey.that(site.is_signed_in, "sign-up with a password signs the user in")
    site.hand.press("form[action='/verify-email/send'] button")
    journey.browser.visit(journey.mailbox.link("verify-email", EMAIL, 2))
    journey.look("verify-email")
    site.hand.press("form[action='/verify-email'] button")
    site.wait_for_account()
    journey.that(not journey.browser.all("form[action='/verify-email/send']"), "the link in the mail verifies the address")
    site.sign_out()
    site.open_login()
    site.give_password(EMAIL, PASSWORD[:-1])
    journey.refused(422, "a wrong password is refused")
    journey.look("login-problem")
    site.give_password(EMAIL, PASSWORD)
    site.wait_for_account()
    journey.that(site.is_signed_in, "the password signs the user in")
    site.hand.press("a[href='/password']")
    journey.look("password")
    site.hand.type("#password", PASSWORD + " again")
    site.hand.press("form[action='/password'] button")
    site.wait_for_account()
    journey.that(site.notice, "a changed password is confirmed")
    site.sign_out()
    site.open_login()
    site.give_password(EMAIL, PASSWORD + " again")
    site.wait_for_account()
    journey.that(site.is_signed_in, "the new password signs the user in")
    site.sign_out()


def guest(journey: Journey) -> None:
    """Continues as a guest, and keeps the account with a password."""
    site = journey.site
    site.open_login()
    site.hand.press("form[action='/guest'] button")
    site.wait_for_account()
    journey.that(site.is_signed_in and not site.logins, "a guest has a session and no login", site.logins)
    journey.look("account-guest")
    site.hand.press("a[href='/password']")
    journey.look("password-first")
    site.give_password("guest@example.com", PASSWORD)
    site.wait_for_account()
    journey.that(len(site.logins) == 1, "the account of the guest has a login", site.logins)
    site.sign_out()


def merge(journey: Journey) -> None:
    """Links a login of another account, which merges the two accounts."""
    site = journey.site
    site.sign_out()
    site.sign_in("other", "bob")
    site.wait_for_account()
    site.sign_out()
    site.sign_in("demo", "alice")
    site.wait_for_account()
    site.link("other", "bob")
    journey.browser.wait_for("/conflict.*")
    journey.look("conflict-account")
    site.join()
    journey.browser.wait_for("/merge.*")
    journey.look("merge")
    site.merge()
    site.wait_for_account()
    journey.that(len(site.logins) == 2, "the accounts are merged", site.logins)


def phone_factor(journey: Journey) -> None:
    """Enrols a phone as second factor, signs in with it, and removes it."""
    site, phones = journey.site, journey.phones
    site.hand.press("a[href='/second-factor/phone']")
    journey.look("phone-factor")
    site.give_number(FACTOR_NUMBER, "Work phone")
    journey.look("phone-factor-code")
    site.give_code("0")
    journey.refused(422, "a wrong code of a phone is refused")
    site.give_code(phones.code(FACTOR_NUMBER))
    journey.browser.wait_for("/recovery-codes.*")
    journey.that(site.notice, "after the first second factor, recovery codes are offered")
    journey.look("recovery-codes-offer")
    site.hand.press("main a[href='/']")
    site.wait_for_account()
    journey.that("Work phone" in journey.browser.text, "the account has the phone as second factor")
    site.sign_out()
    site.sign_in("demo", "alice")
    journey.browser.wait_for("/login/second-factor.*")
    journey.that("Work phone" in journey.browser.text, "the phone is offered by its name")
    site.send_code()
    journey.look("second-factor-phone")
    site.give_code(phones.code(FACTOR_NUMBER, 2))
    site.wait_for_account()
    journey.that(site.is_signed_in, "the code sent to the phone completes the sign-in")
    site.remove_factor()
    site.wait_for_account()
    journey.that(not journey.browser.all("form[action$='/remove']"), "the phone is removed")


def phone_sign_in(journey: Journey) -> None:
    site = journey.site
    site.open_login()
    site.hand.press("a[href='/login/phone']")
    journey.look("login-phone")
    site.give_number(LOGIN_NUMBER)
    journey.look("login-phone-code")
    site.give_code(journey.phones.code(LOGIN_NUMBER))
    site.wait_for_account()
    journey.that(len(site.logins) == 1, "a code sent to a number signs in", site.logins)
    site.sign_out()


def export_and_deletion(journey: Journey) -> None:
    """Downloads the data of an account, and deletes the account."""
    site, file = journey.site, journey.downloads / "account.json"
    site.sign_in("demo", "alice")
    site.wait_for_account()
    site.download_data()
    rig.wait_until(lambda: file.exists() and file.stat().st_size > 0, "the data is downloaded", 20)
    journey.that("alice" in json.dumps(json.loads(file.read_text())), "the downloaded data contains the login")
    site.hand.press("a[href='/account/delete']")
    journey.look("deletion")
    site.confirm_deletion()
    journey.refused(422, "a deletion without the tick is refused")
    site.hand.tick("#sure")
    site.confirm_deletion()
    journey.browser.wait_for("/signed-out.*")
    journey.that(not site.is_signed_in, "the deletion of the account closes the session")
    journey.look("deleted")
    site.sign_in("demo", "alice")
    site.wait_for_account()
    journey.that(len(site.logins) == 1, "the next sign-in creates another account", site.logins)
    site.sign_out()


def two_tabs(journey: Journey) -> None:
    """Begins a login in each of two tabs, and finishes both: the second one first."""
    site, driver = journey.site, journey.browser.driver
    site.open_login()
    site.choose("demo")
    first = driver.current_window_handle
    driver.switch_to.new_window("tab")
    site.open_login()
    site.choose("demo")
    site.authorize("alice")
    site.wait_for_account()
    journey.that(site.is_signed_in, "the login of the second tab succeeds", journey.browser.path)
    driver.close()
    driver.switch_to.window(first)
    site.authorize("alice")
    site.wait_for_account()
    journey.that(site.is_signed_in, "the login of the first tab succeeds too", journey.browser.path)
    site.sign_out()


def second_callbacks(journey: Journey) -> None:
    """Delivers a callback again: with its URL, from the provider's page in the history, and after the sign-out."""
    site, driver = journey.site, journey.browser.driver
    site.open_login()
    site.choose("demo")
    callback = site.callback("alice")
    driver.get(callback)
    site.wait_for_account()
    session = site.session
    journey.that(session, "the callback opens a session")
    driver.get(callback)
    site.wait_for_account()
    journey.that(site.session == session, "the same callback again leads on, in the same session", journey.browser.path)
    for _ in range(5):
        if not driver.current_url.startswith(journey.browser.origin):
            break
        driver.back()
    site.authorize("alice")
    site.wait_for_account()
    journey.that(site.session == session, "another authorization of the same login leads on", journey.browser.path)
    site.sign_out()
    driver.get(callback)
    journey.refused(403, "the same callback after the sign-out is explained")
    journey.that(not site.is_signed_in and not site.session, "the same callback after the sign-out opens no session")
    journey.look("login-finished")
    site.choose("demo")
    site.authorize("alice")
    site.wait_for_account()
    journey.that(site.is_signed_in, "the page begins another login")
    site.sign_out()


def preloaded_callback(journey: Journey) -> None:
    """Has the browser preload the callback before it is opened."""
    site, browser = journey.site, journey.browser
    site.open_login()
    site.choose("demo")
    callback = site.callback("alice")
    # A page without scripts cannot prefetch.
    if journey.name != "no-scripts":
        browser.prefetch(callback)
    browser.complaints()
    with browser.preloading():
        browser.driver.get(callback)
    noted, _ = browser.refusals(503)
    journey.that(noted and "speculative-request" in browser.text, "a preloaded callback is refused", browser.text[:300])
    browser.driver.get(callback)
    site.wait_for_account()
    journey.that(site.is_signed_in, "the callback signs in when it is opened", browser.path)
    site.sign_out()


def lost_cookie(journey: Journey) -> None:
    """Delivers a callback to a browser without the cookie of its login, as an in-app browser hands it over."""
    site, driver = journey.site, journey.browser.driver
    site.open_login()
    site.choose("demo")
    callback = site.callback("alice")
    journey.browser.visit("/login")
    driver.delete_all_cookies()
    driver.get(callback)
    journey.refused(403, "a callback without its cookie is explained")
    journey.that(not site.is_signed_in and not site.session, "a callback without its cookie opens no session")
    journey.look("login-unknown")
    site.choose("demo")
    site.authorize("alice")
    site.wait_for_account()
    journey.that(site.is_signed_in, "the page begins another login, which succeeds")
    site.sign_out()


def rest(journey: Journey) -> None:
    for page, path in (("forgotten-password", "/forgotten-password"), ("problem", "/nowhere")):
        journey.browser.visit(path)
        if page == "problem":
            journey.refused(404, "an unknown path is not found")
        journey.look(page)
        journey.that(journey.browser.all("h1"), f"{path} has a page")


def languages(journey: Journey) -> None:
    """Each language, chosen at the foot of a page."""
    for tag in ("de", "es", "id", "ko", "en"):
        journey.browser.visit("/login")
        journey.hand.press(f"footer form:has(input[name=language][value={tag}]) button")
        journey.browser.wait_for("/login.*")
        seen = journey.browser.one("html").get_attribute("lang")
        journey.that(seen == tag, f"the page is in the chosen language {tag}", seen)
        journey.look(f"login-{tag}")
        journey.browser.visit("/sign-up")
        journey.look(f"sign-up-{tag}")
        journey.browser.visit("/login/phone")
        journey.look(f"login-phone-{tag}")


def travel(journey: Journey) -> None:
    languages(journey)
    sign_in_and_link(journey)
    key, codes = second_factor(journey)
    sign_in_with_second_factor(journey, key, codes)
    sessions(journey)
    unlink(journey)
    merge(journey)
    phone_factor(journey)
    journey.site.sign_out()
    passwords(journey)
    phone_sign_in(journey)
    guest(journey)
    cancel(journey)
    export_and_deletion(journey)
    two_tabs(journey)
    second_callbacks(journey)
    preloaded_callback(journey)
    lost_cookie(journey)
    rest(journey)


def main() -> int:
    parser = argparse.ArgumentParser(description="Drives the pages in a real browser.")
    parser.add_argument("binary")
    parser.add_argument("--screenshots", type=Path)
    parser.add_argument("journeys", nargs="*", default=JOURNEYS)
    arguments = parser.parse_args()
    if arguments.screenshots:
        arguments.screenshots.mkdir(parents=True, exist_ok=True)
    checks = rig.Checks("browser")
    for name in arguments.journeys:
        # A new service for each journey, so that all start without accounts.
        with tempfile.TemporaryDirectory(prefix="browser-") as directory:
            folder = Path(directory)
            phones = Phones(folder)
            with demo(arguments.binary, guests=True, **phones.settings) as (service, mailbox):
                complete(
                    name,
                    checks,
                    service.port,
                    travel,
                    mailbox=mailbox,
                    phones=phones,
                    downloads=folder,
                    screenshots=arguments.screenshots,
                )
    return checks.end()


if __name__ == "__main__":
    sys.exit(main())
