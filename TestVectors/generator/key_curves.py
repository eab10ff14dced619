"""keys.json, second part: EC and OKP keys, every alg, and certificates in x5c."""

import base64
import datetime
import textwrap

from certificates import certificate, chain
from curves import CURVES, Ed25519
from keyring import ALL_ALGORITHMS, KEYRING, Key, b64u, un_b64u
from key_cases import MISSING, KeyGroup, Null, nulls
from model import Group

CURVE_KEYS = ("ec-p256", "ec-p384", "ec-p521")
ED25519 = KEYRING["ed25519"]
LIBRARY_NAMES = {"P-256": "prime256v1", "P-384": "secp384r1", "P-521": "secp521r1"}


def changed(key: Key, **changes) -> dict:
    return nulls({name: value for name, value in {**key.public(), **changes}.items() if value is not MISSING})


def number(key: Key, name: str) -> int:
    return int.from_bytes(un_b64u(key.jwk[name]), "big")


def points(name: str) -> Group:
    key = KEYRING[name]
    curve, slug = key.curve, name
    size, x, y = curve.coordinate_size, number(key, "x"), number(key, "y")
    g = KeyGroup(f"EC, {curve.name}", (key.algorithm,))

    def point(x: int, y: int) -> dict:
        return changed(key, **{name: b64u(value.to_bytes(size, "big")) for name, value in (("x", x), ("y", y))})

    g.usable(f"{slug}-real", "A real key.", key.public())
    g.usable(f"{slug}-other-real", "Another one.", KEYRING[f"{name}-b"].public())
    g.usable(f"{slug}-negated", "The point with −y is on the curve as well.", point(x, curve.p - y))
    small = next(x for x in range(1, 100) if curve.lift(x))
    small_y = curve.lift(small)
    g.usable(f"{slug}-small-x", "x is a small number, written in full.", point(small, small_y))
    for id, bad_x, bad_y, why in [
        ("x-plus-p", small + curve.p, small_y, "The same x modulo p, out of range (SEC 1 section 3.2.2.1)."),
        ("x-p", curve.p, y, "x is p."),
        ("y-p", x, curve.p, "y is p."),
        ("largest", (1 << 8 * size) - 1, (1 << 8 * size) - 1, "Both have all bits set."),
        ("y-off-by-one", x, y ^ 1, "Next to the curve."),
        ("x-off-by-one", x ^ 1, y, "Next to the curve."),
        ("swapped", y, x, "y before x."),
        ("zeros", 0, 0, "The origin, which some use for the point at infinity; it is on none of the curves."),
        ("x-zero", 0, y, "x is zero."),
        ("ones", 1, 1, "Not on the curve."),
    ]:
        g.unusable(f"{slug}-{id}", why, point(bad_x, bad_y))
    if curve.name == "P-521":
        g.unusable(f"{slug}-y-plus-p", "The same y modulo p, out of range.", point(x, y + curve.p))
        g.unusable(f"{slug}-both-plus-p", "Both out of range.", point(x + curve.p, y + curve.p))
    return g


def coordinates(name: str) -> Group:
    key = KEYRING[name]
    slug, x, y = name, un_b64u(key.jwk["x"]), un_b64u(key.jwk["y"])
    g = KeyGroup(f"EC, {key.curve.name}, coordinates", (key.algorithm,))
    g.usable(f"{slug}-coordinates-full", "The twin of the rest.", key.public())
    for id, changes, why in [
        ("x-short", {"x": b64u(x[1:])}, "An octet too few (RFC 7518 section 6.2.1.2)."),
        ("x-long", {"x": b64u(b"\x00" + x)}, "An octet too many, though it is zero."),
        ("y-short", {"y": b64u(y[:-1])}, "An octet too few."),
        ("y-long", {"y": b64u(y + b"\x00")}, "An octet too many."),
        ("y-missing", {"y": MISSING}, "y is required: points are not compressed in JWKs."),
        ("private-d", {"d": key.jwk["d"]}, "A private half in public."),
        ("crv-lower-case", {"crv": key.curve.name.lower()}, "crv is compared with case."),
        ("crv-of-libraries", {"crv": LIBRARY_NAMES[key.curve.name]}, "Another name for the curve, not that of JOSE."),
    ]:
        g.unusable(f"{slug}-{id}", why, changed(key, **changes))
    for id, changes, why in form_faults(key, x, y) if name == "ec-p256" else []:
        g.unusable(f"{slug}-{id}", why, changed(key, **changes))
    plain = {member: base64.b64encode(value).decode("ascii") for member, value in (("x", x), ("y", y))}
    for id, changes, why in [
        ("x-padded", {"x": key.jwk["x"] + "=" * (-len(key.jwk["x"]) % 4)}, "The padding of base64."),
        ("x-newline", {"x": key.jwk["x"] + "\n"}, "A line break."),
        ("plain-base64", plain, "Plain base64 with its padding."),
    ]:
        g.usable(f"{slug}-{id}", f"{why} What it says is clear.", changed(key, **changes))
    if key.name != "ec-p256":
        narrow = [un_b64u(KEYRING["ec-p256"].jwk[name]).rjust(key.curve.coordinate_size, b"\x00") for name in "xy"]
        g.unusable(f"{slug}-point-of-p-256", "A point of another curve, filled up to this one's length.",
                   changed(key, x=b64u(narrow[0]), y=b64u(narrow[1])))
    for other in CURVES:
        if other != key.curve.name:
            g.unusable(f"{slug}-as-{other.lower()}", "The right point under the name of another curve.",
                       changed(key, crv=other, alg=MISSING))
    for other, why in [("secp256k1", "A curve that is not used here, and easily taken for P-256."),
                       ("P-224", "No curve of JOSE."), ("Ed25519", "A curve of another key type."), ("", "No curve.")]:
        g.unusable(f"{slug}-crv-{other.lower() or 'empty'}", why, changed(key, crv=other, alg=MISSING))
    return g


