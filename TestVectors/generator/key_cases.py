"""keys.json, first part: which JWKs are fit to verify RS256."""

import base64
import hashlib
import textwrap

from keyring import KEYRING, Key, b64u, int_b64u, un_b64u
from model import Group

KEY = KEYRING["issuer-a"]
MISSING = None

# The primes of the published ROCA test (CVE-2017-15361). A vulnerable modulus is a power of 65537 modulo
# each of them, hence modulo their product.
ROCA_PRIMES = [p for p in range(3, 168) if all(p % q for q in range(2, p))]
ROCA_PRODUCT = 1
for _prime in ROCA_PRIMES:
    ROCA_PRODUCT *= _prime


def is_power(n: int, p: int) -> bool:
    return n % p in {pow(65537, i, p) for i in range(p)}


def has_roca_shape(n: int) -> bool:
    return all(is_power(n, p) for p in ROCA_PRIMES)


def with_residue(n: int, residue: int, p: int) -> int:
    """The number that is n modulo every prime of the test but p, and the residue modulo p."""
    rest = ROCA_PRODUCT // p
    return (n + rest * pow(rest, -1, p) * (residue - n)) % ROCA_PRODUCT


def odd_number(bits: int, residue: int = 1, modulus: int = 2) -> int:
    """An odd number of exactly this many bits with the given residue.

    It is no product of two primes, but a reader that looks at a number's shape cannot tell.
    """
    digits = b"".join(hashlib.sha256(b"digits %d" % index).digest() for index in range(bits // 256 + 1))
    number = int.from_bytes(digits, "big") % (1 << bits) | 1 << (bits - 1)
    number -= (number - residue) % modulus
    if number % 2 == 0:
        number -= modulus
    assert number.bit_length() == bits and number % 2 == 1 and number % modulus == residue % modulus
    return number


def rsa(**changes) -> dict:
    return {name: value for name, value in {**KEY.public(), **changes}.items() if value is not MISSING}


class KeyGroup(Group):
    def __init__(self, name: str, algorithms: tuple = ("RS256",)):
        super().__init__(f"keys: {name}", "key", {"algorithms": list(algorithms)})

    def usable(self, slug: str, comment: str, key: dict) -> None:
        self.add(f"key-{slug}", comment, "usable", key=key)

    def unusable(self, slug: str, comment: str, key: dict) -> None:
        self.add(f"key-{slug}", comment, "unusable", key=key)


class Null:
    """Stands for JSON null where None means that the member is missing."""


def nulls(jwk: dict) -> dict:
    return {name: None if value is Null else value for name, value in jwk.items()}


def moduli() -> Group:
    g = KeyGroup("modulus")
    for name in ("issuer-a", "rsa-3072", "rsa-4096", "rsa-8192"):
        key: Key = KEYRING[name]
        g.usable(f"modulus-real-{key.n.bit_length()}", "A real RSA key.", key.public())
    g.unusable("modulus-real-1024", "Far too short (RFC 7518 section 3.3).", KEYRING["rsa-1024-weak"].public())
    for bits, fit in [(512, False), (2047, False), (2048, True), (2049, True), (8191, True), (8192, True),
                      (8193, False), (10_000, False)]:
        n = odd_number(bits)
        assert not has_roca_shape(n)
        add = g.usable if fit else g.unusable
        add(f"modulus-{bits}-bits", "Moduli have 2048 to 8192 bits.", rsa(n=int_b64u(n)))
    g.unusable("modulus-even", "A product of odd primes is odd.", rsa(n=int_b64u(KEY.n - 1)))
    g.unusable("modulus-zero", "Zero.", rsa(n="AA"))
    g.unusable("modulus-one", "One.", rsa(n="AQ"))
    roca = odd_number(2048, 1, ROCA_PRODUCT)
    power = odd_number(2048, pow(65537, 123_457, ROCA_PRODUCT), ROCA_PRODUCT)
    assert has_roca_shape(roca) and has_roca_shape(power)
    g.unusable("modulus-roca-one", "One modulo every small prime: the mark of ROCA (CVE-2017-15361).",
               rsa(n=int_b64u(roca)))
    g.unusable("modulus-roca-power", "A power of 65537 modulo every small prime.", rsa(n=int_b64u(power)))
    # Modulo 11 the powers of 65537 are 1 and 10 only.
    twin = odd_number(2048, with_residue(1, 2, 11), ROCA_PRODUCT)
    assert twin % 11 == 2 and not has_roca_shape(twin)
    g.usable("modulus-roca-but-one", "As above, but for a single prime, which clears it.", rsa(n=int_b64u(twin)))
    for prime, residue, why in [
        (157, 5, "157 is the last prime that has other remainders than zero and the powers of 65537."),
        (167, 0, "The last prime of all. Every remainder but zero is a power there, and a power is never zero."),
    ]:
        n = odd_number(2048, with_residue(pow(65537, 123_457, ROCA_PRODUCT), residue, prime), ROCA_PRODUCT)
        assert [p for p in ROCA_PRIMES if not is_power(n, p)] == [prime]
        g.usable(f"modulus-roca-but-{prime}", f"Cleared by {prime} alone. {why}", rsa(n=int_b64u(n)))
    return g


def exponents() -> Group:
    g = KeyGroup("public exponent")
    for e, fit, why in [
        (0, False, "Zero."), (1, False, "Every message would be its own signature."), (2, False, "Even."),
        (3, True, "The smallest."), (4, False, "Even."), (17, True, "Small and odd."), (65536, False, "Even."),
        (65537, True, "The usual one."), (2**32 - 1, True, "The largest."), (2**32, False, "Even and too large."),
        (2**32 + 1, False, "Too large; it would only cost time."), (2**64 + 13, False, "Too large."),
    ]:
        (g.usable if fit else g.unusable)(f"exponent-{e}", why, rsa(e=int_b64u(e)))
    g.unusable("exponent-as-large-as-modulus", "Each verification would take milliseconds.", rsa(e=int_b64u(KEY.n - 2)))
    g.usable("exponent-real-3", "A real key with exponent three.", KEYRING["rsa-e3"].public())
    return g


def encodings() -> Group:
    g = KeyGroup("encoding of n and e")
    n, weak = KEY.jwk["n"], KEYRING["rsa-1024-weak"]
    assert "-" in n and "_" in n and len(n) % 4 == 2
    octets, plain = un_b64u(n), n.translate(str.maketrans("-_", "+/"))
    zeros = bytes(8)
    for slug, changes, why in [
        ("n-padded", {"n": n + "=="}, "The padding of base64."),
        ("e-padded", {"e": "Aw=="}, "The padding of base64."),
        ("n-plain", {"n": plain}, "The alphabet of plain base64."),
        ("n-plain-padded", {"n": plain + "=="}, "Plain base64 as it is mostly written."),
        ("n-newline", {"n": n + "\n"}, "A line break at the end."),
        ("n-lines", {"n": "\n".join(textwrap.wrap(plain + "==", 64))}, "Lines folded."),
        ("n-lines-of-mime", {"n": "\r\n".join(textwrap.wrap(plain + "==", 76)) + "\r\n"}, "Lines folded as in mail."),
        ("n-padding-folded", {"n": n + "=\n="}, "A line break inside the padding."),
        ("n-leading-zero", {"n": b64u(b"\x00" + octets)}, "A zero octet for the sign: the number is the same."),
        ("e-leading-zero", {"e": "AAEAAQ"}, "A zero octet for the sign: the number is the same."),
        ("n-eight-zeros", {"n": b64u(zeros + octets)}, "Eight zero octets, as many as may be."),
        ("e-eight-zeros", {"e": b64u(zeros + b"\x03")}, "Eight zero octets, as many as may be."),
        ("n-all-at-once", {"n": "\r\n" + base64.b64encode(b"\x00" + octets).decode("ascii") + "\r\n", "e": "AAEAAQ=="},
         "Every one of these at once."),
    ]:
        g.usable(slug, f"{why} What it says is clear.", rsa(**changes))
    for slug, changes, why in [
        ("n-missing", {"n": MISSING}, "n is required (RFC 7518 section 6.3.1)."),
        ("e-missing", {"e": MISSING}, "e is required; 65537 is not assumed."),
        ("n-empty", {"n": ""}, "An empty string is no number."),
        ("e-empty", {"e": ""}, "An empty string is no number."),
        ("e-number", {"e": 65537}, "It must be a string."),
        ("n-null", {"n": Null}, "It must be a string."),
        ("n-array", {"n": [n]}, "It must be a string."),
        ("n-plus", {"n": n.replace("-", "+")}, "Both alphabets in one value."),
        ("n-solidus", {"n": n.replace("_", "/")}, "Both alphabets in one value."),
        ("n-padding-short", {"n": n + "="}, "Half of the padding."),
        ("n-padding-long", {"n": n + "==="}, "More than the padding."),
        ("n-padding-inside", {"n": n[:100] + "==" + n[100:]}, "Padding before the end."),
        ("n-space", {"n": n[:100] + " " + n[100:]}, "White space that is no line break."),
        ("n-tab", {"n": n + "\t"}, "White space that is no line break."),
        ("n-line-separator", {"n": n + "\u2028"}, "A line break of Unicode, and none of base64."),
        ("n-line-break-only", {"n": "\n"}, "No number."),
        ("e-space", {"e": " AQAB"}, "White space at the start."),
        ("n-trailing-bits", {"n": n[:-1] + chr(ord(n[-1]) + 1)}, "Unused bits that are not zero."),
        ("e-trailing-bits", {"e": "Ax"}, "Unused bits that are not zero."),
        ("n-one-over", {"n": n + "AAA"}, "A length of one more than a multiple of four."),
        ("e-one-letter", {"e": "D"}, "Six bits are no byte."),
        ("e-padded-trailing-bits", {"e": "Ax=="}, "Unused bits that are not zero."),
        ("n-nine-zeros", {"n": b64u(bytes(9) + octets)}, "A zero octet more than may be."),
        ("e-nine-zeros", {"e": b64u(bytes(9) + b"\x03")}, "A zero octet more than may be."),
        ("e-zeros-only", {"e": "AAAA"}, "Zero."),
        ("n-short-behind-zeros", {"n": b64u(zeros + un_b64u(weak.jwk["n"]))}, "Zero octets make no number longer."),
        ("n-even-behind-zeros", {"n": b64u(zeros + (KEY.n - 1).to_bytes(256, "big"))}, "Even."),
        ("e-one-behind-zeros", {"e": b64u(zeros + b"\x01")}, "Every message would be its own signature."),
        ("n-hexadecimal", {"n": "0x" + octets.hex() + "!"}, "Not base64url."),
        ("e-look-alike", {"e": "\u0410QAB"}, "A Cyrillic letter."),
    ]:
        g.unusable(slug, why, nulls(rsa(**changes)))
    return g


def types() -> Group:
    g = KeyGroup("kty and alg")
    ec = KEYRING["ec-p256"].public()
    ed25519 = {"kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}
    for slug, key, why in [
        ("kty-missing", rsa(kty=MISSING), "kty is required (RFC 7517 section 4.1)."),
        ("kty-lower-case", rsa(kty="rsa"), "kty is compared with case."),
        ("kty-space", rsa(kty="RSA "), "Nothing is trimmed."),
        ("kty-number", rsa(kty=1), "It must be a string."),
        ("kty-null", rsa(kty=Null), "It must be a string."),
        ("kty-empty", rsa(kty=""), "No such type."),
        ("kty-unknown", rsa(kty="XSA"), "No such type."),
        ("kty-ec-with-rsa-members", rsa(kty="EC"), "The members of one type under the name of another."),
        ("ec", ec, "An elliptic curve key has no use for RS256."),
        ("okp", ed25519, "An Edwards curve key has no use for RS256."),
        ("oct", {"kty": "oct", "k": "c2VjcmV0"}, "A secret of two parties is never a verification key."),
        ("empty", {}, "Nothing at all."),
    ]:
        g.unusable(slug, why, nulls(key))
    g.usable("alg-rs256", "alg says what the key is for.", rsa(alg="RS256"))
    g.usable("alg-missing", "alg is optional.", rsa(alg=MISSING))
    g.usable("alg-null", "A member that is null is absent.", nulls(rsa(alg=Null)))
    g.usable("alg-empty", "A member that is an empty string is absent.", rsa(alg=""))
    for slug, value in {
        "rs384": "RS384", "rs512": "RS512", "ps256": "PS256", "es256": "ES256", "hs256": "HS256", "none": "none",
        "rsa-oaep": "RSA-OAEP", "lower-case": "rs256", "unknown": "ES521", "number": 256,
    }.items():
        g.unusable(f"alg-{slug}", "The key is for something other than RS256.", nulls(rsa(alg=value)))
    return g


def purposes() -> Group:
    g = KeyGroup("use, key_ops and private members")
    g.usable("use-missing", "use is optional.", rsa(use=MISSING))
    g.usable("use-empty", "A member that is an empty string is absent.", rsa(use=""))
    g.usable("use-null", "A member that is null is absent.", nulls(rsa(use=Null)))
    for slug, value in {"enc": "enc", "upper-case": "SIG", "space": " ", "array": ["sig"]}.items():
        g.unusable(f"use-{slug}", "use, where present, must be sig.", nulls(rsa(use=value)))
    for slug, use, operations, fit, why in [
        ("verify", MISSING, ["verify"], True, "The one operation that is needed."),
        ("verify-and-use", "sig", ["verify"], True, "use and key_ops agree."),
        ("sign-verify", MISSING, ["sign", "verify"], True, "Another operation does no harm."),
        ("sign-verify-and-use", "sig", ["sign", "verify"], True, "Both belong to signatures."),
        ("verify-encrypt", MISSING, ["verify", "encrypt"], True, "Odd, and nothing contradicts it."),
        ("verify-encrypt-and-use", "sig", ["verify", "encrypt"], False, "use says signatures only."),
        ("sign", MISSING, ["sign"], False, "verify is missing."),
        ("empty", MISSING, [], False, "verify is missing."),
        ("twice", MISSING, ["verify", "verify"], False, "Operations must not repeat (RFC 7517 section 4.3)."),
        ("string", MISSING, "verify", False, "It must be an array."),
        ("null", MISSING, Null, True, "A member that is null is absent."),
        ("number-inside", MISSING, ["verify", 1], False, "It must hold strings."),
        ("upper-case", MISSING, ["VERIFY"], False, "Operations are compared with case."),
        ("verify-but-use-enc", "enc", ["verify"], False, "use has its say as well."),
    ]:
        (g.usable if fit else g.unusable)(f"key-ops-{slug}", why, nulls(rsa(use=use, key_ops=operations)))
    for member in ("d", "p", "q", "dp", "dq", "qi"):
        g.unusable(f"private-{member}", "A private half in public: this key can no longer be trusted.",
                   rsa(**{member: KEY.jwk[member]}))
    g.unusable("private-oth", "A private half in public.", rsa(oth=[]))
    g.unusable("private-k", "A secret has no place in a public key.", rsa(k="c2VjcmV0"))
    g.usable("private-null", "A member that is null is absent: no private half is here.", nulls(rsa(d=Null, p=Null)))
    g.usable("private-empty", "An empty string is absent: no private half is here.", rsa(d=""))
    return g


def identifiers() -> Group:
    g = KeyGroup("kid and other members")
    g.usable("kid-missing", "kid is optional.", rsa(kid=MISSING))
    g.usable("kid-256-bytes", "The longest.", rsa(kid="k" * 256))
    g.unusable("kid-257-bytes", "One byte more.", rsa(kid="k" * 257))
    g.usable("kid-256-bytes-of-utf-8", "Bytes are counted: 64 characters of four each.", rsa(kid="\U0001f989" * 64))
    g.unusable("kid-260-bytes-of-utf-8", "65 characters of four bytes each.", rsa(kid="\U0001f989" * 65))
    g.usable("kid-empty", "An empty name is none: a key without kid.", rsa(kid=""))
    g.unusable("kid-number", "It must be a string.", rsa(kid=1))
    g.usable("kid-null", "A member that is null is absent.", nulls(rsa(kid=Null)))
    g.usable("kid-path", "A kid is opaque: this is a name and no path.", rsa(kid="../../../dev/null"))
    g.usable("unknown-members", "Unknown members are passed over (RFC 7517 section 4).",
             rsa(comment="made up", x={"y": [1, None]}, issued=1))
    return g


def groups() -> list[Group]:
    return [moduli(), exponents(), encodings(), types(), purposes(), identifiers()]
