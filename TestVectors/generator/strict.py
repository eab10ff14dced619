"""Reference reading of the strict formats: JSON, base64url and JWK. For the self-check only."""

import json
import re
from decimal import Decimal

from key_cases import has_roca_shape
from keyring import b64u, un_b64u

DEPTH_MAX, MEMBERS_MAX, KID_BYTES_MAX = 16, 128, 256
PRIVATE_MEMBERS = {"d", "p", "q", "dp", "dq", "qi", "oth", "k"}


def is_number(value) -> bool:
    return isinstance(value, (int, Decimal)) and not isinstance(value, bool)


def _refuse(what):
    raise ValueError(what)


def _object(pairs):
    if len(pairs) > MEMBERS_MAX or len({name for name, _ in pairs}) != len(pairs):
        raise ValueError("members")
    return dict(pairs)


def _check(value, depth: int) -> None:
    if isinstance(value, str):
        value.encode("utf-8")
    elif isinstance(value, (dict, list)):
        if depth == DEPTH_MAX:
            raise ValueError("depth")
        for item in value.values() if isinstance(value, dict) else value:
            _check(item, depth + 1)
        for name in value if isinstance(value, dict) else ():
            name.encode("utf-8")


def read_json(octets: bytes):
    """The value, or ValueError."""
    if octets.startswith(b"\xef\xbb\xbf"):
        raise ValueError("byte order mark")
    text = octets.decode("utf-8")
    try:
        value = json.loads(text, object_pairs_hook=_object, parse_constant=_refuse, parse_float=Decimal)
    except RecursionError as error:
        raise ValueError("depth") from error
    _check(value, 0)
    return value


def read_base64url(text: str) -> bytes:
    """The bytes, or ValueError where the text is not the one canonical spelling."""
    if not re.fullmatch(r"[A-Za-z0-9_-]*", text) or len(text) % 4 == 1:
        raise ValueError("alphabet or length")
    octets = un_b64u(text)
    if b64u(octets) != text:
        raise ValueError("trailing bits")
    return octets


def _natural(jwk: dict, name: str) -> int:
    text = jwk.get(name)
    if not isinstance(text, str):
        raise ValueError(name)
    octets = read_base64url(text)
    if not octets or octets[0] == 0:
        raise ValueError(f"{name} is empty or has a leading zero")
    return int.from_bytes(octets, "big")


def _purpose_fits(jwk: dict) -> bool:
    if "use" in jwk and jwk["use"] != "sig":
        return False
    if "key_ops" in jwk:
        operations = jwk["key_ops"]
        if not isinstance(operations, list) or not all(isinstance(item, str) for item in operations):
            return False
        if len(set(operations)) != len(operations) or "verify" not in operations:
            return False
        if "use" in jwk and not set(operations) <= {"sign", "verify"}:
            return False
    return "alg" not in jwk or jwk["alg"] == "RS256"


def usable(jwk: dict) -> bool:
    if jwk.get("kty") != "RSA" or PRIVATE_MEMBERS & set(jwk) or not _purpose_fits(jwk):
        return False
    if "kid" in jwk:
        kid = jwk["kid"]
        if not isinstance(kid, str) or not 0 < len(kid.encode("utf-8")) <= KID_BYTES_MAX:
            return False
    try:
        n, e = _natural(jwk, "n"), _natural(jwk, "e")
    except ValueError:
        return False
    if not 2048 <= n.bit_length() <= 8192 or n % 2 == 0 or has_roca_shape(n):
        return False
    return e % 2 == 1 and 3 <= e < 1 << 32
