"""The committed test keys: reading them, and showing their public halves."""

import base64
import json
from functools import cached_property
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric import ec, padding
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256, SHA384, SHA512
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from joserfc.jwk import ECKey, OKPKey, RSAKey

import pss
from curves import CURVES

KEYS = Path(__file__).parent / "keys"
NOT_KEY_MATERIAL = ("comment", "purpose")
PUBLIC_MEMBERS = ("kty", "kid", "n", "e", "crv", "x", "y")
HASHES = {"256": SHA256(), "384": SHA384(), "512": SHA512()}
JOSE_KEYS = {"RSA": RSAKey, "EC": ECKey, "OKP": OKPKey}

# What a key can do: by its type, or by its curve.
ALGORITHMS = {
    "RSA": ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"],
    "P-256": ["ES256"], "P-384": ["ES384"], "P-521": ["ES512"],
    "Ed25519": ["EdDSA", "Ed25519"],
}
ALL_ALGORITHMS = [algorithm for algorithms in ALGORITHMS.values() for algorithm in algorithms]


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
        self.algorithms = ALGORITHMS[self.jwk.get("crv", self.jwk["kty"])]
        self.algorithm = self.algorithms[0]

    @cached_property
    def jose(self):
        """The key as joserfc holds it."""
        return JOSE_KEYS[self.jwk["kty"]].import_key(self.jwk)

    @cached_property
    def n(self) -> int:
        return int.from_bytes(un_b64u(self.jwk["n"]), "big")

    @cached_property
    def e(self) -> int:
        return int.from_bytes(un_b64u(self.jwk["e"]), "big")

    @property
    def size(self) -> int:
        """Bytes of the modulus, which is the only length a signature may have."""
        return (self.n.bit_length() + 7) // 8

    @property
    def curve(self):
        return CURVES[self.jwk["crv"]]

    def public(self, **changes) -> dict:
        """The public JWK as an issuer publishes it; a change to None takes the member out."""
        jwk = {"kty": self.jwk["kty"], "kid": self.kid, "use": "sig", "alg": self.algorithm}
        jwk.update({name: self.jwk[name] for name in PUBLIC_MEMBERS if name in self.jwk})
        jwk.update(changes)
        return {name: value for name, value in jwk.items() if value is not None}

    def sign_bytes(self, message: bytes, algorithm: str | None = None) -> bytes:
        """A signature over exactly these bytes, and the same one each time."""
        algorithm = algorithm or self.algorithm
        assert algorithm in self.algorithms, f"{self.name} cannot make {algorithm}"
        if algorithm in ("EdDSA", "Ed25519"):
            return self.jose.private_key.sign(message)
        hash_algorithm = HASHES[algorithm[2:]]
        if algorithm.startswith("PS"):
            return self.raw_sign(pss.encode(message, self.n.bit_length(), hash_algorithm.name))
        if algorithm.startswith("RS"):
            return self.jose.private_key.sign(message, padding.PKCS1v15(), hash_algorithm)
        # RFC 6979, since a second run must give the same bytes.
        numbers = self.jose.private_key.sign(message, ec.ECDSA(hash_algorithm, deterministic_signing=True))
        return self.join(*decode_dss_signature(numbers))

    def join(self, r: int, s: int) -> bytes:
        """r and s of an ECDSA signature as JWS writes them (RFC 7518 section 3.4)."""
        return b"".join(number.to_bytes(self.curve.coordinate_size, "big") for number in (r, s))

    def split(self, signature: bytes) -> tuple[int, int]:
        half = self.curve.coordinate_size
        return int.from_bytes(signature[:half], "big"), int.from_bytes(signature[half:], "big")

    def raw_sign(self, encoded_message: bytes) -> bytes:
        """The bare RSA private operation, for encoded messages that no library would sign."""
        number = int.from_bytes(encoded_message, "big")
        assert number < self.n, "the encoded message must be below the modulus"
        # By the two primes apart (RFC 8017 section 5.1.2), since the largest key takes seconds otherwise.
        p, q, dp, dq, qi = (int.from_bytes(un_b64u(self.jwk[name]), "big") for name in ("p", "q", "dp", "dq", "qi"))
        one, other = pow(number % p, dp, p), pow(number % q, dq, q)
        return (other + (one - other) * qi % p * q).to_bytes(self.size, "big")

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
