"""Runs NanoIDP as its own command does.

usage: serve_nanoidp.py DIRECTORY PORT

`configure` writes its configuration. It makes a key if the directory has none.
"""

import json
import sys
from pathlib import Path

import client
from lifeline import end_with_input


def configure(folder: Path, port: int, native_uri: str | None = None) -> None:
    """Writes a configuration with a client, two users and, with a redirect URI, a public client for a native app."""
    parties = [
        {
            "client_id": client.ID,
            "client_secret": client.SECRET,
            "token_endpoint_auth_method": "client_secret_post",
            "redirect_uris": [client.REDIRECT_URI],
        }
    ]
    if native_uri:
        app = {"client_id": client.NATIVE_ID, "token_endpoint_auth_method": "none", "redirect_uris": [native_uri]}
        parties.append(app)
    settings = {
        "oauth": {"issuer": f"http://127.0.0.1:{port}", "audience": "an-api", "clients": parties, "require_pkce": True},
        "jwt": {"keys_dir": str(folder / "keys")},
        "server": {"rate_limit_enabled": False},
        "session": {"enforce_password_check": True},
    }
    users = {name: {"password": client.PASSWORD, "email": f"{name}@example.com"} for name in client.USERS}
    # JSON is YAML.
    (folder / "settings.yaml").write_text(json.dumps(settings), encoding="ascii")
    (folder / "users.yaml").write_text(json.dumps({"users": users}), encoding="ascii")


def main() -> None:
    from nanoidp.__main__ import main as run

    end_with_input()
    folder, port = sys.argv[1:]
    sys.argv[1:] = ["--config", folder, "--host", "127.0.0.1", "--port", port]
    run()


if __name__ == "__main__":
    main()
