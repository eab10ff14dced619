"""OpenID providers that others wrote (oidc-provider-mock), where a person says who they are and is believed."""

import json
import sys
from pathlib import Path

import rig

CLIENT_ID = "client-of-the-demo"
CLIENT_SECRET = "made-up-secret-of-the-demo"
# What the providers know of people; whoever else comes is known by the name alone.
ALICE = {"sub": "alice", "name": "Alice Example", "email": "alice@example.com", "email_verified": True}
# The same address at another provider, under another name there.
ALICE_ELSEWHERE = ALICE | {"sub": "alice-elsewhere"}
BOB = {"sub": "bob", "name": "Bob Example", "email": "bob@example.com", "email_verified": True}


class Mock(rig.Program):
    """One provider. To be used with `with`."""

    def __init__(self, name: str, folder: Path, people: list[dict]):
        folder.mkdir(parents=True, exist_ok=True)
        self.port = rig.free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        claims = [word for person in people for word in ("--user-claims", json.dumps(person))]
        super().__init__(name, [sys.executable, "-m", "oidc_provider_mock", "--port", str(self.port), *claims], folder)

    def __enter__(self) -> "Mock":
        self.start(lambda: rig.listens(self.port))
        return self

    def settings(self, name: str, secret_file: Path) -> dict:
        """What the service's configuration says of it."""
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
