"""Reference reading of the strict formats: JSON, base64url and JWK. For the self-check only."""

import base64
import contextlib
import json
import re
from decimal import Decimal
from functools import lru_cache

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

from curves import CURVES, Ed25519
from key_cases import has_roca_shape
from keyring import ALGORITHMS, b64u, un_b64u

DEPTH_MAX, MEMBERS_MAX, KID_BYTES_MAX, LEADING_ZEROS_MAX = 16, 128, 256, 8
PRIVATE_MEMBERS = {"d", "p", "q", "dp", "dq", "qi", "oth", "k"}
IDENTIFYING = {"RSA": ["n", "e"], "EC": ["crv", "x", "y"], "OKP": ["crv", "x"]}


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
        value = json.loads(
            text, object_pairs_hook=_object, parse_constant=_refuse, parse_float=Decimal, parse_int=Decimal)
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


def _respelled(text: str) -> bytes:
    """The bytes of base64 or base64url, padded or not, with line breaks; ValueError where it has no one reading."""
    text = text.replace("\r", "").replace("\n", "")
    if not re.fullmatch("([A-Za-z0-9_-]*|[A-Za-z0-9+/]*)={0,2}", text) or "=" in text and len(text) % 4:
        raise ValueError("alphabet or padding")
    return read_base64url(text.rstrip("=").translate(str.maketrans("+/", "-_")))


def _first_certificate(text: str) -> bytes:
    """The certificate in DER, from base64 or PEM, with white space anywhere, without what follows it."""
    armour = re.search("-----BEGIN [^-]*-----(.*?)(-----|$)", text, re.DOTALL)
    octets = _respelled(re.sub("[\\t-\\r ]", "", armour[1] if armour else text))
    width = octets[1] - 0x80
    if width not in (1, 2):
        raise ValueError("no certificate")
    return octets[:2 + width + int.from_bytes(octets[2:2 + width], "big")]


def published(jwk: dict) -> dict:
    """A key of a document in the spelling of a key in a token; what has no reading stays, and is refused there."""
    found = {name: value for name, value in jwk.items() if value is not None and (value != "" or name == "issuer")}
    for name in ("n", "e", "x", "y"):
        try:
            octets = _respelled(found[name])
        except (AttributeError, KeyError, ValueError):
            continue
        zeros = len(octets) - len(octets.lstrip(b"\x00"))
        found[name] = b64u(octets[zeros:] if name in "ne" and zeros <= LEADING_ZEROS_MAX else octets)
    if "x5c" in found:
        try:
            certificate = _first_certificate(found["x5c"][0])
            _certified(certificate)
            found["x5c"] = [base64.b64encode(certificate).decode("ascii")]
        except (AttributeError, LookupError, TypeError, ValueError, UnsupportedAlgorithm):
            del found["x5c"]
    return found


def identity(jwk: dict) -> str:
    """What makes a key this key and no other (RFC 7638)."""
    return json.dumps([jwk.get(name) for name in ["kty", *IDENTIFYING.get(jwk.get("kty"), jwk)]], default=float)


def published_keys(keys: list[dict]) -> list[dict]:
    """The keys of a document. One that also stands there with its private half is as good as if it had it everywhere."""
    keys = [published(jwk) for jwk in keys]
    private = [jwk for jwk in keys if PRIVATE_MEMBERS & set(jwk)]
    leaked = {number for jwk in private for number in _identifying(jwk)}
    public = {number for jwk in keys if jwk not in private for number in _identifying(jwk)}
    unread = {repr(jwk["kid"]) for jwk in private
              if "kid" in jwk and not _identifying(jwk) & public and set(jwk) & (PRIVATE_MEMBERS - {"k"})}
    return [jwk | ({"d": ""} if leaked & _identifying(jwk) or repr(jwk.get("kid")) in unread else {}) for jwk in keys]


def _identifying(jwk: dict) -> set[bytes]:
    """The modulus and the coordinate x, as far as they can be read."""
    numbers = set()
    for name in "nx":
        with contextlib.suppress(ValueError):
            numbers.add(_octets(jwk, name).lstrip(b"\0"))
    return numbers - {b""}


def _octets(jwk: dict, name: str) -> bytes:
    text = jwk.get(name)
    if not isinstance(text, str):
        raise ValueError(name)
    return read_base64url(text)


def _natural(jwk: dict, name: str) -> int:
    octets = _octets(jwk, name)
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
    return True


def _rsa_numbers(jwk: dict) -> tuple:
    n, e = _natural(jwk, "n"), _natural(jwk, "e")
    if not 2048 <= n.bit_length() <= 8192 or n % 2 == 0 or has_roca_shape(n):
        raise ValueError("n")
    if e % 2 == 0 or not 3 <= e < 1 << 32:
        raise ValueError("e")
    return n, e


