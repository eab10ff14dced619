"""Runs NanoIDP as its own command does.

usage: serve_nanoidp.py prepare DIRECTORY PORT    or    serve_nanoidp.py serve DIRECTORY PORT

`prepare` writes its configuration with a client and two users. `serve` makes a key if the directory has none.
"""

import json
import sys
from pathlib import Path

import client
from lifeline import end_with_input


def prepare(folder: Path, port: int) -> None:
    party = {
        "client_id": client.ID,
        "client_secret": client.SECRET,
        "token_endpoint_auth_method": "client_secret_post",
        "redirect_uris": [client.REDIRECT_URI],
    }
    settings = {
        "oauth": {"issuer": f"http://127.0.0.1:{port}", "audience": "an-api", "clients": [party], "require_pkce": True},
        "jwt": {"keys_dir": str(folder / "keys")},
        "server": {"rate_limit_enabled": False},
        "session": {"enforce_password_check": True},
    }
    users = {name: {"password": client.PASSWORD, "email": f"{name}@example.com"} for name in client.USERS}
    # JSON is YAML.
    (folder / "settings.yaml").write_text(json.dumps(settings), encoding="ascii")
    (folder / "users.yaml").write_text(json.dumps({"users": users}), encoding="ascii")


def main() -> None:
    command, folder, port = sys.argv[1:]
    if command == "prepare":
        return prepare(Path(folder), int(port))
    from nanoidp.__main__ import main as run

    end_with_input()
    sys.argv[1:] = ["--config", folder, "--host", "127.0.0.1", "--port", port]
    run()


if __name__ == "__main__":
    main()
