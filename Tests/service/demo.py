"""Runs the service with two providers on this machine, signs a person in, and stays for you to do the same.

usage: demo.py SERVICE_BINARY [--once]

Prints each step of the way, the profile, and the address of the login page. Whoever gives a name at a provider is that
person; `alice` and `bob` are known there. With --once it ends when the profile was shown.
"""

import argparse
import json
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mocks import ALICE, ALICE_ELSEWHERE, BOB, Mock
from service import Mailbox, Service
from visitor import Visitor


@contextmanager
def demo(binary: str, **settings) -> Iterator[tuple[Service, Mailbox]]:
    """The service, with the providers `demo` and `other` and with passwords, in a folder that goes away."""
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
    """As a browser does it, request by request; then the account, as the service's own API tells it."""
    visitor, origin = Visitor(), f"http://localhost:{service.port}"
    at_provider = visitor.submit(visitor.get(f"{origin}/login"), "/login/demo")
    home = visitor.submit(at_provider, sub="alice")
    if home.address.removeprefix(origin).partition("?")[0] != "/" or home.answer.status != 200:
        raise RuntimeError(f"no way in: {home.answer.status} at {home.address}:\n{service.last_words()}")
    account = visitor.ask("GET", f"{origin}/v1/account")
    print("A person signs in with the provider \"Demo\", by OpenID Connect:\n")
    for step in visitor.steps:
        print(f"  {step}")
    print(f"\nThe profile that the session has now:\n\n{json.dumps(account.json(), indent=2)}\n")


def main() -> int:
    parser = argparse.ArgumentParser(description="Serves sign-in on this machine, and signs a person in.")
    parser.add_argument("binary")
    parser.add_argument("--once", action="store_true", help="end when the profile was shown")
    arguments = parser.parse_args()
    # Told to end, it still takes everything down.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with demo(arguments.binary) as (service, mailbox):
        sign_in(service)
        if arguments.once:
            return 0
        print("Now you, in a browser:")
        print(f"  open   http://localhost:{service.port}/login")
        print("         sign in at a provider as alice, bob, or anybody, or make an account with a password")
        print(f"  mail   is written to {mailbox.file}")
        print("  Ctrl-C ends it, and takes everything away", flush=True)
        try:
            status = service.process.wait()
            print(f"demo: the service ended with {status}:\n{service.last_words()}", file=sys.stderr)
            return 1
        except KeyboardInterrupt:
            print()
            return 0


if __name__ == "__main__":
    sys.exit(main())
