"""Encoded messages for RSA signatures: the right one of PKCS #1 v1.5, and everything that only resembles it.

No library makes these, so they are written out byte by byte (RFC 8017 section 9.2) and put through the
bare private operation.
"""

import hashlib

OIDS = {
    "sha1": bytes.fromhex("06052b0e03021a"),
    "sha224": bytes.fromhex("0609608648016503040204"),
    "sha256": bytes.fromhex("0609608648016503040201"),
    "sha384": bytes.fromhex("0609608648016503040202"),
    "sha512": bytes.fromhex("0609608648016503040203"),
}
NULL = b"\x05\x00"


def der(tag: int, *content: bytes) -> bytes:
    body = b"".join(content)
    assert len(body) < 128, "short form only"
    return bytes([tag, len(body)]) + body


def digest_of(message: bytes, hash_name: str) -> bytes:
    return hashlib.new(hash_name, message).digest()


def digest_info(digest: bytes, hash_name: str = "sha256", parameters: bytes = NULL) -> bytes:
    return der(0x30, der(0x30, OIDS[hash_name], parameters), der(0x04, digest))


def padded(size: int, content: bytes, first: bytes = b"\x00\x01", filler: bytes = b"\xff") -> bytes:
    """00 01 FF…FF 00 followed by the content, as long as the modulus."""
    return first + filler * (size - len(first) - 1 - len(content)) + b"\x00" + content


def pkcs1(size: int, message: bytes, hash_name: str = "sha256") -> bytes:
    return padded(size, digest_info(digest_of(message, hash_name), hash_name))


def digest_info_variants(digest: bytes, hash_name: str = "sha256") -> list[tuple[str, bytes, str]]:
    """(name, bytes in place of the DigestInfo, what is wrong with them)."""
    oid = OIDS[hash_name]
    another = "sha384" if hash_name == "sha256" else "sha256"

    def info(digest: bytes = digest, **changes) -> bytes:
        return digest_info(digest, **{"hash_name": hash_name, **changes})

    algorithm = der(0x30, oid, NULL)
    octets = der(0x04, digest)
    body = algorithm + octets
    return [
        ("no-null", info(parameters=b""), "The NULL of the parameters is left out."),
        ("null-with-content", info(parameters=b"\x05\x01\x00"), "A NULL that is not empty."),
        ("null-long-length", info(parameters=b"\x05\x81\x00"), "A NULL with a long-form length."),
        ("other-parameters", info(parameters=b"\x02\x01\x00"), "An INTEGER in place of NULL."),
        ("null-twice", info(parameters=NULL + NULL), "Two parameters."),
        ("ber-length", b"\x30\x81" + bytes([len(body)]) + body, "A long-form length where the short form fits."),
        ("ber-long-length", b"\x30\x82\x00" + bytes([len(body)]) + body, "A two-byte length where one fits."),
        ("ber-inner-length", der(0x30, b"\x30\x81\x0d" + oid + NULL, octets), "The same, one level down."),
        ("ber-digest-length", der(0x30, algorithm, b"\x04\x81" + bytes([len(digest)]) + digest),
         "The same, for the digest."),
        ("ber-indefinite", b"\x30\x80" + body + b"\x00\x00", "An indefinite length."),
        ("extra-element", der(0x30, body, NULL), "Another element at the end of the sequence."),
        ("garbage-after", info() + b"\xde\xad\xbe\xef", "Bytes after the sequence."),
        ("zeros-after", info() + bytes(8), "Zeros after the sequence."),
        ("wrong-tag", der(0x31, body), "A SET in place of the SEQUENCE."),
        ("digest-tag", der(0x30, algorithm, der(0x03, digest)), "A BIT STRING in place of the OCTET STRING."),
        ("length-too-small", b"\x30" + bytes([len(body) - 1]) + body, "A length one too small."),
        ("length-too-large", b"\x30" + bytes([len(body) + 1]) + body, "A length one too large."),
        ("sha1-oid", info(hash_name="sha1"), "The name of another hash."),
        (f"{another}-oid", info(hash_name=another), "The name of another hash."),
        ("oid-last-arc", info(hash_name="sha224"), "The name of SHA-224."),
        ("digest-short", info(digest[:-1]), "A digest without its last byte."),
        ("digest-long", info(digest + b"\x00"), "A digest with a byte too many."),
        ("digest-flipped", info(digest[:-1] + bytes([digest[-1] ^ 1])), "One bit of the digest is wrong."),
        ("digest-empty", info(b""), "An empty digest."),
        ("no-digest-info", digest, "The bare digest, without its name."),
        ("octets-only", octets, "The digest in its OCTET STRING, without its name."),
        ("nothing", b"", "Padding to the end."),
    ]


