"""signature.json, second part: RSASSA-PSS, where the salt is as long as the hash (RFC 7518 section 3.5)."""

import hashlib

import pss
from keyring import KEYRING
from model import Group
from signature_cases import MESSAGE, SignatureGroup

KEY = KEYRING["rsa-pss"]
ODD_SIZE = KEYRING["rsa-2049"]


def faults(algorithm: str) -> Group:
    hash_name, slug = f"sha{algorithm[2:]}", algorithm.lower()
    size = hashlib.new(hash_name).digest_size
    bits = KEY.n.bit_length()
    another = "sha384" if hash_name == "sha256" else "sha256"
    g = SignatureGroup(f"RSASSA-PSS, {algorithm}", KEY, algorithm)

    def fault(name: str, why: str, **changes) -> None:
        g.bad(f"{slug}-{name}", why, KEY.raw_sign(pss.encode(MESSAGE, bits, hash_name, **changes)))

    g.good(f"{slug}-good", "The twin of the rest.")
    g.good(f"{slug}-empty", "The empty message.", b"")
    g.good(f"{slug}-zero-salt", "Any salt of the right length will do, zeros too.", MESSAGE,
           KEY.raw_sign(pss.encode(MESSAGE, bits, hash_name, salt=bytes(size))))
    largest = pss.largest_salt(bits, hash_name)
    for name, length in [("none", 0), ("one-byte", 1), ("20-bytes", 20), ("one-short", size - 1),
                         ("one-long", size + 1), ("largest", largest)]:
        fault(f"salt-{name}", f"A salt of {length} bytes; {size} are required.", salt=pss.salt_of(length))
    fault("mask-hash", "Another hash makes the mask (RFC 7518 section 3.5: the same one).", mask_hash=another)
    fault("mask-sha1", "SHA-1 makes the mask, which is the default of many libraries.", mask_hash="sha1")
    fault("trailer-cc", "The trailer of an encoding that was never used.", trailer=b"\xcc")
    fault("trailer-zero", "The trailer field is not BC.", trailer=b"\x00")
    # Some salts give an encoded message that is above the modulus once the bit is set.
    salts = (hashlib.new(hash_name, b"salt %d" % number).digest() for number in range(1000))
    fits = next(salt for salt in salts if int.from_bytes(
        pss.encode(MESSAGE, bits, hash_name, salt=salt, first_bits=0x80), "big") < KEY.n)
    fault("first-bit", "The bit above those of the modulus is set.", salt=fits, first_bits=0x80)
    fault("separator-zero", "No 01 before the salt.", separator=b"\x00")
    fault("separator-two", "02 before the salt.", separator=b"\x02")
    fault("filler", "The bytes before the 01 are not zero.", filler=b"\xff")
    fault("prefix", "The eight bytes before the hash are not zero.", prefix=b"\x00" * 7 + b"\x01")
    fault("digest-flipped", "One bit of the message's hash is wrong.",
          digest=flip_last(hashlib.new(hash_name, MESSAGE).digest()))
    fault("no-hash", "The message itself in place of its hash.", digest=MESSAGE)
    foreign = pss.encode(MESSAGE, bits, another)
    g.bad(f"{slug}-other-hash", "Another hash throughout.", KEY.raw_sign(foreign))
    g.bad(f"{slug}-pkcs1", "A right signature by the other padding.",
          KEY.sign_bytes(MESSAGE, algorithm.replace("PS", "RS")))
    good = KEY.sign_bytes(MESSAGE, algorithm)
    g.bad(f"{slug}-other-message", "A good signature of another message.", KEY.sign_bytes(b"something else", algorithm))
    g.bad(f"{slug}-other-key", "Another key signed.", KEYRING["attacker"].sign_bytes(MESSAGE, algorithm))
    g.bad(f"{slug}-leading-zero-added", "A zero byte before a good signature: too long.", b"\x00" + good)
    g.bad(f"{slug}-last-byte-missing", "Too short.", good[:-1])
    g.bad(f"{slug}-empty-signature", "No signature at all.", b"")
    g.bad(f"{slug}-last-bit-flipped", "The last bit is flipped.", flip_last(good))
    g.bad(f"{slug}-zero", "The number zero.", bytes(KEY.size))
    g.bad(f"{slug}-one", "The number one.", (1).to_bytes(KEY.size, "big"))
    return g


def flip_last(octets: bytes) -> bytes:
    return octets[:-1] + bytes([octets[-1] ^ 1])


def above_the_modulus() -> Group:
    """A signature that is too large by exactly the modulus."""
    g = SignatureGroup("RSASSA-PSS, range", KEY, "PS256")
    bits = KEY.n.bit_length()
    for number in range(1000):
        salt = hashlib.sha256(b"salt %d" % number).digest()
        small = KEY.raw_sign(pss.encode(MESSAGE, bits, "sha256", salt=salt))
        above = int.from_bytes(small, "big") + KEY.n
        if above < 1 << KEY.size * 8:
            break
    g.good("ps256-below-modulus", "The twin of the next one.", MESSAGE, small)
    g.bad("ps256-plus-modulus", "The same number modulo n; RFC 8017 section 5.2.2 wants it below n.",
          above.to_bytes(KEY.size, "big"))
    return g


def odd_size() -> list[Group]:
    """2049 bits: modulus − 1 has 2048, so the encoded message is a byte shorter than the signature."""
    groups = []
    for algorithm in ("PS256", "PS512"):
        slug = f"{algorithm.lower()}-2049"
        g = SignatureGroup(f"RSASSA-PSS, {algorithm}, 2049 bits", ODD_SIZE, algorithm)
        good = ODD_SIZE.sign_bytes(MESSAGE, algorithm)
        assert good[0] in (0, 1) and len(good) == 257
        g.good(f"{slug}-good", "257 bytes, though the encoded message has only 256.")
        g.bad(f"{slug}-short", "The first byte is missing.", good[1:])
        g.bad(f"{slug}-salt-none", "No salt.",
              ODD_SIZE.raw_sign(pss.encode(MESSAGE, 2049, f"sha{algorithm[2:]}", salt=b"")))
        g.bad(f"{slug}-byte-too-far", "The encoded message is taken for one of 257 bytes.",
              ODD_SIZE.raw_sign(pss.encode(MESSAGE, 2049, f"sha{algorithm[2:]}", length=257)))
        groups.append(g)
    return groups


def sizes() -> list[Group]:
    groups = []
    for name, algorithm in [("rsa-3072", "PS384"), ("rsa-4096", "PS512"), ("rsa-8192", "PS256"), ("rsa-e3", "PS256")]:
        key = KEYRING[name]
        slug = f"{algorithm.lower()}-{name.removeprefix('rsa-')}"
        g = SignatureGroup(f"RSASSA-PSS, {algorithm}, {key.n.bit_length()} bits, e = {key.e}", key, algorithm)
        g.good(f"{slug}-text", "A short message.")
        g.bad(f"{slug}-other-text", "A good signature of another message.", key.sign_bytes(b"other", algorithm))
        groups.append(g)
    return groups


def groups() -> list[Group]:
    return [*(faults(name) for name in ("PS256", "PS384", "PS512")), above_the_modulus(), *odd_size(), *sizes()]
