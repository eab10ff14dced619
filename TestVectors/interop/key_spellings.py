"""Published keys in many spellings, read by us and by others: we must not read another key than they do.

usage: key_spellings.py VERIFY_TOKEN [COUNT [SEED]]

jwcrypto, joserfc and a plain reading with Python's base64 and pyca/cryptography are the judges. Where we read a key and
two of them agree on another, or where we read a clear spelling otherwise than it was meant, the run fails. A key that we
refuse is no fault unless its spelling is one that we document as clear.
"""

import base64
import datetime
import hashlib
import json
import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import Encoding
from joserfc.jwk import import_key
from jwcrypto.jwk import JWK

CURVES = {"P-256": ec.SECP256R1(), "P-384": ec.SECP384R1(), "P-521": ec.SECP521R1()}
NUMBERS = {"RSA": ["n", "e"], "EC": ["x", "y"], "OKP": ["x"]}
KEYS_IN_SET = 100
ZEROS_MAX = 8


def b64u(octets: bytes) -> str:
    return base64.urlsafe_b64encode(octets).rstrip(b"=").decode("ascii")


def plain(octets: bytes) -> str:
    return base64.b64encode(octets).decode("ascii")


def members(key) -> dict:
    """The required members of a public key, in the canonical spelling."""
    if isinstance(key, rsa.RSAPublicKey):
        numbers = key.public_numbers()
        n, e = (b64u(value.to_bytes((value.bit_length() + 7) // 8, "big")) for value in (numbers.n, numbers.e))
        return {"e": e, "kty": "RSA", "n": n}
    if isinstance(key, ed25519.Ed25519PublicKey):
        return {"crv": "Ed25519", "kty": "OKP", "x": b64u(key.public_bytes_raw())}
    numbers, size = key.public_numbers(), (key.key_size + 7) // 8
    crv = next(name for name, curve in CURVES.items() if curve.name == key.curve.name)
    return {"crv": crv, "kty": "EC", **{name: b64u(getattr(numbers, name).to_bytes(size, "big")) for name in "xy"}}


def thumbprint(key) -> str:
    """RFC 7638."""
    return b64u(hashlib.sha256(json.dumps(members(key), sort_keys=True, separators=(",", ":")).encode()).digest())


# The judges.

def by_jwcrypto(jwk: dict):
    key = JWK(**jwk)
    return key.get_op_key("verify", jwk.get("crv") if jwk["kty"] != "RSA" else None)


def by_joserfc(jwk: dict):
    return import_key(jwk).public_key


def by_cryptography(jwk: dict):
    """With Python's own base64, which passes over what is not in the alphabet."""
    octets = {}
    for name in NUMBERS[jwk["kty"]]:
        text = jwk[name].replace("-", "+").replace("_", "/").rstrip("=\r\n")
        octets[name] = base64.b64decode(text + "=" * (-sum(c.isalnum() or c in "+/" for c in text) % 4))
    values = {name: int.from_bytes(value, "big") for name, value in octets.items()}
    match jwk["kty"]:
        case "RSA":
            return rsa.RSAPublicNumbers(values["e"], values["n"]).public_key()
        case "EC":
            return ec.EllipticCurvePublicNumbers(values["x"], values["y"], CURVES[jwk["crv"]]).public_key()
        case _:
            return ed25519.Ed25519PublicKey.from_public_bytes(octets["x"])


JUDGES: dict[str, Callable] = {"jwcrypto": by_jwcrypto, "joserfc": by_joserfc, "cryptography": by_cryptography}


def judged(jwk: dict) -> dict[str, str]:
    """The key that each judge reads, where it reads one."""
    found = {}
    for name, read in JUDGES.items():
        try:
            found[name] = thumbprint(read(dict(jwk)))
        except Exception:  # They let through whatever the layers below them raise.
            continue
    return found


# The spellings.

def folded(text: str, random: random.Random) -> str:
    width, end = random.choice([1, 4, 64, 76]), random.choice(["\n", "\r\n", "\r"])
    return "".join(text[start:start + width] + end for start in range(0, len(text), width))


def clear_spelling(octets: bytes, random: random.Random) -> str:
    if random.random() < 0.4:
        return b64u(octets)
    text = random.choice([b64u, plain])(octets)
    body = text.rstrip("=")
    text = body + random.choice(["", "=" * (-len(body) % 4)])
    return folded(text, random) if random.random() < 0.3 else random.choice(["", "\n"]) + text


FAULTS: list[Callable[[str, random.Random], str]] = [
    lambda text, random: text + "=",
    lambda text, random: text[:-1],
    lambda text, random: text + random.choice("A0-+ \t\0\f\v=é"),
    lambda text, random: inserted(text, random.choice([" ", "\t", "=", "-", "+", "/", "_", "%", ".", "\u2028", "\0"]), random),
    lambda text, random: text.swapcase(),
    lambda text, random: changed(text, random),
    lambda text, random: text.replace("-", "+", 1),
    lambda text, random: text.replace("_", "/", 1),
    lambda text, random: text[::-1],
    lambda text, random: base64.urlsafe_b64decode(text + "==").hex(),
    lambda text, random: b64u(base64.urlsafe_b64decode(text + "==").hex().encode("ascii")),
    lambda text, random: b64u(text.encode("ascii")),
    lambda text, random: "0x" + base64.urlsafe_b64decode(text + "==").hex(),
    lambda text, random: "",
]


def inserted(text: str, letter: str, random: random.Random) -> str:
    place = random.randrange(len(text) + 1)
    return text[:place] + letter + text[place:]


def changed(text: str, random: random.Random) -> str:
    place = random.choice([len(text) - 1, random.randrange(len(text))])
    return text[:place] + random.choice("ABCDghijQRST0123wxyz-_") + text[place + 1:]


def spelled(key, others: list, random: random.Random) -> tuple[dict, bool]:
    """The key in some spelling, and whether this is documented as clear."""
    jwk, is_clear = dict(members(key)), True
    for name in NUMBERS[jwk["kty"]]:
        octets = base64.urlsafe_b64decode(jwk[name] + "==")
        if random.random() < 0.2:
            zeros = random.choice([1, 1, 4, ZEROS_MAX, ZEROS_MAX + 1, 64])
            octets, is_clear = bytes(zeros) + octets, is_clear and jwk["kty"] == "RSA" and zeros <= ZEROS_MAX
        if random.random() < 0.25:
            jwk[name], is_clear = random.choice(FAULTS)(b64u(octets), random), False
        else:
            jwk[name] = clear_spelling(octets, random)
    for name in ("use", "alg", "kid", "key_ops", "d", "x5t", "x5u"):
        if random.random() < 0.1:
            jwk[name] = random.choice([None, ""])
    if random.random() < 0.2:
        own = random.random() < 0.5
        jwk["x5c"] = [clear_spelling(certificate(key if own else random.choice(others)), random)]
        is_clear = is_clear and own
    return jwk, is_clear


CERTIFICATES: dict[str, bytes] = {}


def certificate(key) -> bytes:
    """A certificate of the key, in DER, signed by anybody."""
    name_of_key = thumbprint(key)
    if name_of_key not in CERTIFICATES:
        signer = ed25519.Ed25519PrivateKey.generate()
        name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "spelling")])
        now = datetime.datetime.now(datetime.timezone.utc)
        built = x509.CertificateBuilder(name, name, key, 1, now, now + datetime.timedelta(days=1))
        CERTIFICATES[name_of_key] = built.sign(signer, None).public_bytes(Encoding.DER)
    return CERTIFICATES[name_of_key]


