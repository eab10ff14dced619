"""Page objects for the pages of the service. Only this file contains their selectors."""

import re
from urllib.parse import parse_qs, urlencode, urlsplit

from chromium import Chromium, Keyboard, Mouse
from visitor import Visitor

SIGN_OUT = "form[action='/sign-out'] button"
NOTICE = "[role=status]"
# The message about a form, and the error code on an error page.
PROBLEM = "[role=alert]"
CODE_OF_PROBLEM = "main .hint code"
# The button of the page that asks before a change.
CONFIRM = "main form:has(input[name=sure]) button"
CODE = "form #code"
# The button of the form with the code field: a page has other forms, such as sign-out.
SUBMIT_CODE = "form:has(#code) button"


class Site:
    """The actions of a user on the pages, by mouse or keyboard."""

    def __init__(self, chromium: Chromium, hand: Mouse | Keyboard):
        self.chromium, self.hand = chromium, hand

    # ------------------------------------------------------------------------------------------------ providers

    def authorize(self, subject: str) -> None:
        """Signs in at a provider with a subject."""
        self.chromium.one("input[name=sub]")
        self.hand.type("input[name=sub]", subject)
        self.hand.press("form:has(input[name=sub]) button")

    def callback(self, subject: str) -> str:
        """Signs in at a provider with a subject outside of the browser, and returns the URL of the callback."""
        self.chromium.one("input[name=sub]")
        visitor = Visitor()
        address, fields = visitor.get(self.chromium.driver.current_url).form()
        location = visitor.ask("POST", address, fields | {"sub": subject}).header("Location")
        if not location or "/callback?" not in location:
            raise AssertionError(f"the provider does not redirect to the callback: {urlsplit(location or '').path}")
        return location

    def deny(self) -> None:
        """Cancels at a provider, whose error response lacks the state that RFC 6749 §4.1.2.1 requires."""
        self.hand.press("button[value=deny]")

    def deny_as_specified(self) -> None:
        """Sends the error response of RFC 6749 §4.1.2.1, with the state, in place of the provider's own."""
        asked = parse_qs(urlsplit(self.chromium.driver.current_url).query)
        answer = urlencode({"error": "access_denied", "state": asked["state"][0]})
        self.chromium.driver.get(f"{asked['redirect_uri'][0]}?{answer}")

    # ------------------------------------------------------------------------------------------------ signing in and out

    def open_login(self) -> None:
        self.chromium.visit("/")
        self.chromium.wait_for("/login.*")

    def choose(self, provider: str) -> None:
        self.hand.press(f"form[action='/login/{provider}'] button")

    def sign_in(self, provider: str, subject: str) -> None:
        self.open_login()
        self.choose(provider)
        self.authorize(subject)

    def give_password(self, email: str, password: str) -> None:
        """Submits a form with an e-mail address and a password."""
        self.hand.type("form:has(#password) #email", email)
        self.hand.type("form:has(#password) #password", password)
        self.hand.press("form:has(#password) button")

    def sign_out(self) -> None:
        self.hand.press(SIGN_OUT)
        self.chromium.wait_for("/signed-out.*")

    @property
    def session(self) -> str:
        """The session token; empty if there is none."""
        cookie = self.chromium.driver.get_cookie("__Host-session")
        return cookie["value"] if cookie else ""

    @property
    def is_signed_in(self) -> bool:
        return bool(self.chromium.all(SIGN_OUT))

    def wait_for_account(self) -> None:
        self.chromium.wait_for(r"/(\?.*)?")
        self.chromium.one(SIGN_OUT)

    @property
    def notice(self) -> str:
        return self.chromium.one(NOTICE).text

    @property
    def logins(self) -> list[str]:
        """The providers of the account's logins."""
        cards = self.chromium.all("section[aria-labelledby=logins] li > h3")
        return [card.text for card in cards]

    # ------------------------------------------------------------------------------------------------ the account

    def link(self, provider: str, subject: str) -> None:
        self.hand.press(f"form[action='/link/{provider}'] button")
        self.authorize(subject)

    def unlink(self, provider: str) -> None:
        self.hand.press(f"form[action='/unlink']:has(input[name=provider][value='{provider}']) button")
        self.hand.press(CONFIRM)
        self.wait_for_account()

    def begin_factor(self, name: str) -> str:
        """Begins the enrolment of an authenticator app. Returns the displayed key."""
        self.hand.press("a[href='/second-factor']")
        self.hand.type("#name", name)
        self.hand.press("form:has(#name) button")
        # The key is in a closed element, whose text counts as invisible.
        return re.sub(r"\s", "", self.chromium.one("dd code").get_attribute("textContent"))

    def give_code(self, code: str) -> None:
        self.hand.type(CODE, code)
        self.hand.press(SUBMIT_CODE)

    def give_number(self, number: str, name: str | None = None) -> None:
        """Submits the form that sends a code to a number."""
        self.hand.type("#number", number)
        if name is not None:
            self.hand.type("#name", name)
        self.hand.press("form:has(#number) button")
        self.chromium.one(CODE)

    def send_code(self) -> None:
        """Chooses a phone on the second-factor page, which sends a code to it."""
        self.hand.press("form:has(input[name=way][value=send]) button")
        self.chromium.one(CODE)

    def remove_factor(self) -> None:
        self.hand.press("form[action^='/second-factor/'][action$='/remove'] button")
        self.hand.press(CONFIRM)

    def make_recovery_codes(self) -> list[str]:
        self.hand.press("form[action='/recovery-codes'] button")
        self.chromium.one("ol.codes")
        return [item.text for item in self.chromium.all("ol.codes li")]

    def go_home(self) -> None:
        self.hand.press("main a[href='/']")
        self.wait_for_account()

    def download_data(self) -> None:
        self.hand.download("a[href='/account/data']")

    def confirm_deletion(self) -> None:
        self.hand.press("form[action='/account/delete'] button")

    def open_sessions(self) -> None:
        self.hand.press("nav a[href='/sessions']")
        self.chromium.wait_for("/sessions.*")

    def use_recovery_code(self, code: str) -> None:
        """Submits a recovery code on the second-factor page."""
        if self.chromium.all("a[href*='way=choose']"):
            self.hand.press("a[href*='way=choose']")
        self.hand.press("a[href*='way=recovery']")
        self.give_code(code)

    def use_app(self, code: str) -> None:
        if not self.chromium.all(CODE):
            self.hand.press("a[href*='way=app']")
        self.give_code(code)

    # ------------------------------------------------------------------------------------------------ conflict and merge

    def join(self) -> None:
        self.hand.press("form[action='/conflict']:has(input[value=join]) button")

    def merge(self) -> None:
        self.chromium.wait_for("/merge.*")
        if self.chromium.all("input[name=keep]"):
            self.hand.tick("input[name=keep]")
        self.hand.press("form[action='/merge']:has(input[value=merge]) button")
