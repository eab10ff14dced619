"""signature.json, third part: ECDSA, whose signatures are r and s side by side (RFC 7518 section 3.4), and Ed25519."""

import hashlib

from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

from curves import Ed25519
from keyring import KEYRING, Key, un_b64u
from model import Group
from signature_cases import MESSAGE, SignatureGroup


def message_with(key: Key, wanted) -> tuple[bytes, int, int]:
    """A message whose r and s have a wanted property."""
    for number in range(100_000):
        message = b"message %d" % number
        r, s = key.split(key.sign_bytes(message))
        if wanted(r, s):
            return message, r, s
    raise AssertionError


def ecdsa(name: str) -> list[Group]:
    key = KEYRING[name]
    return [ecdsa_numbers(key), ecdsa_lengths(key)]


def ecdsa_numbers(key: Key) -> Group:
    curve, slug = key.curve, key.algorithm.lower()
    n, room = curve.n, 1 << 8 * curve.coordinate_size
    r, s = key.split(key.sign_bytes(MESSAGE))
    g = SignatureGroup(f"ECDSA, {key.algorithm}, numbers", key, key.algorithm)
    g.good(f"{slug}-good", "The twin of the rest.")
    g.good(f"{slug}-empty", "The empty message.", b"")
    g.good(f"{slug}-negated-s", "n − s is as good as s: JOSE has no rule against it.", MESSAGE, key.join(r, n - s))

    def bad(id: str, why: str, r: int, s: int) -> None:
        g.bad(f"{slug}-{id}", why, key.join(r, s))

    psychic = "With both zero every message verifies where the range is not checked (CVE-2022-21449)."
    bad("r-and-s-zero", psychic, 0, 0)
    bad("r-zero", "r is zero (SEC 1 section 4.1.4: from 1 to n − 1).", 0, s)
    bad("s-zero", "s is zero.", r, 0)
    bad("r-and-s-n", "Both are n, which is zero modulo n.", n, n)
    bad("r-n", "r is n.", n, s)
    bad("s-n", "s is n.", r, n)
    bad("r-zero-s-one", "r is zero.", 0, 1)
    bad("r-one-s-zero", "s is zero.", 1, 0)
    bad("r-one-s-one", "In range, and right for no message that anyone knows.", 1, 1)
    bad("r-and-s-n-minus-one", "In range, and wrong.", n - 1, n - 1)
    bad("r-and-s-p", "Both are p.", curve.p, curve.p)
    bad("r-and-s-largest", "All bits are set.", room - 1, room - 1)
    bad("swapped", "s before r.", s, r)
    bad("negated-r", "n − r is not r.", n - r, s)
    # Only 521 bits leave room for this in whole octets; on the other curves one r in 2^32 or fewer would.
    if curve.name == "P-521":
        bad("s-plus-n", "The same s modulo n, out of range.", r, s + n)
        bad("r-plus-n", "The same r modulo n, out of range.", r + n, s)
    bad("r-flipped", "The last bit of r is flipped.", r ^ 1, s)
    bad("s-flipped", "The last bit of s is flipped.", r, s ^ 1)
    g.bad(f"{slug}-other-message", "A good signature of another message.", key.sign_bytes(b"something else"))
    g.bad(f"{slug}-other-key", "Another key on the curve signed.", KEYRING[f"{key.name}-b"].sign_bytes(MESSAGE))
    spare = 16 if curve.name == "P-521" else 8
    message, small_r, its_s = message_with(key, lambda r, s: r < room >> spare)
    g.good(f"{slug}-r-leading-zero", "r begins with zero octets, which belong to it.", message,
           key.join(small_r, its_s))
    message, its_r, small_s = message_with(key, lambda r, s: s < room >> spare)
    g.good(f"{slug}-s-leading-zero", "s begins with zero octets, which belong to it.", message,
           key.join(its_r, small_s))
    return g