def form_faults(key: Key, x: bytes, y: bytes) -> list[tuple]:
    """What has nothing to do with the curve, and is shown on one."""
    return [
        ("x-missing", {"x": MISSING}, "x is required (RFC 7518 section 6.2.1)."),
        ("x-empty", {"x": ""}, "No octets."),
        ("x-null", {"x": Null}, "It must be a string."),
        ("y-number", {"y": number(key, "y") % 2**31}, "It must be a string."),
        ("x-whole-point", {"x": b64u(b"\x04" + x + y)}, "The whole point in x."),
        ("y-sign-only", {"y": b64u(bytes([y[-1] & 1]))}, "The sign of y in place of y."),
        ("x-space", {"x": key.jwk["x"] + " "}, "A certificate of this key after a space."),
        ("crv-missing", {"crv": MISSING}, "crv is required; the length does not tell."),
        ("crv-null", {"crv": Null}, "It must be a string."),
    ]


def edwards_points() -> Group:
    g = KeyGroup("OKP, Ed25519, points", ("EdDSA",))
    g.usable("ed25519-real", "A real key.", ED25519.public())
    g.usable("ed25519-other-real", "Another one.", KEYRING["ed25519-b"].public())

    def octets(value: bytes) -> dict:
        return changed(ED25519, x=b64u(value))

    for index, point in enumerate(Ed25519.small_order_points()):
        order = next(order for order in (1, 2, 4, 8) if Ed25519.multiply(order, point) == Ed25519.neutral)
        g.unusable(f"ed25519-order-{order}-multiple-{index}", f"Of order {order}: forgeries need no private key.",
                   octets(Ed25519.encode(point)))
    for id, value, why in [
        ("zero-plus-p", Ed25519.p, "y is p, that is zero: a point of order 4 in a spelling that is not its own."),
        ("zero-plus-p-signed", Ed25519.p | 1 << 255, "The same with the sign."),
        ("one-plus-p", Ed25519.p + 1, "y is p + 1, that is one: the neutral point in another spelling."),
        ("one-plus-p-signed", Ed25519.p + 1 | 1 << 255, "The same with the sign."),
        ("one-signed", 1 | 1 << 255, "The neutral point with the sign of an x that is zero (RFC 8032 section 5.1.3)."),
        ("minus-one-signed", Ed25519.p - 1 | 1 << 255, "The point of order 2 with the sign of an x that is zero."),
        ("largest", 2**256 - 1, "All bits are set."),
    ]:
        g.unusable(f"ed25519-{id}", why, octets(value.to_bytes(32, "little")))
    # The nineteen numbers from p to 2^255 − 1 can each be written in place of a small one.
    small = next(y for y in range(2, 19) if Ed25519.lift(y, 0) is not None
                 and not Ed25519.has_small_order((Ed25519.lift(y, 0), y)))
    g.usable("ed25519-small-y", f"y is {small}, a point like any other.", octets(small.to_bytes(32, "little")))
    g.unusable("ed25519-small-y-plus-p", "The same y modulo p, out of range.",
               octets((small + Ed25519.p).to_bytes(32, "little")))
    off = next(y for y in range(2, 100) if Ed25519.lift(y, 0) is None)
    g.unusable("ed25519-off-the-curve", f"No point has a y of {off}.", octets(off.to_bytes(32, "little")))
    real = un_b64u(ED25519.jwk["x"])
    g.usable("ed25519-negated", "The point with −x.", octets(real[:31] + bytes([real[31] ^ 0x80])))
    mixed = Ed25519.add(Ed25519.decode(real), Ed25519.small_order_points()[1])
    g.usable("ed25519-mixed-order", "A real key plus a point of small order is not itself of small order.",
             octets(Ed25519.encode(mixed)))
    return g


