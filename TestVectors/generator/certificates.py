"""Self-signed certificates of the test keys, made so that they come out the same each time."""

import base64
import datetime

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding

from keyring import HASHES, Key

START = datetime.datetime(2025, 1, 1, tzinfo=datetime.timezone.utc)
END = datetime.datetime(2035, 1, 1, tzinfo=datetime.timezone.utc)


def certificate(key: Key, start=START, end=END) -> bytes:
    """In DER. Serial number, names and dates are fixed, and so is the signature: PKCS #1, RFC 6979 or Ed25519."""
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "test key, never trust it")])
    builder = x509.CertificateBuilder(name, name, key.jose.public_key, 1, start, end)
    edwards = key.jwk["kty"] == "OKP"
    hash_algorithm = None if edwards else HASHES["256"]
    deterministic = True if key.jwk["kty"] == "EC" else None
    signed = builder.sign(key.jose.private_key, hash_algorithm, ecdsa_deterministic=deterministic)
    return signed.public_bytes(Encoding.DER)


def chain(*certificates: bytes) -> list[str]:
    """As x5c has it: plain base64, not base64url (RFC 7517 section 4.7)."""
    return [base64.b64encode(octets).decode("ascii") for octets in certificates]
