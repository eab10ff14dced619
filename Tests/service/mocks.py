"""OpenID providers of the package oidc-provider-mock, which authenticate users by name alone."""

import json
import sys
from pathlib import Path

import rig

CLIENT_ID = "client-of-the-demo"
CLIENT_SECRET = "made-up-secret-of-the-demo"
# The users with claims. Any other name signs in too, without claims.
ALICE = {"sub": "alice", "name": "Alice Example", "email": "alice@example.com", "email_verified": True}
# The same e-mail address with another subject, for another provider.
ALICE_ELSEWHERE = ALICE | {"sub": "alice-elsewhere"}
BOB = {"sub": "bob", "name": "Bob Example", "email": "bob@example.com", "email_verified": True}


class Mock(rig.Program):
    """One provider. A context manager."""

    def __init__(self, name: str, folder: Path, people: list[dict]):
        folder.mkdir(parents=True, exist_ok=True)
        self.port = rig.free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        claims = [word for person in people for word in ("--user-claims", json.dumps(person))]
        super().__init__(name, [sys.executable, "-m", "oidc_provider_mock", "--port", str(self.port), *claims], folder)

    def __enter__(self) -> "Mock":
        self.start(lambda: rig.listens(self.port))
        return self

    def set_claims(self, person: dict) -> None:
        """Replaces the claims of a user. The next ID tokens have the new ones."""
        claims = {name: value for name, value in person.items() if name != "sub"}
        headers, body = [("Content-Type", "application/json")], json.dumps(claims).encode()
        answer = rig.ask(self.port, "PUT", f"/users/{person['sub']}", headers, body)
        if answer.status != 204:
            raise RuntimeError(f"{self.name} refused the claims with the status {answer.status}")

    def settings(self, name: str, secret_file: Path) -> dict:
        """Writes the client secret to a file and returns the service's configuration of this provider."""
        secret_file.write_text(CLIENT_SECRET)
        secret_file.chmod(0o600)
        return {
            "name": name,
            "issuer": self.url,
            "client-id": CLIENT_ID,
            "client-secret-file": str(secret_file),
            "allow-loopback-http": True,
            "email-domains": ["*"],
        }
