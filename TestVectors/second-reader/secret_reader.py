"""What can be a shared secret: keys and certificates are recognized by PyCryptodome, tokens and JWKs by jwcrypto."""

import base64
import json

from Crypto.PublicKey import ECC, RSA
from jwcrypto.jws import JWS

from engines import un_b64u

OCTETS = {"HS256": 32, "HS384": 48, "HS512": 64}  # RFC 7518 section 3.2


def is_key(octets: bytes) -> bool:
    for read in (RSA.import_key, ECC.import_key):
        try:
            read(octets)
        except (ValueError, IndexError, TypeError):
            continue
        return True
    # What is inside the lines of PEM may be no key, and is no secret either.
    return b"-----BEGIN " in octets


def is_json_or_token(octets: bytes) -> bool:
    try:
        text = octets.decode("utf-8")
        if text.count(".") == 2:
            JWS().deserialize(text)
            return True
        return isinstance(json.loads(text), (dict, list))
    except Exception:  # It lets through whatever the layers below it raise.
        return False


def in_base64(octets: bytes) -> bytes:
    """What the octets contain if they are base64 of either alphabet, else nothing."""
    text = b"".join(octets.split()).rstrip(b"=")
    try:
        return base64.b64decode(text.translate(bytes.maketrans(b"-_", b"+/")) + b"=" * (-len(text) % 4), validate=True)
    except ValueError:
        return b""


def usable_secret(secret: dict) -> bool:
    octets = un_b64u(secret["octets"])
    if not OCTETS[secret["algorithm"]] <= len(octets) <= 1024:
        return False
    return not any(is_key(form) or is_json_or_token(form) for form in (octets, in_base64(octets)))