def ecdsa_lengths(key: Key) -> Group:
    slug, half = key.algorithm.lower(), key.curve.coordinate_size
    good = key.sign_bytes(MESSAGE)
    r, s = key.split(good)
    g = SignatureGroup(f"ECDSA, {key.algorithm}, lengths and forms", key, key.algorithm)
    length = 2 * half
    g.good(f"{slug}-{length}-bytes", "The one right length.", MESSAGE, good)
    g.bad(f"{slug}-{length - 1}-bytes", "The last byte is missing.", good[:-1])
    g.bad(f"{slug}-{length + 1}-bytes", "A zero byte too many at the end.", good + b"\x00")
    g.bad(f"{slug}-leading-zero-added", "A zero byte too many at the start.", b"\x00" + good)
    g.bad(f"{slug}-both-padded", "A zero byte before r and before s.", b"\x00" + good[:half] + b"\x00" + good[half:])
    g.bad(f"{slug}-r-alone", "s is missing.", good[:half])
    g.bad(f"{slug}-empty-signature", "No signature at all.", b"")
    g.bad(f"{slug}-two-bytes", "r and s of one byte each.", b"\x01\x01")
    g.bad(f"{slug}-der", "The right numbers in DER, as other protocols write them.", encode_dss_signature(r, s))
    zeros = encode_dss_signature(0, 0)
    g.bad(f"{slug}-der-zeros", "Two zeros in DER.", zeros)
    g.bad(f"{slug}-der-padded", "DER, filled up to the right length.", zeros.ljust(length, b"\x00"))
    g.bad(f"{slug}-little-endian", "The right numbers with their bytes in the other order.",
          good[:half][::-1] + good[half:][::-1])
    # The first octet of a coordinate of P-521 has one bit, so that two zero octets are what is rare there.
    spare = 16 if key.curve.name == "P-521" else 8
    message, small_r, its_s = message_with(key, lambda r, s: r < 1 << 8 * half - spare)
    stripped = small_r.to_bytes(half, "big").lstrip(b"\x00") + its_s.to_bytes(half, "big")
    g.good(f"{slug}-leading-zeros-kept", "The twin of the next one.", message, key.join(small_r, its_s))
    g.bad(f"{slug}-leading-zeros-stripped", "The zero octets of r are missing.", stripped, message)
    for other in ("ec-p256", "ec-p384", "ec-p521"):
        if other != key.name:
            g.bad(f"{slug}-made-with-{other.removeprefix('ec-')}", "A good signature on another curve.",
                  KEYRING[other].sign_bytes(MESSAGE))
    widened = b"".join(number.to_bytes(half, "big") for number in narrow_numbers(key))
    g.bad(f"{slug}-widened", "The numbers of another curve's signature, put into this one's length.", widened)
    return g


def narrow_numbers(key: Key) -> tuple[int, int]:
    """r and s of a signature on another curve, small enough for this one's length."""
    other = KEYRING["ec-p384" if key.name == "ec-p521" else "ec-p256" if key.name == "ec-p384" else "ec-p384"]
    r, s = other.split(other.sign_bytes(MESSAGE))
    return r % key.curve.n, s % key.curve.n


class Edwards:
    """Ed25519 signatures made by hand with the secret scalar."""

    def __init__(self, key: Key):
        self.public = un_b64u(key.jwk["x"])
        self.secret = Ed25519.secret_scalar(un_b64u(key.jwk["d"]))

    def with_r(self, r: bytes, message: bytes, r_scalar: int = 0) -> bytes:
        """The S that goes with this R, were R the encoding of r_scalar times the base point."""
        s = (r_scalar + Ed25519.challenge(r, self.public, message) * self.secret) % Ed25519.L
        return r + s.to_bytes(32, "little")


