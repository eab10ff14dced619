"""Makes the test keys once.

The committed files in keys/ are what every vector depends on, so this is not run by generate.py.
It refuses to replace a file that exists; delete one on purpose if a new key is really wanted.
"""

import hashlib
import json
import sys
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from joserfc.jwk import ECKey, RSAKey

KEYS = Path(__file__).parent / "keys"

WARNING = "TEST KEY, PUBLISHED WITH ITS PRIVATE HALF. Made for the login-vectors files only. Never trust it."

# name: (bits, public exponent, what it is for)
RSA_KEYS = {
    "issuer-a": (2048, 65537, "the key that signs most accepted tokens"),
    "issuer-b": (2048, 65537, "a second key of the same issuer"),
    "attacker": (2048, 65537, "a key that no configured set holds"),
    "rsa-3072": (3072, 65537, "a larger key"),
    "rsa-4096": (4096, 65537, "a larger key"),
    "rsa-8192": (8192, 65537, "the largest modulus that is accepted"),
    "rsa-1024-weak": (1024, 65537, "a modulus that is too short to be accepted"),
    "rsa-e3": (2048, 3, "public exponent three, for forgeries that take a cube root"),
}


def pem(private_key) -> bytes:
    return private_key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def write(name: str, purpose: str, key) -> None:
    path = KEYS / f"{name}.json"
    if path.exists():
        print(f"{path.name} exists and is kept", file=sys.stderr)
        return
    # Forty lower-case hex digits, the shape of the key identifiers that Facebook publishes.
    identifier = hashlib.sha256(key.thumbprint().encode("ascii")).hexdigest()[:40]
    exported = key.as_dict(private=True)
    members = {"comment": WARNING, "purpose": purpose, "kid": identifier, "kty": exported["kty"]}
    members.update({name: value for name, value in exported.items() if name not in members})
    path.write_text(json.dumps(members, indent=2) + "\n", encoding="ascii")


def main() -> None:
    KEYS.mkdir(exist_ok=True)
    for name, (bits, exponent, purpose) in RSA_KEYS.items():
        private_key = rsa.generate_private_key(public_exponent=exponent, key_size=bits)
        write(name, purpose, RSAKey.import_key(pem(private_key)))
    private_key = ec.generate_private_key(ec.SECP256R1())
    write("ec-p256", "a key of the wrong type", ECKey.import_key(pem(private_key)))


if __name__ == "__main__":
    main()