def _curve_numbers(jwk: dict) -> tuple:
    curve = CURVES[jwk["crv"]]
    octets = [_octets(jwk, name) for name in ("x", "y")]
    x, y = (int.from_bytes(coordinate, "big") for coordinate in octets)
    if any(len(coordinate) != curve.coordinate_size for coordinate in octets) or not curve.has(x, y):
        raise ValueError("no point of the curve")
    return x, y


def _edwards_octets(jwk: dict) -> tuple:
    octets = _octets(jwk, "x")
    point = Ed25519.decode(octets) if len(octets) == 32 else None
    if point is None or Ed25519.has_small_order(point):
        raise ValueError("x")
    return (octets,)


def _certified(certificate: bytes) -> tuple:
    """What a certificate says of its key, in the form of the functions above."""
    key = x509.load_der_x509_certificate(certificate).public_key()
    if isinstance(key, rsa.RSAPublicKey):
        return key.public_numbers().n, key.public_numbers().e
    if isinstance(key, ec.EllipticCurvePublicKey):
        return key.public_numbers().x, key.public_numbers().y
    if isinstance(key, ed25519.Ed25519PublicKey):
        return (key.public_bytes_raw(),)
    raise ValueError("another type of key")


def _certificate_fits(jwk: dict, numbers: tuple) -> bool:
    if "x5c" not in jwk:
        return True
    chain = jwk["x5c"]
    if not isinstance(chain, list) or not chain or not isinstance(chain[0], str):
        return False
    try:
        return _certified(base64.b64decode(chain[0], validate=True)) == numbers
    except (ValueError, UnsupportedAlgorithm):
        return False


def algorithms_of(jwk: dict) -> list[str]:
    """The algorithms that the key can verify; none if it is unusable."""
    # A key in a header was read with read_json, whose numbers are decimal.
    return _algorithms_of(json.dumps(jwk, default=float))


@lru_cache(maxsize=None)
def _algorithms_of(text: str) -> list[str]:
    jwk = json.loads(text)
    kty = jwk.get("kty")
    if PRIVATE_MEMBERS & set(jwk) or not _purpose_fits(jwk) or kty not in ("RSA", "EC", "OKP"):
        return []
    if "kid" in jwk:
        kid = jwk["kid"]
        if not isinstance(kid, str) or not 0 < len(kid.encode("utf-8")) <= KID_BYTES_MAX:
            return []
    kind = kty if kty == "RSA" else jwk.get("crv")
    if not isinstance(kind, str) or (kty == "EC" and kind not in CURVES) or (kty == "OKP" and kind != "Ed25519"):
        return []
    try:
        numbers = {"RSA": _rsa_numbers, "EC": _curve_numbers, "OKP": _edwards_octets}[kty](jwk)
    except ValueError:
        return []
    if not _certificate_fits(jwk, numbers):
        return []
    return [name for name in ALGORITHMS[kind] if "alg" not in jwk or jwk["alg"] == name]


def is_public_document(octets: bytes) -> bool:
    """Whether this is a key, a certificate, a JSON document or a token, as it stands or in base64."""
    decoded = b""
    text = re.sub(rb"[\t-\r ]", b"", octets).rstrip(b"=").translate(bytes.maketrans(b"+/", b"-_"))
    if re.fullmatch(rb"[A-Za-z0-9_-]+", text) and len(text) % 4 != 1:
        decoded = un_b64u(text.decode("ascii"))
    return any(_is_document(form) for form in (octets, decoded))


def _is_document(octets: bytes) -> bool:
    text = octets.strip(b"\t\n\v\f\r ").removeprefix(b"\xef\xbb\xbf").strip(b"\t\n\v\f\r ")
    if b"-----BEGIN " in text or text.startswith((b"ssh-", b"ecdsa-sha2-", b"sk-ssh-")) or _is_der(octets):
        return True
    if text.count(b".") == 2:
        text = text.split(b".")[0]
        try:
            text = read_base64url(text.decode("ascii"))
        except ValueError:
            return False
    try:
        return isinstance(read_json(text), (dict, list))
    except ValueError:
        return False


def _is_der(octets: bytes) -> bool:
    """One sequence of this length, which begins with an integer or a sequence."""
    if len(octets) < 2 or octets[0] != 0x30:
        return False
    more = octets[1] - 0x80 if octets[1] > 0x80 else 0
    length = int.from_bytes(octets[2:2 + more], "big") if more else octets[1]
    return more <= 2 and 2 + more + length == len(octets) and octets[2 + more] in (0x02, 0x30)
