"""A compact JWS and its keys, read by jwcrypto.

What jwcrypto leaves to its caller is done here: the allowed algorithms, the choice of the keys, what `alg` in a key
says, the least length of a modulus, and that base64url has only one form in a token, and only one reading in a key set.
Whether the numbers can be a key at all, and whether the certificate beside them has the same, PyCryptodome is asked.
Nothing else is added, so where jwcrypto is laxer, it shows.
"""

import json
import re
from base64 import b64decode, b64encode

from engines import pycryptodome_certified_key, pycryptodome_key, un_b64u
from jwcrypto.common import base64url_encode
from jwcrypto.jwk import JWK
from jwcrypto.jws import JWS

# The key that each algorithm takes: `kty`, and `crv` where it has one.
ALGORITHMS = {
    **{f"{family}{bits}": ("RSA", None) for family in ("RS", "PS") for bits in (256, 384, 512)},
    "ES256": ("EC", "P-256"),
    "ES384": ("EC", "P-384"),
    "ES512": ("EC", "P-521"),
    "EdDSA": ("OKP", "Ed25519"),
    "Ed25519": ("OKP", "Ed25519"),
}
KEY_VALUES = ("n", "e", "x", "y")
MODULUS_BITS_MIN = 2048  # RFC 7518 sections 3.3 and 3.5
ZEROS_MAX = 8
KEYS_MAX = 4
PRIVATE = {"d", "p", "q", "dp", "dq", "qi", "oth", "k"}


def canonical(text: str) -> bool:
    """Whether this is the one base64url text of its bytes: Python reads others too."""
    return base64url_encode(un_b64u(text)) == text


def decoded(text: str) -> bytes:
    """The octets of base64 or base64url, padded or not, with line breaks; ValueError unless it has one reading."""
    text = text.replace("\r", "").replace("\n", "")
    body = text.rstrip("=")
    if set(body) & set("+/") and set(body) & set("-_") or text not in (body, body + "=" * (-len(body) % 4)):
        raise ValueError("two alphabets, or half of the padding")
    body = body.replace("+", "-").replace("/", "_")
    if not canonical(body):
        raise ValueError("not base64")
    return un_b64u(body)


def first_certificate(text: str) -> bytes:
    """The DER of a certificate, whether there are PEM's lines around it or bytes after it."""
    lines = text.split("-----")
    begins = [place for place, line in enumerate(lines) if line.startswith("BEGIN ")]
    octets = decoded("".join((lines[begins[0] + 1] if begins else text).split()))
    width = octets[1] & 0x7F
    return octets[:2 + width + int.from_bytes(octets[2:2 + width], "big")]


def published(jwk: dict) -> dict:
    """A key of a document in the one spelling that it has in a token; without the members that have no reading."""
    found = {name: value for name, value in jwk.items() if value is not None and (value != "" or name == "issuer")}
    for name in set(KEY_VALUES) & found.keys():
        try:
            octets = decoded(found[name])
        except (AttributeError, ValueError):
            del found[name]
            continue
        if name in "ne":
            # Where there are more zeros, the number counts as missing.
            octets = b"" if octets.startswith(bytes(ZEROS_MAX + 1)) else octets.lstrip(b"\0")
        found[name] = base64url_encode(octets)
    try:
        certificate = first_certificate(found["x5c"][0])
        pycryptodome_certified_key(certificate)
        found["x5c"] = [b64encode(certificate).decode("ascii")]
    except (AttributeError, LookupError, TypeError, ValueError):
        found.pop("x5c", None)
    return found


def published_keys(keys: list[dict]) -> list[dict]:
    """The keys of a document, without those whose private half stands beside them."""
    keys = [published(jwk) for jwk in keys]
    private = [jwk for jwk in keys if jwk.keys() & PRIVATE]
    numbers = [jwk[name] for jwk in private for name in ("n", "x") if name in jwk]
    public = [jwk.get(name) for jwk in keys if jwk not in private for name in ("n", "x")]
    unknown = [jwk.get("kid") for jwk in private if jwk.keys() & PRIVATE - {"k"}
               and not any(jwk[name] in public for name in ("n", "x") if name in jwk)]
    return [jwk for jwk in keys
            if jwk.get("n") not in numbers and jwk.get("x") not in numbers and jwk.get("kid", ()) not in unknown]


def numbers_of(jwk: dict) -> list:
    return [jwk.get(name) for name in ("kty", "crv", *KEY_VALUES)]


def usable_key(jwk: dict, algorithm: str) -> JWK | None:
    """The key as jwcrypto holds it, if it may verify this algorithm."""
    try:
        key = JWK(**jwk)
        curve = None if key["kty"] == "RSA" else key["crv"]
        if (key["kty"], curve) != ALGORITHMS[algorithm] or key.get("alg", algorithm) != algorithm:
            return None
        if key.has_private or not all(canonical(jwk[name]) for name in KEY_VALUES if name in jwk):
            return None
        # Asks for `use` and `key_ops`, and whether the numbers make a key.
        public_key = key.get_op_key("verify", curve)
        if curve is None and public_key.key_size < MODULUS_BITS_MIN:
            return None
        numbers = pycryptodome_key(jwk)
        # RFC 7517 section 4.7: the first certificate has the same key.
        if "x5c" in jwk and pycryptodome_certified_key(b64decode(jwk["x5c"][0], validate=True)) != numbers:
            return None
    except Exception:  # They let through whatever the layers below them raise.
        return None
    return key


def unique(pairs: list) -> dict:
    if len(dict(pairs)) != len(pairs):
        raise ValueError("a member is there twice")
    return dict(pairs)


def read_jws(token: str, keys: list[dict], algorithms: list[str], secret: dict | None = None) -> bytes | None:
    """The payload, if the token is signed with the secret of a policy, or else by a key that fits: the only one, or one
    of a few with the kid it names."""
    if secret:
        algorithms = [secret["algorithm"]]
    try:
        segments = token.split(".")
        if not all(map(canonical, segments)):
            return None
        # RFC 7515 section 4: equal names are refused. No extension is understood here (section 4.1.11).
        header = json.loads(un_b64u(segments[0]), object_pairs_hook=unique)
        if "crit" in header or header.get("b64", True) is not True or header["alg"] not in algorithms:
            return None
        if secret and not 1 <= len(header.get("kid", "none").encode("utf-8")) <= 256:
            return None
        named = [jwk for jwk in keys if "kid" not in header or jwk.get("kid") == header["kid"]]
        if secret:
            fitting = {"": JWK(kty="oct", k=secret["octets"])}
        else:
            fitting = {key.thumbprint(): key for jwk in named if (key := usable_key(jwk, header["alg"]))}
        if len(fitting) > (KEYS_MAX if "kid" in header else 1):
            return None
    except Exception:  # It lets through whatever the layers below it raise.
        return None
    payloads = (payload_of(token, key, algorithms) for key in fitting.values())
    return next((payload for payload in payloads if payload is not None), None)


def payload_of(token: str, key: JWK, algorithms: list[str]) -> bytes | None:
    """The payload, if this key signed the token."""
    try:
        jws = JWS()
        jws.allowed_algs = algorithms
        jws.deserialize(token, key)
    except Exception:  # It lets through whatever the layers below it raise.
        return None
    return jws.payload
