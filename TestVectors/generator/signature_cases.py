"""signature.json, first part: RSASSA-PKCS1-v1_5 alone, message and signature given in hexadecimal."""

import hashlib
from itertools import count

from keyring import KEYRING, Key, key_set
from model import Group
from padding import (
    cube_root, digest_info, digest_info_variants, digest_of, forge_middle, forge_prefix, frame_variants, padded, pkcs1,
)

KEY = KEYRING["issuer-a"]
MESSAGE = b"a message for the signature vectors"


class SignatureGroup(Group):
    """A group with one key and one algorithm."""

    def __init__(self, name: str, key: Key, algorithm: str = "RS256"):
        public = key.public(alg=algorithm)
        super().__init__(f"signature: {name}", "signature", {"algorithms": [algorithm]}, key_set(public))
        self.key = key
        self.algorithm = algorithm

    def good(self, id: str, comment: str, message: bytes = MESSAGE, signature: bytes | None = None) -> None:
        signature = self.key.sign_bytes(message, self.algorithm) if signature is None else signature
        self.add(id, comment, "verified", message=message.hex(), signature=signature.hex())

    def bad(self, id: str, comment: str, signature: bytes, message: bytes = MESSAGE) -> None:
        self.add(id, comment, "refused", message=message.hex(), signature=signature.hex(), codes=["signature"])


def good_signatures() -> list[Group]:
    groups = []
    for name in ("issuer-a", "rsa-3072", "rsa-4096", "rsa-8192", "rsa-e3"):
        key = KEYRING[name]
        g = SignatureGroup(f"good, {key.n.bit_length()} bits, e = {key.e}", key)
        slug = f"rs256-{key.n.bit_length()}" + ("-e3" if key.e == 3 else "")
        g.good(f"{slug}-text", "A short message.", MESSAGE)
        g.good(f"{slug}-empty", "The empty message.", b"")
        g.bad(f"{slug}-other-message", "A good signature of another message.", key.sign_bytes(b"something else"))
        g.bad(f"{slug}-other-key", "A good signature by a key of another length or another owner.",
              KEYRING["attacker"].sign_bytes(MESSAGE))
        groups.append(g)
    g = groups[0]
    g.good("rs256-2048-all-bytes", "Every byte value.", bytes(range(256)))
    for size in (55, 56, 63, 64, 65, 4096):
        g.good(f"rs256-2048-{size}-bytes", "A length near an edge of SHA-256's blocks, or a long one.", b"m" * size)
    return groups


def with_leading_zero() -> tuple[bytes, bytes]:
    """A message whose signature, as a number, is a byte shorter than the modulus."""
    for number in count():
        message = b"leading zero %d" % number
        signature = KEY.sign_bytes(message)
        if signature[0] == 0:
            return message, signature
    raise AssertionError


def below_the_room_above_n() -> tuple[bytes, bytes]:
    """A message whose signature plus the modulus still fits the modulus' length."""
    for number in count():
        message = b"small signature %d" % number
        signature = KEY.sign_bytes(message)
        if int.from_bytes(signature, "big") + KEY.n < 1 << KEY.size * 8:
            return message, signature
    raise AssertionError


def lengths_and_numbers() -> Group:
    g = SignatureGroup("length and range", KEY)
    good = KEY.sign_bytes(MESSAGE)
    message, zero_led = with_leading_zero()
    g.good("rs256-leading-zero", "The signature begins with a zero byte, which belongs to it.", message, zero_led)
    g.bad("rs256-leading-zero-stripped", "The same without that byte: too short.", zero_led[1:], message)
    g.bad("rs256-leading-zero-added", "A zero byte before a good signature: too long.", b"\x00" + good)
    g.bad("rs256-trailing-zero-added", "A zero byte after a good signature: too long.", good + b"\x00")
    g.bad("rs256-last-byte-missing", "Too short.", good[:-1])
    g.bad("rs256-first-byte-missing", "Too short.", good[1:])
    g.bad("rs256-doubled", "A good signature twice.", good + good)
    g.bad("rs256-empty", "No signature at all.", b"")
    g.bad("rs256-one-byte", "One byte.", b"\x01")
    message, small = below_the_room_above_n()
    above = (int.from_bytes(small, "big") + KEY.n).to_bytes(KEY.size, "big")
    g.good("rs256-below-modulus", "The twin of the next one.", message, small)
    g.bad("rs256-plus-modulus", "The same number modulo n; RFC 8017 section 5.2.2 wants it below n.", above, message)
    for slug, number in {"zero": 0, "one": 1, "n-minus-one": KEY.n - 1, "n": KEY.n, "n-plus-one": KEY.n + 1}.items():
        g.bad(f"rs256-number-{slug}", "A number with a trivial power.", number.to_bytes(KEY.size, "big"))
    g.bad("rs256-all-ff", "The largest number of this length.", b"\xff" * KEY.size)
    g.bad("rs256-negated", "n minus a good signature.",
          (KEY.n - int.from_bytes(good, "big")).to_bytes(KEY.size, "big"))
    g.bad("rs256-reversed", "A good signature with its bytes in the other order.", good[::-1])
    g.bad("rs256-encoded-message", "The encoded message itself; it verifies where e is 1.", pkcs1(KEY.size, MESSAGE))
    g.bad("rs256-first-bit", "The first bit is flipped.", bytes([good[0] ^ 0x80]) + good[1:])
    g.bad("rs256-last-bit", "The last bit is flipped.", good[:-1] + bytes([good[-1] ^ 1]))
    return g


