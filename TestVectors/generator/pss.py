"""RSASSA-PSS encoded messages (RFC 8017 section 9.1.1), byte by byte: the right one, and ones with a single fault.

The salt is fixed, so that a signature comes out the same every time.
"""

import hashlib

SALT_SEED = b"a fixed salt for the test vectors"


def mgf1(seed: bytes, length: int, hash_name: str) -> bytes:
    size = hashlib.new(hash_name).digest_size
    counters = (counter.to_bytes(4, "big") for counter in range(length // size + 1))
    return b"".join(hashlib.new(hash_name, seed + counter).digest() for counter in counters)[:length]


def salt_of(length: int) -> bytes:
    """A fixed salt of this length; the lengths of the hashes give those hashes."""
    for name in ("sha256", "sha384", "sha512"):
        if hashlib.new(name).digest_size == length:
            return hashlib.new(name, SALT_SEED).digest()
    return mgf1(SALT_SEED, length, "sha256")


def largest_salt(bits: int, hash_name: str) -> int:
    """The longest salt that a modulus of so many bits leaves room for."""
    return (bits + 6) // 8 - hashlib.new(hash_name).digest_size - 2


def encode(
    message: bytes, bits: int, hash_name: str, *, salt: bytes | None = None, mask_hash: str | None = None,
    trailer: bytes = b"\xbc", separator: bytes = b"\x01", filler: bytes = b"\x00", first_bits: int = 0,
    prefix: bytes = bytes(8), digest: bytes | None = None, length: int | None = None,
) -> bytes:
    """The encoded message for a modulus of so many bits."""
    size = hashlib.new(hash_name).digest_size
    length = length or (bits + 6) // 8
    salt = salt_of(size) if salt is None else salt
    digest = hashlib.new(hash_name, message).digest() if digest is None else digest
    hashed = hashlib.new(hash_name, prefix + digest + salt).digest()
    data = filler * (length - size - len(salt) - 2) + separator + salt
    masked = bytearray(a ^ b for a, b in zip(data, mgf1(hashed, len(data), mask_hash or hash_name), strict=True))
    # The bits above those of modulus − 1 are cleared; first_bits puts something there.
    spare = 8 * length - (bits - 1)
    masked[0] = masked[0] & 0xFF >> spare | first_bits
    return bytes(masked) + hashed + trailer
