"""Checks that the command verifies tokens of third-party OpenID providers, and explains refusals.

usage: check.py VERIFY_TOKEN

Keys and tokens are new at each run, and everything stays on this machine.
"""

import base64
import hashlib
import json
import secrets
import subprocess
import sys
import tempfile
from pathlib import Path

import client
from provider import PROVIDERS, Provider

VERIFIED, REFUSED, UNDECIDED, USAGE = 0, 1, 2, 64
SECONDS_MAX = 60


def b64u(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii")


def thumbprint(key: dict) -> str:
    """Returns the thumbprint of an RSA key (RFC 7638)."""
    members = {name: key[name] for name in ("e", "kty", "n")}
    return b64u(hashlib.sha256(json.dumps(members, separators=(",", ":")).encode("ascii")).digest())


def signature_changed(token: str) -> str:
    head, _, tail = token.rpartition(".")
    signature = bytearray(base64.urlsafe_b64decode(tail + "=" * (-len(tail) % 4)))
    signature[len(signature) // 2] ^= 1
    return f"{head}.{b64u(signature)}"


class Login:
    """A login: the token, and the values that the relying party expects."""

    def __init__(self, provider: Provider, user: str = client.USERS[0]):
        self.nonce = secrets.token_urlsafe(16)
        answer = provider.token(self.nonce, user)
        self.token, self.access_token, self.subject = answer["id_token"], answer["access_token"], answer["sub"]


class Check:
    """The checks of one provider. A failed check ends the program."""

    def __init__(self, verify_token: str, provider: Provider, folder: Path):
        self.verify_token, self.provider, self.folder = verify_token, provider, folder
        self.made = 0

    def demand(self, condition: bool, what: str, seen: object) -> None:
        if not condition:
            sys.exit(f"providers: {self.provider.name}: {what}, not {seen}")
        self.made += 1

    def new_folder(self) -> str:
        return tempfile.mkdtemp(dir=self.folder)

    def run(self, *arguments: str, input: str = "") -> tuple[int, dict, str]:
        ran = subprocess.run(
            [self.verify_token, *arguments], input=input, capture_output=True, text=True, timeout=SECONDS_MAX
        )
        report = json.loads(ran.stdout) if ran.stdout else {}
        return ran.returncode, report, f"{arguments[:1]} → {ran.returncode}: {ran.stdout}{ran.stderr}"

    def verify(self, status: int, code: str | None, login: Login, *, token: str | None = None, **changed) -> dict:
        """Runs `verify` with the expected values or changed ones, and checks the verdict."""
        options = {
            "issuer": self.provider.issuer, "audience": client.ID, "nonce": login.nonce, "algorithm": "RS256",
            "format": "json",
        }
        options |= {name.replace("_", "-"): value for name, value in changed.items() if name != "loopback"}
        arguments = [word for name, value in options.items() for word in (f"--{name}", value)]
        flags = ["--show-claims"] + (["--allow-loopback-http"] if changed.get("loopback", True) else [])
        seen, report, words = self.run("verify", *arguments, *flags, input=token or login.token)
        difference = ", ".join(f"{name} {value}" for name, value in changed.items()) or "nothing changed"
        self.demand(seen == status, f"with {difference}, verify ends with {status}", words)
        if status != USAGE:
            self.demand(report["code"] == code, f"with {difference}, the code is {code}", words)
        return report

    def keys(self, status: int, code: str | None, issuer: str) -> list[dict]:
        """Runs `keys`, and checks its exit status."""
        seen, report, words = self.run("keys", "--issuer", issuer, "--allow-loopback-http", "--format", "json")
        self.demand(seen == status and report["code"] == code, f"keys of {issuer} ends with {status}, {code}", words)
        return report["keys"]

    def keys_are_served(self) -> None:
        """Checks that `keys` lists the keys of the provider, by ID and thumbprint."""
        listed = self.keys(VERIFIED, None, self.provider.issuer)
        served = [(key.get("kid"), thumbprint(key)) for key in self.provider.keys()]
        seen = [(key["kid"], key["thumbprint"]) for key in listed]
        self.demand(seen == served, f"keys lists {served}", seen)
        self.demand(all(key["usable"] for key in listed), "every key can be used", listed)

    # The checks, in their order.

    def first_token(self) -> None:
        login = Login(self.provider)
        report = self.verify(VERIFIED, None, login)
        self.demand(report["keys"]["from"] == "fetched", "the keys are fetched", report["keys"])
        self.demand(report["claims"]["sub"] == login.subject, f"the subject is {login.subject}", report["claims"])
        self.verify(REFUSED, "nonce", login, nonce="another-nonce")
        self.verify(REFUSED, "audience", login, audience="another-relying-party")
        self.verify(REFUSED, "issuer", login, issuer=f"{self.provider.issuer}/")
        self.verify(REFUSED, "algorithm", login, algorithm="ES256")
        self.verify(REFUSED, "signature", login, token=signature_changed(login.token))
        self.verify(USAGE, None, login, loopback=False)
        other = Login(self.provider, client.USERS[1])
        self.demand(other.subject != login.subject, "two people have two subjects", other.subject)
        self.verify(VERIFIED, None, other)
        self.verify(REFUSED, "nonce", other, nonce=login.nonce)

    def access_token(self) -> None:
        login, file = Login(self.provider), self.folder / "access-token"
        file.write_text(login.access_token, encoding="ascii")
        if not self.provider.has_hash:
            self.verify(REFUSED, "access-token-hash", login, access_token_file=str(file))
            return
        self.verify(VERIFIED, None, login, access_token_file=str(file))
        file.write_text(Login(self.provider).access_token, encoding="ascii")
        self.verify(REFUSED, "access-token-hash", login, access_token_file=str(file))

    def listing(self) -> None:
        self.keys_are_served()
        # OpenID Connect Discovery §4.3: the document must name the issuer exactly as it was configured.
        self.keys(UNDECIDED, "discovery", f"{self.provider.issuer}/")

    def outage(self) -> None:
        login, folder = Login(self.provider), self.new_folder()
        first = self.verify(VERIFIED, None, login, keys_cache=folder)
        self.demand(first["keys"]["from"] == "fetched", "the first run fetches keys", first["keys"])
        kept = self.verify(VERIFIED, None, login, keys_cache=folder)
        self.demand(kept["keys"]["from"] == "kept", "the second run uses kept keys", kept["keys"])
        self.provider.stop()
        self.verify(VERIFIED, None, login, keys_cache=folder)
        if self.provider.names_keys:
            self.verify(REFUSED, "signature", login, token=signature_changed(login.token), keys_cache=folder)
        else:
            # The token may be signed with a new key, so no verdict is possible.
            self.verify(UNDECIDED, "keys-unavailable", login, token=signature_changed(login.token), keys_cache=folder)
        self.verify(UNDECIDED, "keys-unavailable", login)
        self.verify(UNDECIDED, "keys-unavailable", login, keys_cache=self.new_folder())
        self.provider.start()
        self.verify(VERIFIED, None, Login(self.provider))

    def rotation(self) -> None:
        old, folder = Login(self.provider), self.new_folder()
        self.verify(VERIFIED, None, old, keys_cache=folder)
        self.provider.rotate()
        new = Login(self.provider)
        # The ID of the new key is unknown, or the signature was not made with the cached key, so the keys are fetched again
        # although the cached ones have not expired.
        report = self.verify(VERIFIED, None, new, keys_cache=folder)
        self.demand(report["keys"]["from"] == "fetched", "an unknown key is fetched", report["keys"])
        report = self.verify(VERIFIED, None, new, keys_cache=folder)
        self.demand(report["keys"]["from"] == "kept", "the new key is kept", report["keys"])
        self.verify(REFUSED, "key-not-found" if self.provider.names_keys else "signature", old, keys_cache=folder)
        self.provider.stop()
        # The old key may be in use again, so no verdict is possible.
        self.verify(UNDECIDED, "keys-unavailable", old, keys_cache=folder)
        self.verify(VERIFIED, None, new, keys_cache=folder)
        self.provider.start()
        self.keys_are_served()

    def overlap(self) -> None:
        """Checks a rotation in which the new key is published before it signs, and the old one is removed afterwards."""
        if not self.provider.can_announce:
            return
        old, folder = Login(self.provider), self.new_folder()
        self.provider.announce()
        self.keys_are_served()
        self.verify(VERIFIED, None, old, keys_cache=folder)
        self.provider.retire()
        new = Login(self.provider)
        report = self.verify(VERIFIED, None, new, keys_cache=folder)
        self.demand(report["keys"]["from"] == "kept", "an announced key is at hand", report["keys"])
        self.verify(REFUSED, "key-not-found", old)
        self.keys_are_served()

    def all(self) -> int:
        for check in (self.first_token, self.access_token, self.listing, self.outage, self.rotation, self.overlap):
            check()
        return self.made


def main() -> int:
    verify_token, made = sys.argv[1], 0
    kinds = [kind for kind in PROVIDERS.values() if kind.is_installed()]
    for kind in kinds:
        with tempfile.TemporaryDirectory() as folder, kind() as provider:
            count = Check(verify_token, provider, Path(folder)).all()
        print(f"{kind.name}: {count} checks")
        made += count
    print(f"providers: {len(kinds)} providers, {made} checks")
    return 0


if __name__ == "__main__":
    sys.exit(main())