def edwards_form() -> Group:
    g = KeyGroup("OKP, form", ("EdDSA", "Ed25519"))
    real = un_b64u(ED25519.jwk["x"])
    g.usable("okp-real", "The twin of the rest.", ED25519.public())
    for id, changes, why in [
        ("x-missing", {"x": MISSING}, "x is required (RFC 8037 section 2)."),
        ("x-empty", {"x": ""}, "No octets."),
        ("x-null", {"x": Null}, "It must be a string."),
        ("x-31-octets", {"x": b64u(real[:31])}, "An octet too few."),
        ("x-33-octets", {"x": b64u(real + b"\x00")}, "An octet too many."),
        ("x-prefixed", {"x": b64u(b"\x40" + real)}, "The prefix that other formats have."),
        ("x-57-octets", {"x": b64u(real + bytes(25))}, "The length of Ed448."),
        ("x-space", {"x": ED25519.jwk["x"] + " "}, "White space that is no line break."),
        ("x-padded-twice", {"x": ED25519.jwk["x"] + "=="}, "More than the padding."),
        ("x-trailing-bits", {"x": ED25519.jwk["x"][:-1] + next_letter(ED25519.jwk["x"][-1])},
         "Another spelling of the same octets."),
        ("x-hexadecimal", {"x": real.hex()}, "64 digits, which are 48 octets of base64url."),
        ("crv-missing", {"crv": MISSING}, "crv is required."),
        ("crv-lower-case", {"crv": "ed25519"}, "crv is compared with case."),
        ("crv-x25519", {"crv": "X25519", "alg": MISSING}, "A curve for key agreement, never for signatures."),
        ("crv-ed448", {"crv": "Ed448", "alg": MISSING}, "Not used here."),
        ("crv-p-256", {"crv": "P-256", "alg": MISSING}, "A curve of another key type."),
        ("kty-ec", {"kty": "EC"}, "Another key type."),
        ("kty-lower-case", {"kty": "okp"}, "kty is compared with case."),
        ("private-d", {"d": ED25519.jwk["d"]}, "A private half in public."),
        ("use-enc", {"use": "enc"}, "For encryption."),
        ("key-ops-sign", {"use": MISSING, "key_ops": ["sign"]}, "verify is missing."),
    ]:
        g.unusable(f"okp-{id}", why, changed(ED25519, **changes))
    g.usable("okp-x-padded", "The padding of base64.", changed(ED25519, x=ED25519.jwk["x"] + "="))
    g.usable("okp-alg-missing", "alg is optional.", changed(ED25519, alg=MISSING))
    g.usable("okp-y-unknown", "y is a member of other key types, and unknown here.", changed(ED25519, y="AAAA"))
    return g


def next_letter(letter: str) -> str:
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    return alphabet[alphabet.index(letter) + 1]


def every_algorithm() -> list[Group]:
    """Which keys verify which algorithm, without alg and with each."""
    groups = []
    keys = [KEYRING[name] for name in ("issuer-a", *CURVE_KEYS, "ed25519")]
    for algorithm in ALL_ALGORITHMS:
        g = KeyGroup(f"alg {algorithm}", (algorithm,))
        slug = "alg-ed25519-exactly" if algorithm == "Ed25519" else f"alg-{algorithm.lower()}"
        for key in keys:
            kind = key.jwk.get("crv", "RSA").lower()
            fits = algorithm in key.algorithms
            add = g.usable if fits else g.unusable
            why = "fits" if fits else "does not fit"
            # Of RSA's algorithms one is enough to show which types have no use for them.
            if fits or algorithm not in KEYRING["issuer-a"].algorithms[1:]:
                add(f"{slug}-any-{kind}", f"A key that names no algorithm: its type {why}.", key.public(alg=None))
            if fits:
                # The first part has these for RS256.
                for named in (algorithm, *neighbours(algorithm)) if algorithm != "RS256" else ():
                    add = g.usable if named == algorithm else g.unusable
                    add(f"{slug}-named-{named_slug(named)}", "alg is compared exactly; it narrows to one algorithm.",
                        key.public(alg=named))
            elif algorithm not in KEYRING["issuer-a"].algorithms[1:]:
                g.unusable(f"{slug}-claimed-by-{kind}", "alg is not one of this key's type and curve.",
                           key.public(alg=algorithm))
        groups.append(g)
    several = KeyGroup("several algorithms", tuple(ALL_ALGORITHMS))
    for key in keys:
        kind = key.jwk.get("crv", "RSA").lower()
        several.usable(f"any-alg-{kind}", "It verifies at least one of them.", key.public(alg=None))
        several.unusable(f"any-alg-{kind}-unknown", "Nobody knows what the key is for.", key.public(alg="XS256"))
    return [*groups, several]


