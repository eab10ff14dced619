"""The bare signature check, by two implementations."""

import base64

from Crypto.Hash import SHA256, SHA384, SHA512
from Crypto.PublicKey import ECC, RSA
from Crypto.Signature import DSS, eddsa, pkcs1_15, pss
from jwcrypto.jwa import JWA
from jwcrypto.jwk import JWK

JWCRYPTO = "jwcrypto"
PYCRYPTODOME = "PyCryptodome"
HASHES = {"256": SHA256, "384": SHA384, "512": SHA512}


def un_b64u(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def verify_by_jwcrypto(jwk: dict, algorithm: str, message: bytes, signature: bytes) -> bool:
    key = JWK(**jwk)
    try:
        JWA.signing_alg(algorithm).verify(key, message, signature)
    except Exception:  # It lets through whatever the layers below it raise.
        return False
    return True


def verify_by_pycryptodome(jwk: dict, algorithm: str, message: bytes, signature: bytes) -> bool:
    verifier = pycryptodome_verifier(jwk, algorithm)
    hashed = HASHES[algorithm[2:]].new(message) if algorithm[2:] in HASHES else message
    try:
        verifier.verify(hashed, signature)
    except ValueError:
        return False
    return True


def pycryptodome_key(jwk: dict):
    """The key of these numbers; ValueError if there is none."""
    if jwk["kty"] == "OKP":
        return eddsa.import_public_key(un_b64u(jwk["x"]))
    first, second = (int.from_bytes(un_b64u(jwk[name]), "big") for name in ("ne" if jwk["kty"] == "RSA" else "xy"))
    if jwk["kty"] == "RSA":
        return RSA.construct((first, second))
    return ECC.construct(curve=jwk["crv"], point_x=first, point_y=second)


def pycryptodome_certified_key(certificate: bytes):
    """The key in a certificate."""
    try:
        return RSA.import_key(certificate)
    except ValueError:
        return ECC.import_key(certificate)


def pycryptodome_verifier(jwk: dict, algorithm: str):
    key = pycryptodome_key(jwk)
    match algorithm[:2]:
        case "RS":
            return pkcs1_15.new(key)
        case "PS":
            # RFC 7518 section 3.5: the salt is as long as the hash.
            return pss.new(key, salt_bytes=HASHES[algorithm[2:]].digest_size)
        case "ES":
            return DSS.new(key, "fips-186-3", encoding="binary")
        case _:
            return eddsa.new(key, "rfc8032")
