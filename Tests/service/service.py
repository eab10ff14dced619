"""Runs `verify-token serve` for a rig: configuration, start, stop, and the `accounts` commands for its store."""

import json
import re
import secrets
import subprocess
from pathlib import Path

import rig
from issuer import AUDIENCE

COMMAND_SECONDS = 60
LIMITS = tuple(
    f"limits.requests.{name}-network-and-minute" for name in ("per", "verify-per", "forward-auth-per")
)


def keys(file: Path) -> Path:
    """Writes a new key to a file and returns the file. All instances that share a store need the same key."""
    file.touch(0o600)
    file.write_text(secrets.token_hex(32) + "\n")
    return file


class Mailbox:
    """A file that receives the mail of a service."""

    def __init__(self, folder: Path):
        self.file = folder / "mail.txt"
        # The shell reads only this command; the mail is on its standard input.
        self.settings = {"passwords": True, "mail": {"command": ["/bin/sh", "-c", f"cat >> '{self.file}'"]}}

    def links(self, path: str, to: str) -> list[str]:
        """Returns the links to a page in the mail to an address so far, without their origin."""
        text = self.file.read_text() if self.file.exists() else ""
        mails = text.split("To: ")
        return [link for mail in mails if mail.startswith(f"{to}\n") for link in re.findall(rf"/{path}[?#]\S+", mail)]

    def link(self, path: str, to: str, number: int = 1) -> str:
        """Waits for the mail with this number to an address and returns its link. Mail is sent after the response."""
        rig.wait_until(lambda: len(self.links(path, to)) >= number, f"mail {number} with a link to {path} has arrived", 20)
        return self.links(path, to)[number - 1]

    def token(self, path: str, to: str, number: int = 1) -> str:
        return re.split(r"[#=]", self.link(path, to, number))[-1]


class Phones:
    """A file that receives the codes that a service sends to phones."""

    def __init__(self, folder: Path):
        self.file = folder / "sms.txt"
        self.settings = {"phone-sign-in": True, "sms": {"command": ["/bin/sh", "-c", f"cat >> '{self.file}'"]}}

    def codes(self, number: str) -> list[str]:
        """Returns the codes that were sent to a number so far."""
        text = self.file.read_text() if self.file.exists() else ""
        messages = [message for message in text.split("To: ") if message.startswith(f"{number}\n")]
        return [code for message in messages for code in re.findall(r"^@localhost #(\d{6})$", message, re.MULTILINE)]

    def code(self, number: str, nth: int = 1) -> str:
        """Waits for the code with this number in order, and returns it. Codes are sent after the response."""
        rig.wait_until(lambda: len(self.codes(number)) >= nth, f"code {nth} for a phone has arrived", 20)
        return self.codes(number)[nth - 1]


class Service(rig.Program):
    """An instance of the service on a free port. Several instances can share a store."""

    def __init__(self, binary: str, folder: Path, issuer: str, other: str | None = None, **settings):
        """Configures the provider `demo`, and `other` if given. `settings` override configuration keys; None omits a key."""
        folder.mkdir(parents=True, exist_ok=True)
        issuers = {"demo": issuer} | ({"other": other} if other else {})
        self.binary, self.folder, self.port = binary, folder, rig.free_port()
        self.settings = {
            "listen": f"127.0.0.1:{self.port}",
            "public-url": f"http://localhost:{self.port}",
            "store": str(folder / "accounts.sqlite"),
            "secrets-file": str(keys(folder / "accounts.keys")),
            "keys-directory": str(folder / "keys"),
            "providers": list(issuers),
            "provider": {
                name: {
                    "name": name.title(),
                    "issuer": url,
                    "client-id": AUDIENCE,
                    "allow-loopback-http": True,
                    "email-domains": ["*"],
                }
                for name, url in issuers.items()
            },
            # All requests come from one network.
            "tweaks": dict.fromkeys(LIMITS, 1_000_000),
        } | settings
        self.configuration = folder / "service.yaml"
        # The options of requests to a service that terminates TLS itself.
        self.trust: dict = {}
        super().__init__("service", [binary, "serve", "--config", str(self.configuration)], folder)

    def __enter__(self) -> "Service":
        self.begin()
        return self

    def begin(self) -> None:
        """Writes the configuration, starts the service and waits until it is ready."""
        self.write()
        self.start(self.ready)

    def write(self) -> None:
        """Replaces the configuration file by a rename, as editors do."""
        settings = {key: value for key, value in self.settings.items() if value is not None}
        # YAML is a superset of JSON.
        new = self.configuration.with_suffix(".new")
        new.write_text(json.dumps(settings, indent=2) + "\n")
        new.replace(self.configuration)

    def ready(self) -> bool:
        return self.says_yes("/readyz")

    def alive(self) -> bool:
        return self.says_yes("/healthz")

    def says_yes(self, path: str) -> bool:
        try:
            return rig.ask(self.port, "GET", path, seconds=2, **self.trust).status == 200
        except OSError:
            return False

    def accounts(self, *words: str) -> str:
        """Runs `verify-token accounts …` on this store and returns its output."""
        command = [self.binary, "accounts", *words, "--store", str(self.settings["store"])]
        ran = subprocess.run(command, capture_output=True, text=True, timeout=COMMAND_SECONDS, check=False)
        if ran.returncode != 0:
            raise RuntimeError(f"{' '.join(command)} exited with {ran.returncode}: {ran.stderr[-1000:]}")
        return ran.stdout
