"""Plain arithmetic on the curves of JOSE: for points and signatures that no library would make, and to judge them.

Slow, and nothing in here is secret.
"""

import hashlib
from dataclasses import dataclass


@dataclass(frozen=True)
class Curve:
    """A curve y² = x³ − 3x + b over the integers modulo p, with n points (SEC 2 version 2, section 2)."""

    name: str
    p: int
    b: int
    n: int
    coordinate_size: int
    hash_name: str

    def has(self, x: int, y: int) -> bool:
        return 0 <= x < self.p and 0 <= y < self.p and (y * y - (x**3 - 3 * x + self.b)) % self.p == 0

    def lift(self, x: int) -> int | None:
        """One y with this x, or None. p is 3 modulo 4 for all three curves."""
        square = (x**3 - 3 * x + self.b) % self.p
        y = pow(square, (self.p + 1) // 4, self.p)
        return y if y * y % self.p == square else None


CURVES = {curve.name: curve for curve in [
    Curve("P-256", 2**256 - 2**224 + 2**192 + 2**96 - 1,
          0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B,
          0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551, 32, "sha256"),
    Curve("P-384", 2**384 - 2**128 - 2**96 + 2**32 - 1,
          0xB3312FA7E23EE7E4988E056BE3F82D19181D9C6EFE8141120314088F5013875AC656398D8A2ED19D2A85C8EDD3EC2AEF,
          0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFC7634D81F4372DDF581A0DB248B0A77AECEC196ACCC52973,
          48, "sha384"),
    Curve("P-521", 2**521 - 1,
          int("0051953EB9618E1C9A1F929A21A0B68540EEA2DA725B99B315F3B8B489918EF109E156193951EC7E937B1652C0BD3BB1"
              "BF073573DF883D2C34F1EF451FD46B503F00", 16),
          2**521 - 2**260 + 0xA51868783BF2F966B7FCC0148F709A5D03BB5C9B8899C47AEBB6FB71E91386409, 66, "sha512"),
]}


class Ed25519:
    """−x² + y² = 1 + d x² y² over the integers modulo p (RFC 8032 section 5.1)."""

    p = 2**255 - 19
    d = -121665 * pow(121666, -1, 2**255 - 19) % (2**255 - 19)
    L = 2**252 + 27742317777372353535851937790883648493
    neutral = (0, 1)

    @classmethod
    def add(cls, one: tuple[int, int], other: tuple[int, int]) -> tuple[int, int]:
        (x1, y1), (x2, y2) = one, other
        product = cls.d * x1 * x2 * y1 * y2 % cls.p
        x = (x1 * y2 + x2 * y1) * pow(1 + product, -1, cls.p) % cls.p
        y = (y1 * y2 + x1 * x2) * pow(1 - product, -1, cls.p) % cls.p
        return x, y

    @classmethod
    def multiply(cls, factor: int, point: tuple[int, int]) -> tuple[int, int]:
        result = cls.neutral
        while factor:
            if factor & 1:
                result = cls.add(result, point)
            point = cls.add(point, point)
            factor >>= 1
        return result

    @classmethod
    def encode(cls, point: tuple[int, int]) -> bytes:
        x, y = point
        return (y | (x & 1) << 255).to_bytes(32, "little")

    @classmethod
    def decode(cls, octets: bytes) -> tuple[int, int] | None:
        """The point, or None where there is none or this is not its one spelling (RFC 8032 section 5.1.3)."""
        number = int.from_bytes(octets, "little")
        y, sign = number & (1 << 255) - 1, number >> 255
        x = cls.lift(y, sign) if y < cls.p else None
        return None if x is None else (x, y)

    @classmethod
    def lift(cls, y: int, sign: int) -> int | None:
        square = (y * y - 1) * pow(cls.d * y * y + 1, -1, cls.p) % cls.p
        x = pow(square, (cls.p + 3) // 8, cls.p)
        if x * x % cls.p != square:
            x = x * pow(2, (cls.p - 1) // 4, cls.p) % cls.p
        if x * x % cls.p != square or (x == 0 and sign):
            return None
        return x if x & 1 == sign else cls.p - x

    @classmethod
    def has_small_order(cls, point: tuple[int, int]) -> bool:
        return cls.multiply(8, point) == cls.neutral

    @classmethod
    def small_order_points(cls) -> list[tuple[int, int]]:
        """The eight points whose order divides eight: the multiples of one of order eight."""
        y = 2
        while True:
            x = cls.lift(y, 0)
            if x is not None:
                candidate = cls.multiply(cls.L, (x, y))
                if cls.multiply(4, candidate) != cls.neutral:
                    return [cls.multiply(factor, candidate) for factor in range(8)]
            y += 1

    @classmethod
    def secret_scalar(cls, seed: bytes) -> int:
        """RFC 8032 section 5.1.5."""
        number = int.from_bytes(hashlib.sha512(seed).digest()[:32], "little")
        return number & ((1 << 254) - 8) | 1 << 254

    @classmethod
    def challenge(cls, r: bytes, public: bytes, message: bytes) -> int:
        """RFC 8032 section 5.1.7, step 2."""
        return int.from_bytes(hashlib.sha512(r + public + message).digest(), "little") % cls.L