def frame_variants(size: int, message: bytes, hash_name: str = "sha256") -> list[tuple[str, bytes, str]]:
    """(name, encoded message, what is wrong with it), the DigestInfo being right."""
    info = digest_info(digest_of(message, hash_name), hash_name)
    whole = padded(size, info)
    middle = size // 2 - len(info) // 2
    eight = b"\x00\x01" + b"\xff" * 8 + b"\x00" + info
    seven = b"\x00\x01" + b"\xff" * 7 + b"\x00" + info
    return [
        ("block-type-2", padded(size, info, first=b"\x00\x02"), "The block type of encryption."),
        ("block-type-2-filled", padded(size, info, first=b"\x00\x02", filler=b"\x5a"), "Padded as for encryption."),
        ("block-type-0", padded(size, info, first=b"\x00\x00"), "Block type zero."),
        ("zero-filled", padded(size, info, first=b"\x00\x00", filler=b"\x00"), "Block type zero and zeros."),
        ("first-byte-1", padded(size, info, first=b"\x01\x01"), "The first byte is not zero."),
        ("no-first-byte", padded(size - 1, info)[1:].rjust(size, b"\x00"), "Everything is one byte too far right."),
        ("filler-fe", whole[:20] + b"\xfe" + whole[21:], "One byte of the padding is not FF."),
        ("filler-zero", whole[:20] + b"\x00" + whole[21:], "A zero within the padding."),
        ("no-separator", whole.replace(b"\x00" + info, b"\xff" + info), "No zero before the DigestInfo."),
        ("two-separators", padded(size, b"\x00" + info), "Two zeros before the DigestInfo."),
        ("short-with-garbage", eight + b"\x77" * (size - len(eight)), "Short padding; garbage fills the rest."),
        ("short-with-zeros", eight + bytes(size - len(eight)), "Short padding; zeros fill the rest."),
        ("seven-bytes", seven + bytes(size - len(seven)), "Padding below the required eight bytes."),
        ("no-filler", (b"\x00\x01\x00" + info).ljust(size, b"\x00"), "No padding at all."),
        ("in-the-middle", (b"\x00\x01" + b"\xff" * (middle - 3) + b"\x00" + info).ljust(size, b"\xff"),
         "The DigestInfo stands in the middle."),
    ]


def cube_root(number: int) -> int:
    """The smallest integer whose cube is not below the number."""
    low, high = 0, 1 << (number.bit_length() // 3 + 2)
    while low < high:
        middle = (low + high) // 2
        if middle**3 < number:
            low = middle + 1
        else:
            high = middle
    return low


def forge_prefix(size: int, message: bytes, hash_name: str = "sha256") -> bytes:
    """Bleichenbacher's forgery of 2006: a cube whose front looks right and whose rest is garbage."""
    front = b"\x00\x01" + b"\xff" * 8 + b"\x00" + digest_info(digest_of(message, hash_name), hash_name)
    root = cube_root(int.from_bytes(front.ljust(size, b"\x00"), "big"))
    assert (root**3).to_bytes(size, "big").startswith(front), "the front must survive the rounding"
    return root.to_bytes(size, "big")


def forge_middle(size: int, message: bytes, hash_name: str = "sha256") -> bytes:
    """A cube whose garbage hides in an OCTET STRING where the NULL belongs; front and end look right.

    The end of a cube depends on the end of its root alone, and any odd end has a cube root modulo a
    power of two; the front depends on the front of the root.
    """
    oid = OIDS[hash_name]
    end = der(0x04, digest_of(message, hash_name))
    assert end[-1] % 2 == 1, "choose a message whose digest is odd"
    outer = size - 11 - 3
    inner = outer - 3 - len(end)
    garbage = inner - len(oid) - 3
    front = b"\x00\x01" + b"\xff" * 8 + b"\x00" + bytes([0x30, 0x81, outer, 0x30, 0x81, inner])
    front += oid + bytes([0x04, 0x81, garbage])
    bits = len(end) * 8
    target = int.from_bytes(end, "big")
    low = 1
    for bit in range(1, bits):
        if (low**3 ^ target) >> bit & 1:
            low |= 1 << bit
    # Half of a byte's weight after the front leaves room for exchanging the low bits.
    high = cube_root(int.from_bytes((front + b"\x80").ljust(size, b"\x00"), "big"))
    root = (high >> bits << bits) | low
    cube = (root**3).to_bytes(size, "big")
    assert cube.startswith(front) and cube.endswith(end), "front and end must both be right"
    return root.to_bytes(size, "big")
