"""Runs the service with two providers on this machine, signs a user in, verifies a token, and keeps running.

usage: demo.py SERVICE_BINARY [--once]

Prints each request of the sign-in, the profile, the verification of an ID token, and the URLs to open: the sign-in page, and the
admin page for operators. The providers accept any name; `alice` and `bob` have claims there. With --once it exits after it has
shown the profile and the verdict.
"""

import argparse
import json
import secrets
import shlex
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

import rig
from admin import Admin
from mocks import ALICE, ALICE_ELSEWHERE, BOB, CLIENT_ID, CLIENT_SECRET, Mock
from service import Mailbox, Service
from visitor import Visitor

# The redirect URI of an app. No server listens there: the code is read from the redirect.
APP = "http://127.0.0.1/app"


@contextmanager
def demo(binary: str, **settings) -> Iterator[tuple[Service, Mailbox]]:
    """Runs the service with the providers `demo` and `other` and with passwords, in a temporary folder."""
    folder = Path(tempfile.mkdtemp(prefix="service-"))
    try:
        with Mock("demo", folder, [ALICE, BOB]) as first, Mock("other", folder, [ALICE_ELSEWHERE, BOB]) as second:
            providers = {
                "demo": first.settings("Demo", folder / "demo.secret"),
                "other": second.settings("Other", folder / "other.secret"),
            }
            mailbox = Mailbox(folder)
            settings = {"providers": list(providers), "provider": providers} | mailbox.settings | settings
            with Service(binary, folder / "service", first.url, **settings) as service:
                yield service, mailbox
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def sign_in(service: Service) -> None:
    """Signs in with the requests of a browser, then reads the account through the API."""
    visitor, origin = Visitor(), f"http://localhost:{service.port}"
    at_provider = visitor.submit(visitor.get(f"{origin}/login"), "/login/demo")
    home = visitor.submit(at_provider, sub="alice")
    if home.address.removeprefix(origin).partition("?")[0] != "/" or home.answer.status != 200:
        raise RuntimeError(f"the sign-in failed: {home.answer.status} at {home.address}:\n{service.last_words()}")
    account = visitor.ask("GET", f"{origin}/v1/account")
    print("A user signs in with the provider \"Demo\", by OpenID Connect:\n")
    for step in visitor.steps:
        print(f"  {step}")
    print(f"\nThe account of the new session:\n\n{json.dumps(account.json(), indent=2)}\n")


def id_token(issuer: str, nonce: str) -> str:
    """Returns the ID token that an app with its own login at the provider receives for a nonce."""
    visitor, app = Visitor(), {"client_id": CLIENT_ID, "redirect_uri": APP}
    wanted = app | {"response_type": "code", "scope": "openid profile email", "nonce": nonce}
    address, fields = visitor.get(f"{issuer}/oauth2/authorize?{urlencode(wanted)}").form()
    back = visitor.ask("POST", address, fields | {"sub": "alice"}).header("Location") or ""
    code = parse_qs(urlsplit(back).query)["code"][0]
    shown = app | {"grant_type": "authorization_code", "code": code, "client_secret": CLIENT_SECRET}
    return visitor.ask("POST", f"{issuer}/oauth2/token", shown).json()["id_token"]


def verify(service: Service) -> None:
    """Verifies an ID token, as the server of an app does. The user is fictitious; the token is valid only on this machine."""
    nonce = secrets.token_hex(8)
    token = id_token(service.settings["provider"]["demo"]["issuer"], nonce)
    body = json.dumps({"policy": "demo", "nonce": nonce, "token": token}, separators=(",", ":"))
    json_type = ("Content-Type", "application/json")
    answer = rig.ask(service.port, "POST", "/v1/verify", [json_type], body.encode())
    if answer.status != 200 or answer.json()["verdict"] != "verified":
        raise RuntimeError(f"not verified: {answer.status} {answer.body[:300]!r}:\n{service.last_words()}")
    print("An app's server verifies an ID token that \"Demo\" issued for its nonce; until expiresAt you can do the same:\n")
    print(curl(f"http://localhost:{service.port}/v1/verify", json_type, body))
    print(f"\n{json.dumps(answer.json(), indent=2)}\n")


def curl(address: str, header: tuple[str, str], body: str | None = None) -> str:
    """Returns a curl command line."""
    words = ["curl", "-s", address, "-H", ": ".join(header)] + (["-d", body] if body else [])
    return shlex.join(words)


def invite(service: Service, mailbox: Mailbox, admin: Admin) -> None:
    """Prints the URLs and credentials for trying the service."""
    operators = f"http://localhost:{admin.port}"
    print("Try it in a browser:")
    print(f"  open     http://localhost:{service.port}/login")
    print("           sign in at a provider as alice, bob or any other name, or create an account with a password")
    print(f"  mail     is written to {mailbox.file}")
    print(f"  operate  {operators}/")
    print(f"           sign in with any name and the token of this run: {admin.token}")
    print("           change a setting at run time: without providers.other.enabled, /login has one provider less")
    print(f"  metrics  {curl(f'{operators}/metrics', ('Authorization', f'Bearer {admin.token}'))}")
    print("           each curl command above increments login_verifications_total; another nonce is refused")
    print("  Ctrl-C stops everything and deletes the data", flush=True)


def end(*_) -> None:
    """Exits with all cleanup on the first signal, and ignores further ones."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    sys.exit(0)


def main() -> int:
    parser = argparse.ArgumentParser(description="Runs the service on this machine, signs a user in, and verifies a token.")
    parser.add_argument("binary")
    parser.add_argument("--once", action="store_true", help="exit after the profile and the verdict are shown")
    arguments = parser.parse_args()
    # SIGINT needs a handler too: shells start background processes with SIGINT ignored.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end)
    with tempfile.TemporaryDirectory(prefix="service-") as folder:
        admin = Admin(Path(folder))
        with demo(arguments.binary, admin=admin.settings) as (service, mailbox):
            sign_in(service)
            verify(service)
            if arguments.once:
                return 0
            invite(service, mailbox, admin)
            status = service.process.wait()
            print(f"demo: the service exited with {status}:\n{service.last_words()}", file=sys.stderr)
            return 1


if __name__ == "__main__":
    sys.exit(main())
