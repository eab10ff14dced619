"""Makes the test keys once.

The committed files in keys/ are what every vector depends on, so this is not run by generate.py.
It refuses to replace a file that exists; delete one on purpose if a new key is really wanted.
"""

import hashlib
import json
import sys
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from joserfc.jwk import ECKey, OKPKey, RSAKey

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
    "rsa-pss": (2048, 65537, "a key for RSASSA-PSS"),
    "rsa-2049": (2049, 65537, "a modulus with one bit in its first byte, so that a PSS message is a byte shorter"),
}
# name: (curve, what it is for)
CURVE_KEYS = {
    "ec-p256": (ec.SECP256R1(), "a key of the wrong type"),
    "ec-p256-b": (ec.SECP256R1(), "a second key on the curve P-256"),
    "ec-p384": (ec.SECP384R1(), "a key on the curve P-384"),
    "ec-p384-b": (ec.SECP384R1(), "a second key on the curve P-384"),
    "ec-p521": (ec.SECP521R1(), "a key on the curve P-521"),
    "ec-p521-b": (ec.SECP521R1(), "a second key on the curve P-521"),
}
ED25519_KEYS = {
    "ed25519": "an Edwards curve key",
    "ed25519-b": "a second Edwards curve key",
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


def make_rsa(bits: int, exponent: int):
    """An RSA key; OpenSSL makes only moduli of an even number of bits, so an odd one takes its primes from two keys."""
    if bits % 2 == 0:
        return rsa.generate_private_key(public_exponent=exponent, key_size=bits)
    p, q = (rsa.generate_private_key(exponent, size).private_numbers().p for size in (bits + 1, bits - 1))
    d = pow(exponent, -1, (p - 1) * (q - 1))
    public = rsa.RSAPublicNumbers(exponent, p * q)
    assert public.n.bit_length() == bits
    return rsa.RSAPrivateNumbers(
        p, q, d, rsa.rsa_crt_dmp1(d, p), rsa.rsa_crt_dmq1(d, q), rsa.rsa_crt_iqmp(p, q), public).private_key()


def main() -> None:
    KEYS.mkdir(exist_ok=True)
    for name, (bits, exponent, purpose) in RSA_KEYS.items():
        write(name, purpose, RSAKey.import_key(pem(make_rsa(bits, exponent))))
    for name, (curve, purpose) in CURVE_KEYS.items():
        write(name, purpose, ECKey.import_key(pem(ec.generate_private_key(curve))))
    for name, purpose in ED25519_KEYS.items():
        write(name, purpose, OKPKey.import_key(pem(ed25519.Ed25519PrivateKey.generate())))


if __name__ == "__main__":
    main()
