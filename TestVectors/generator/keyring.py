"""The committed test keys: reading them, and showing their public halves."""

import base64
import json
from functools import cached_property
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric import padding
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from joserfc.jwk import ECKey, RSAKey

KEYS = Path(__file__).parent / "keys"
NOT_KEY_MATERIAL = ("comment", "purpose")
PUBLIC_MEMBERS = ("kty", "kid", "n", "e", "crv", "x", "y")


def b64u(data: bytes) -> str:
    """base64url without padding, RFC 7515 section 2."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii")


def un_b64u(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def int_b64u(number: int) -> str:
    """Base64urlUInt, RFC 7518 section 2: the fewest octets, and one zero octet for zero."""
    return b64u(number.to_bytes(max(1, (number.bit_length() + 7) // 8), "big"))


class Key:
    """One test key with its private half."""

    def __init__(self, name: str):
        members = json.loads((KEYS / f"{name}.json").read_text(encoding="ascii"))
        self.name = name
        self.jwk = {member: value for member, value in members.items() if member not in NOT_KEY_MATERIAL}
        self.kid = self.jwk["kid"]
        self.is_rsa = self.jwk["kty"] == "RSA"

    @cached_property
    def jose(self):
        """The key as joserfc holds it."""
        return (RSAKey if self.is_rsa else ECKey).import_key(self.jwk)

    @cached_property
    def n(self) -> int:
        return int.from_bytes(un_b64u(self.jwk["n"]), "big")

    @cached_property
    def e(self) -> int:
        return int.from_bytes(un_b64u(self.jwk["e"]), "big")

    @cached_property
    def d(self) -> int:
        return int.from_bytes(un_b64u(self.jwk["d"]), "big")

    @property
    def size(self) -> int:
        """Bytes of the modulus, which is the only length a signature may have."""
        return (self.n.bit_length() + 7) // 8

    def public(self, **changes) -> dict:
        """The public JWK as an issuer publishes it; a change to None takes the member out."""
        jwk = {"kty": self.jwk["kty"], "kid": self.kid, "use": "sig", "alg": "RS256" if self.is_rsa else "ES256"}
        jwk.update({name: self.jwk[name] for name in PUBLIC_MEMBERS if name in self.jwk})
        jwk.update(changes)
        return {name: value for name, value in jwk.items() if value is not None}

    def sign_bytes(self, message: bytes) -> bytes:
        """RS256 over exactly these bytes, for input that joserfc would not produce."""
        return self.jose.private_key.sign(message, padding.PKCS1v15(), SHA256())

    def raw_sign(self, encoded_message: bytes) -> bytes:
        """The bare RSA private operation, for encoded messages that no library would sign."""
        number = int.from_bytes(encoded_message, "big")
        assert number < self.n, "the encoded message must be below the modulus"
        return pow(number, self.d, self.n).to_bytes(self.size, "big")

    @cached_property
    def pem(self) -> bytes:
        return self.jose.public_key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)

    @cached_property
    def spki(self) -> bytes:
        return self.jose.public_key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)


class Keyring:
    """Keys by name, each read once."""

    def __init__(self):
        self.keys = {path.stem: Key(path.stem) for path in sorted(KEYS.glob("*.json"))}

    def __getitem__(self, name: str) -> Key:
        return self.keys[name]


KEYRING = Keyring()


def key_set(*keys) -> dict:
    """A JWK set of Key objects (their public half) or of JWKs given as they are."""
    return {"keys": [key.public() if isinstance(key, Key) else key for key in keys]}