def paddings() -> list[Group]:
    g = SignatureGroup("PKCS #1 v1.5 look-alikes", KEY)
    digest = hashlib.sha256(MESSAGE).digest()
    g.good("padding-right", "The twin of the rest, made the same way.", MESSAGE,
           KEY.raw_sign(pkcs1(KEY.size, MESSAGE)))
    for slug, content, why in digest_info_variants(digest):
        g.bad(f"padding-{slug}", why, KEY.raw_sign(padded(KEY.size, content)))
    for slug, encoded, why in frame_variants(KEY.size, MESSAGE):
        g.bad(f"padding-{slug}", why, KEY.raw_sign(encoded))
    for slug, name in [("rs384", "sha384"), ("rs512", "sha512")]:
        info = digest_info(digest_of(MESSAGE, name), name)
        g.bad(f"padding-{slug}", "A right signature with another hash.", KEY.raw_sign(padded(KEY.size, info)))
    g.bad("padding-pss", "A right signature by RSASSA-PSS.", KEY.sign_bytes(MESSAGE, "PS256"))
    return [g, forgeries()]


def forgeries() -> Group:
    key = KEYRING["rsa-e3"]
    g = SignatureGroup("forgeries without the private key, e = 3", key)
    odd = next(m for m in (b"odd digest %d" % i for i in count()) if hashlib.sha256(m).digest()[-1] % 2)
    g.good("forgery-twin", "A real signature with this key.", odd)
    g.bad("forgery-cube-root-garbage-after", "A perfect cube that begins like an encoded message (CVE-2006-4339).",
          forge_prefix(key.size, odd), odd)
    g.bad("forgery-cube-root-garbage-inside", "A perfect cube with garbage in the parameters (CVE-2014-1568).",
          forge_middle(key.size, odd), odd)
    nearest = cube_root(int.from_bytes(pkcs1(key.size, odd), "big"))
    g.bad("forgery-cube-root-nearest", "The cube nearest to the right encoded message.",
          nearest.to_bytes(key.size, "big"), odd)
    return g


def longer_hashes() -> list[Group]:
    """RS384 and RS512: the same classes, since a verifier may have its own code for each."""
    groups = []
    for algorithm, hash_name in [("RS384", "sha384"), ("RS512", "sha512")]:
        slug = algorithm.lower()
        g = SignatureGroup(f"PKCS #1 v1.5 look-alikes, {algorithm}", KEY, algorithm)
        g.good(f"{slug}-padding-right", "The twin of the rest, made the same way.", MESSAGE,
               KEY.raw_sign(pkcs1(KEY.size, MESSAGE, hash_name)))
        g.good(f"{slug}-empty", "The empty message.", b"")
        g.bad(f"{slug}-other-message", "A good signature of another message.",
              KEY.sign_bytes(b"something else", algorithm))
        for variant, content, why in digest_info_variants(digest_of(MESSAGE, hash_name), hash_name):
            g.bad(f"{slug}-padding-{variant}", why, KEY.raw_sign(padded(KEY.size, content)))
        for variant, encoded, why in frame_variants(KEY.size, MESSAGE, hash_name):
            g.bad(f"{slug}-padding-{variant}", why, KEY.raw_sign(encoded))
        for other in KEY.algorithms:
            if other != algorithm:
                g.bad(f"{slug}-made-as-{other.lower()}", "The right key, and a right signature by another algorithm.",
                      KEY.sign_bytes(MESSAGE, other))
        good = KEY.sign_bytes(MESSAGE, algorithm)
        g.bad(f"{slug}-leading-zero-added", "A zero byte before a good signature: too long.", b"\x00" + good)
        g.bad(f"{slug}-last-byte-missing", "Too short.", good[:-1])
        g.bad(f"{slug}-last-bit", "The last bit is flipped.", good[:-1] + bytes([good[-1] ^ 1]))
        groups += [g, longer_forgeries(algorithm, hash_name)]
    return groups


def longer_forgeries(algorithm: str, hash_name: str) -> Group:
    key, slug = KEYRING["rsa-e3"], algorithm.lower()
    g = SignatureGroup(f"forgeries without the private key, e = 3, {algorithm}", key, algorithm)
    odd = next(m for m in (b"odd digest %d" % i for i in count()) if digest_of(m, hash_name)[-1] % 2)
    g.good(f"{slug}-forgery-twin", "A real signature with this key.", odd)
    if hash_name != "sha512":
        # SHA-512's DigestInfo is longer than what a cube root of 2048 bits can get right.
        g.bad(f"{slug}-forgery-cube-root-garbage-after",
              "A perfect cube that begins like an encoded message (CVE-2006-4339).",
              forge_prefix(key.size, odd, hash_name), odd)
        g.bad(f"{slug}-forgery-cube-root-garbage-inside",
              "A perfect cube with garbage in the parameters (CVE-2014-1568).",
              forge_middle(key.size, odd, hash_name), odd)
    nearest = cube_root(int.from_bytes(pkcs1(key.size, odd, hash_name), "big"))
    g.bad(f"{slug}-forgery-cube-root-nearest", "The cube nearest to the right encoded message.",
          nearest.to_bytes(key.size, "big"), odd)
    return g


def groups() -> list[Group]:
    return [*good_signatures(), lengths_and_numbers(), *paddings(), *longer_hashes()]