def neighbours(algorithm: str) -> list[str]:
    """The other algorithms of the same keys that are most easily taken for this one."""
    if algorithm in ("EdDSA", "Ed25519"):
        return ["EdDSA" if algorithm == "Ed25519" else "Ed25519"]
    if algorithm.startswith("ES"):
        return []
    sizes = {"256": "384", "384": "512", "512": "256"}
    return [("PS" if algorithm.startswith("RS") else "RS") + algorithm[2:], algorithm[:2] + sizes[algorithm[2:]]]


def named_slug(algorithm: str) -> str:
    return "ed25519-exactly" if algorithm == "Ed25519" else algorithm.lower()


def certificates() -> Group:
    g = KeyGroup("x5c", tuple(ALL_ALGORITHMS))
    for name in ("issuer-a", *CURVE_KEYS, "ed25519"):
        key = KEYRING[name]
        kind = key.jwk.get("crv", "RSA").lower()
        other = KEYRING["issuer-b" if name == "issuer-a" else f"{name}-b"]
        g.usable(f"x5c-{kind}", "A certificate of this key.", changed(key, x5c=chain(certificate(key))))
        g.unusable(f"x5c-{kind}-other-key", "A certificate of another key of the same type.",
                   changed(key, x5c=chain(certificate(other))))
    key, elsewhere = KEYRING["issuer-a"], KEYRING["ec-p256"]
    own = certificate(key)
    [text] = chain(own)
    assert text.endswith("="), "the certificate must need padding"
    past = datetime.datetime(2001, 1, 1, tzinfo=datetime.timezone.utc)
    g.usable("x5c-chain", "The first certificate counts.", changed(key, x5c=chain(own, certificate(elsewhere))))
    g.unusable("x5c-chain-reversed", "The first certificate is another key's.",
               changed(key, x5c=chain(certificate(elsewhere), own)))
    g.usable("x5c-expired", "What a certificate vouches for is not looked at: the set came from the issuer.",
             changed(key, x5c=chain(certificate(key, past, past + datetime.timedelta(days=30)))))
    foreign = certificate(KEYRING["issuer-b"])
    [other] = chain(foreign)
    for id, value in [("base64url", b64u(foreign)), ("newline", "\n".join(textwrap.wrap(other, 64))), ("space", f" {other}\t"),
                      ("pem", f"-----BEGIN CERTIFICATE-----\n{other}\n-----END CERTIFICATE-----\n"),
                      ("trailing-byte", *chain(foreign + b"\0"))]:
        g.unusable(f"x5c-other-key-{id}", "A certificate of another key, in a spelling that can be read.",
                   changed(key, x5c=[value]))
    for id, value, why in [
        ("empty", [], "No certificate."),
        ("null", Null, "A member that is null is absent."),
        ("string", text, "No array."),
        ("number-inside", [1], "No string inside."),
        ("empty-string", [""], "No certificate."),
        ("garbage", chain(b"no certificate"), "No certificate."),
        ("public-key", chain(key.spki), "A public key, not a certificate."),
        ("pem", ["-----BEGIN CERTIFICATE-----\n" + text + "\n-----END CERTIFICATE-----\n"],
         "A certificate of this key as PEM."),
        ("base64url", [b64u(own)], "A certificate of this key in base64url."),
        ("newline", ["\n".join(textwrap.wrap(text, 64))], "A certificate of this key, its lines folded."),
        ("space", [" " + text], "White space that is no line break."),
        ("no-padding", [text.rstrip("=")], "A certificate of this key without padding."),
        ("truncated", chain(own[:-10]), "The certificate does not end."),
        ("trailing-garbage", chain(own + b"\x00"), "A certificate of this key, and a byte after it."),
    ]:
        g.usable(f"x5c-{id}", f"{why} A certificate never supplies the key, so one that cannot be read is no reason "
                 "against it.", changed(key, x5c=value))
    g.usable("x5c-x5t-unreadable", "So are a thumbprint and an address that are none.",
             changed(key, **{"x5t": "!", "x5t#S256": 1, "x5u": ["nowhere"]}))
    g.usable("x5c-x5t-ignored", "Thumbprints and addresses of certificates are passed over.",
             changed(key, x5t=b64u(bytes(20)), x5u="https://attacker.invalid/certificate.pem"))
    return g


def groups() -> list[Group]:
    return [
        *(points(name) for name in CURVE_KEYS), *(coordinates(name) for name in CURVE_KEYS),
        edwards_points(), edwards_form(), *every_algorithm(), certificates(),
    ]
