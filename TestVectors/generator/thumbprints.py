"""Prints the RFC 7638 thumbprint of each committed test key and secret, so that a verifier can refuse them in production.

One line a key: the thumbprint (SHA-256, base64url), a tab, and the file it is in.
"""

import hashlib
import json

from keyring import KEYRING, b64u
from secret_cases import SECRETS

# The members that make up a key, RFC 7638 section 3.2 and RFC 8037 section 2, in the order of their names.
REQUIRED_MEMBERS = {"RSA": ("e", "kty", "n"), "EC": ("crv", "kty", "x", "y"), "OKP": ("crv", "kty", "x"),
                    "oct": ("k", "kty")}


def thumbprint(jwk: dict) -> str:
    members = {name: jwk[name] for name in REQUIRED_MEMBERS[jwk["kty"]]}
    return b64u(hashlib.sha256(json.dumps(members, separators=(",", ":")).encode("ascii")).digest())


def main() -> None:
    for name, key in KEYRING.keys.items():
        print(f"{thumbprint(key.jwk)}\tTestVectors/generator/keys/{name}.json")
    for secret in SECRETS.values():
        print(f"{thumbprint({'kty': 'oct', 'k': b64u(secret)})}\tTestVectors/secrets.json")


if __name__ == "__main__":
    main()