def edwards(algorithm: str) -> Group:
    key, slug = KEYRING["ed25519"], algorithm.lower()
    g = SignatureGroup(f"Ed25519, {algorithm}", key, algorithm)
    good = key.sign_bytes(MESSAGE)
    r, s = good[:32], int.from_bytes(good[32:], "little")
    g.good(f"{slug}-good", "The twin of the rest.")
    g.good(f"{slug}-empty", "The empty message.", b"")
    g.good(f"{slug}-long", "A message of many blocks.", b"m" * 4096)
    g.bad(f"{slug}-other-message", "A good signature of another message.", key.sign_bytes(b"something else"))
    g.bad(f"{slug}-other-key", "Another key signed.", KEYRING["ed25519-b"].sign_bytes(MESSAGE))
    for name, number, why in [
        ("s-plus-l", s + Ed25519.L, "S + L: the same S modulo L, out of range (RFC 8032 section 5.1.7)."),
        ("s-plus-2l", s + 2 * Ed25519.L, "S + 2 L."),
        ("s-l", Ed25519.L, "S is L."),
        ("s-zero", 0, "S is zero."),
        ("s-largest", 2**256 - 1, "All bits of S are set."),
        ("s-top-bit", s | 1 << 255, "A bit above those that S may have."),
        ("s-negated", Ed25519.L - s, "L − S."),
        ("s-flipped", s ^ 1, "The last bit of S is flipped."),
    ]:
        g.bad(f"{slug}-{name}", why, r + number.to_bytes(32, "little"))
    g.bad(f"{slug}-r-sign", "The sign of R is flipped.", good[:31] + bytes([good[31] ^ 0x80]) + good[32:])
    g.bad(f"{slug}-r-flipped", "The first bit of R is flipped.", bytes([good[0] ^ 1]) + good[1:])
    g.bad(f"{slug}-all-zero", "Nothing but zeros.", bytes(64))
    g.bad(f"{slug}-all-ff", "Nothing but ones.", b"\xff" * 64)
    g.bad(f"{slug}-swapped", "S before R.", good[32:] + good[:32])
    g.bad(f"{slug}-63-bytes", "The last byte is missing.", good[:-1])
    g.bad(f"{slug}-65-bytes", "A byte too many at the end.", good + b"\x00")
    g.bad(f"{slug}-33-bytes", "R and little more.", good[:33])
    g.bad(f"{slug}-empty-signature", "No signature at all.", b"")
    g.bad(f"{slug}-public-key-too", "The public key as well, as some formats have it.",
          good + un_b64u(key.jwk["x"]))
    small_orders(g, slug, Edwards(key), s)
    prehashed(g, slug, key)
    return g


def small_orders(g: SignatureGroup, slug: str, edwards: Edwards, s: int) -> None:
    """R that is of small order, or written in another way than the one allowed."""
    for number, point in enumerate(Ed25519.small_order_points()):
        encoded = Ed25519.encode(point)
        g.bad(f"{slug}-r-small-order-{number}", "R is a point of small order; S is of another signature.",
              encoded + s.to_bytes(32, "little"))
    for name, encoded in [
        ("neutral-plus-p", (Ed25519.p + 1).to_bytes(32, "little")),
        ("neutral-signed", (1 | 1 << 255).to_bytes(32, "little")),
        ("neutral-plus-p-signed", (Ed25519.p + 1 | 1 << 255).to_bytes(32, "little")),
    ]:
        g.bad(f"{slug}-r-{name}", "R is the neutral point in a spelling that is not its own; S would fit it.",
              edwards.with_r(encoded, MESSAGE))


def prehashed(g: SignatureGroup, slug: str, key: Key) -> None:
    """The relatives of RFC 8032 that sign a hash or a context along with the message."""
    private = key.jose.private_key
    g.bad(f"{slug}-of-hash", "A signature of the SHA-512 of the message.",
          private.sign(hashlib.sha512(MESSAGE).digest()))
    g.bad(f"{slug}-of-prefix", "A signature of the message with the prefix of Ed25519ctx and Ed25519ph before it.",
          private.sign(b"SigEd25519 no Ed25519 collisions\x01\x00" + MESSAGE))


def groups() -> list[Group]:
    curves = [group for name in ("ec-p256", "ec-p384", "ec-p521") for group in ecdsa(name)]
    return [*curves, edwards("EdDSA"), edwards_again()]


def edwards_again() -> Group:
    """Ed25519 is EdDSA on this curve under the name of RFC 9864."""
    key = KEYRING["ed25519-b"]
    g = SignatureGroup("Ed25519, under its own name", key, "Ed25519")
    good = key.sign_bytes(MESSAGE)
    s = int.from_bytes(good[32:], "little")
    g.good("ed25519-good", "The same signature as EdDSA's.")
    g.bad("ed25519-last-byte-missing", "Too short.", good[:-1])
    g.bad("ed25519-s-plus-l", "S + L.", good[:32] + (s + Ed25519.L).to_bytes(32, "little"))
    g.bad("ed25519-other-key", "Another key signed.", KEYRING["ed25519"].sign_bytes(MESSAGE))
    g.bad("ed25519-all-zero", "Nothing but zeros.", bytes(64))
    return g