def new_keys() -> list:
    keys = [rsa.generate_private_key(public_exponent=e, key_size=size) for e, size in ((65537, 2048), (3, 2056))]
    keys += [ec.generate_private_key(curve) for curve in CURVES.values() for _ in range(2)]
    return [key.public_key() for key in [*keys, *(ed25519.Ed25519PrivateKey.generate() for _ in range(2))]]


# The comparison.

def ours(verify_token: str, entries: list[dict], folder: Path) -> list[str | None]:
    """The thumbprint that we read from each key; None where we refuse it."""
    for number, entry in enumerate(entries):
        entry["kid"] = str(number)
    file = folder / "keys.json"
    file.write_text("\ufeff" + json.dumps({"keys": entries}), encoding="utf-8")
    ran = subprocess.run(
        [verify_token, "keys", "--keys", str(file), "--format", "json"], capture_output=True, text=True)
    found = {key["kid"]: key.get("thumbprint") for key in json.loads(ran.stdout)["keys"]}
    return [found[str(number)] for number in range(len(entries))]


def main() -> int:
    verify_token, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 3000
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(1 << 32)
    source, keys = random.Random(seed), new_keys()
    totals, faults = Counter(), []
    with tempfile.TemporaryDirectory() as name:
        for start in range(0, count, KEYS_IN_SET):
            meant = [source.choice(keys) for _ in range(min(KEYS_IN_SET, count - start))]
            spellings = [spelled(key, [other for other in keys if other != key], source) for key in meant]
            verdicts = ours(verify_token, [dict(jwk) for jwk, _ in spellings], Path(name))
            for key, (jwk, is_clear), verdict in zip(meant, spellings, verdicts):
                readings = judged({name: value for name, value in jwk.items() if value not in (None, "")})
                others = Counter(reading for reading in readings.values() if reading != verdict)
                agreeing = sum(reading == verdict for reading in readings.values())
                if verdict and (max(others.values(), default=0) >= 2 or is_clear and verdict != thumbprint(key)):
                    faults.append(f"we read another key than {readings}: {json.dumps(jwk)}")
                if is_clear and not verdict:
                    faults.append(f"we refuse a clear spelling: {json.dumps(jwk)}")
                totals[f"read by us and {agreeing} of 3" if verdict else "refused by us"] += 1
                totals["refused by us, and two others agree"] += not verdict and max(others.values(), default=0) >= 2
    for fault in faults[:10]:
        print(f"key spellings: {fault}", file=sys.stderr)
    print(f"key spellings: {count} with seed {seed}: " + "; ".join(f"{n} {what}" for what, n in sorted(totals.items())))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
