"""A client of the admin listener of one instance, which listens on loopback and reads its token from a file."""

import re
import secrets
from pathlib import Path
from urllib.parse import urlencode

import rig


class Admin:
    """The settings of an admin listener, and its operations."""

    def __init__(self, folder: Path):
        folder.mkdir(parents=True, exist_ok=True)
        self.port, self.token = rig.free_port(), secrets.token_urlsafe(32)
        # The cookie of the operator's session; empty before the sign-in.
        self.cookie = ""
        file = folder / "admin.token"
        file.touch(0o600)
        file.write_text(self.token)
        self.settings = {"listen": f"127.0.0.1:{self.port}", "token-file": str(file)}

    def call(self, method: str, path: str, form: dict | None = None) -> rig.Answer:
        """Sends a request, and raises an error if the status is 400 or above."""
        answer = self.ask(method, path, form)
        if answer.status >= 400:
            raise RuntimeError(f"{method} {path} of the admin listener: {answer.status} {answer.body[:300]!r}")
        return answer

    def ask(self, method: str, path: str, form: dict | None = None) -> rig.Answer:
        headers = [("Authorization", f"Bearer {self.token}")] if not self.cookie else [("Cookie", self.cookie)]
        body = None
        if form is not None:
            headers += [("Content-Type", "application/x-www-form-urlencoded"), ("Sec-Fetch-Site", "same-origin")]
            body = urlencode(form).encode()
        return rig.ask(self.port, method, path, headers, body)

    def tweaks(self) -> dict[str, dict]:
        """The tweaks with their values, by ID."""
        return {tweak["id"]: tweak for tweak in self.call("GET", "/tweaks.json").json()["tweaks"]}

    def metrics(self) -> str:
        return self.call("GET", "/metrics").body.decode()

    def set(self, tweak: str, value: object) -> None:
        self.change(tweak, f"/tweaks/{tweak}", {"value": str(value)})

    def reset(self, tweak: str) -> None:
        self.change(tweak, f"/tweaks/{tweak}/reset", {})

    def reset_all(self) -> None:
        self.call("POST", "/tweaks/reset", self.form({"revision": str(self.call("GET", "/tweaks.json").json()["revision"])}))

    def perform(self, action: str) -> rig.Answer:
        return self.call("POST", f"/actions/{action}", self.form({}))

    def attempt(self, tweak: str, value: str, revision: str | None = None) -> rig.Answer:
        """Submits a new value, and returns the response, which may be a refusal."""
        revision = revision or str(self.tweaks()[tweak]["revision"])
        return self.ask("POST", f"/tweaks/{tweak}", self.form({"value": value, "revision": revision}))

    def change(self, tweak: str, path: str, form: dict) -> None:
        """Submits a form with the current revision, as the page does."""
        self.call("POST", path, self.form(form | {"revision": str(self.tweaks()[tweak]["revision"])}))

    def form(self, fields: dict) -> dict:
        """Returns the form with the CSRF token of the page; signs in first if there is no session."""
        if not self.cookie:
            self.sign_in()
        return fields | {"csrf": self.form_token("/")}

    def sign_in(self) -> None:
        # Without a session, the CSRF token belongs to the visitor.
        page = rig.ask(self.port, "GET", "/sign-in").body.decode()
        form = {"csrf": self.token_of(page), "token": self.token, "name": "rig"}
        headers = [("Content-Type", "application/x-www-form-urlencoded"), ("Sec-Fetch-Site", "same-origin")]
        answer = rig.ask(self.port, "POST", "/sign-in", headers, urlencode(form).encode())
        self.cookie = (answer.header("Set-Cookie") or "").split(";")[0]
        if not self.cookie:
            raise RuntimeError(f"the sign-in at the admin listener failed: {answer.status}")

    def form_token(self, path: str) -> str:
        return self.token_of(self.call("GET", path).body.decode())

    @staticmethod
    def token_of(page: str) -> str:
        found = re.search(r'name="csrf" value="([^"]+)"', page)
        if not found:
            raise RuntimeError(f"a page of the admin listener has no form: {page[:300]!r}")
        return found[1]
