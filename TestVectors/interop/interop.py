"""Tokens of other implementations go through our verifier, and ours through theirs.

usage: interop.py VERIFY_TOKEN

Keys and tokens are new at each run. Prints a table of implementations and algorithms.
"""

import base64
import json
import re
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

from implementations import CURVES, IMPLEMENTATIONS, Implementation

ALGORITHMS = """
    RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519
""".split()
# What an implementation makes otherwise than the standard says, so that we must refuse it; it still verifies ours.
DEPARTURES = {
    ("josepy", algorithm): "josepy salts RSASSA-PSS as long as it can; RFC 7518 section 3.5 wants the hash's length"
    for algorithm in ("PS256", "PS384", "PS512")
}
COORDINATE_BYTES = {"ES256": 32, "ES384": 48, "ES512": 66}
ISSUER, AUDIENCE, NONCE = "https://interop.invalid", "interop-app", "n-0S6_WzA2Mj"
SUBJECT = "248289761001"
OUR_ISSUER, OUR_AUDIENCE = "https://sample.invalid", "sample-app"


def un_b64u(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def b64u(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii")


def demand(condition: bool, words: str) -> None:
    if not condition:
        sys.exit(f"interop: {words}")


def signature_changed(token: str) -> str:
    """The token with one bit of its signature changed."""
    head, _, tail = token.rpartition(".")
    signature = bytearray(un_b64u(tail))
    signature[len(signature) // 2] ^= 1
    return f"{head}.{b64u(signature)}"


def payload_changed(token: str) -> str:
    """The token with one bit of its `sub` changed."""
    header, payload, signature = token.split(".")
    changed = un_b64u(payload).replace(SUBJECT.encode("ascii"), (SUBJECT[:-1] + "0").encode("ascii"))
    demand(changed != un_b64u(payload), "the payload does not hold the subject as it was given")
    return f"{header}.{b64u(changed)}.{signature}"


def refused(id: str, token: str, code: str, comment: str) -> dict:
    return {"id": id, "token": token, "result": "refused", "codes": [code], "comment": comment}


class TokensIn:
    """A vector file with tokens of every other implementation."""

    def __init__(self):
        self.now, self.groups, self.made = int(time.time()), [], 0

    def claims(self) -> dict:
        return {
            "iss": ISSUER, "aud": AUDIENCE, "sub": SUBJECT, "iat": self.now, "exp": self.now + 600, "nonce": NONCE,
            "name": "Zoë Sample", "email": "zoe@interop.invalid", "email_verified": True,
        }

    def add(self, implementation: Implementation) -> None:
        keys, tests = [], []
        for algorithm in implementation.algorithms.split():
            jwk, token = self.signed(implementation, algorithm, algorithm.lower(), short=False)
            keys.append(jwk)
            tests += self.tests(implementation, algorithm, token)
        if implementation.shortens_coordinates:
            jwk, token = self.signed(implementation, "ES512", "short", short=True)
            keys.append(jwk)
            comment = "A coordinate of the key has too few octets (RFC 7518 section 6.2.1.2)."
            tests.append(refused(f"{implementation.id}-short-coordinate", token, "key-unusable", comment))
        policy = {
            "issuers": [ISSUER], "audiences": [AUDIENCE], "now": self.now + 60, "nonce": {"exactly": NONCE},
            "algorithms": implementation.algorithms.split(),
        }
        about = {"name": implementation.name, "kind": "id-token", "policy": policy}
        self.groups.append({**about, "keys": {"keys": keys}, "tests": tests})

    def signed(self, implementation: Implementation, algorithm: str, kid: str, short: bool) -> tuple[dict, str]:
        """A public JWK and a token; a short key is one of which a coordinate begins with a zero octet, left out."""
        while True:
            key = implementation.new_key(algorithm)
            jwk = implementation.public_jwk(key, algorithm, kid)
            demand("d" not in jwk, f"{implementation.name} publishes a private key")
            is_short = algorithm in CURVES and any(
                len(un_b64u(jwk[name])) < COORDINATE_BYTES[algorithm] for name in ("x", "y")
            )
            demand(implementation.shortens_coordinates or not is_short, f"{implementation.name} shortens coordinates")
            if is_short == short:
                return jwk, implementation.sign(key, algorithm, kid, self.claims())

    def tests(self, implementation: Implementation, algorithm: str, token: str) -> list[dict]:
        id = f"{implementation.id}-{algorithm.lower()}"
        if (implementation.package, algorithm) in DEPARTURES:
            return [refused(f"{id}-departs", token, "signature", DEPARTURES[implementation.package, algorithm])]
        self.made += 1
        expected = {name: value for name, value in self.claims().items() if name not in ("iss", "aud")}
        return [
            {"id": id, "token": token, "result": "verified", "claims": expected, "comment": "As it was made."},
            refused(f"{id}-signature-bit", signature_changed(token), "signature", "One bit of the signature changed."),
            refused(f"{id}-payload-bit", payload_changed(token), "signature", "One bit of sub changed."),
        ]

    def run(self, verify_token: str, folder: Path) -> None:
        content = {"format": "login-vectors/1", "generator": "interop.py", "groups": self.groups}
        (folder / "interop.json").write_text(json.dumps(content, indent=1), encoding="utf-8")
        ran = subprocess.run([verify_token, "vectors", str(folder)], capture_output=True, text=True)
        count = sum(len(group["tests"]) for group in self.groups)
        all_passed = ran.returncode == 0 and f"{count} passed, 0 failed" in ran.stdout
        demand(all_passed, f"our verifier decides otherwise about others' tokens:\n{ran.stdout}{ran.stderr}")


class TokensOut:
    """Our sample of one algorithm, for every implementation that has it."""

    def __init__(self, verify_token: str, algorithm: str, folder: Path):
        self.algorithm = algorithm
        command = [verify_token, "sample", str(folder), "--algorithm", algorithm]
        ran = subprocess.run(command, capture_output=True, text=True)
        demand(ran.returncode == 0, f"no sample of {algorithm}:\n{ran.stdout}{ran.stderr}")
        nonce = re.search(r"--nonce (\S+)", ran.stdout)
        demand(nonce is not None, "the sample does not say its nonce")
        self.nonce = nonce[1]
        files = {path.name: path.read_text(encoding="utf-8").strip() for path in folder.iterdir()}
        self.keys, self.good, self.another_key = files["keys.json"], files["good.jwt"], files["another-key.jwt"]
        header, payload = (json.loads(un_b64u(segment)) for segment in self.good.split(".")[:2])
        demand(header["alg"] == algorithm, f"the sample of {algorithm} says {header['alg']}")
        self.claims = payload

    def check(self, implementation: Implementation) -> None:
        what = f"{implementation.name}, {self.algorithm}"
        try:
            claims = self.read(implementation, self.good)
        except Exception as refusal:  # Each implementation has errors of its own.
            sys.exit(f"interop: {what}: refuses our token: {refusal!r}")
        demand(claims == self.claims and claims["nonce"] == self.nonce, f"{what}: reads other claims than we wrote")
        for words, token in (("another key", self.another_key), ("a changed signature", signature_changed(self.good))):
            try:
                self.read(implementation, token)
            except Exception:  # As above. Nothing but the signature differs from the token that was accepted.
                continue
            sys.exit(f"interop: {what}: accepts our token with {words}")

    def read(self, implementation: Implementation, token: str) -> dict:
        return implementation.verify(token, self.keys, self.algorithm, OUR_ISSUER, OUR_AUDIENCE)


def check_support(implementation: Implementation) -> None:
    """What is said to be unsupported must be so, or it would be passed over in silence."""
    registered = implementation.registered() & set(ALGORITHMS)
    stated = set(implementation.algorithms.split())
    demand(registered == stated, f"{implementation.name} has {sorted(registered)}, not {sorted(stated)}")


def mark(implementation: Implementation, algorithm: str) -> str:
    if algorithm not in implementation.algorithms.split():
        return "–"
    return "✗" if (implementation.package, algorithm) in DEPARTURES else "✓"


def print_table() -> None:
    width = max(len(implementation.name) for implementation in IMPLEMENTATIONS)
    print(" " * width, *ALGORITHMS)
    for implementation in IMPLEMENTATIONS:
        marks = (mark(implementation, algorithm).center(len(algorithm)) for algorithm in ALGORITHMS)
        print(implementation.name.ljust(width), *marks)
    print("✓ verified in both directions, and refused when changed; – not supported there;")
    print("✗ verifies ours, and we refuse its own:")
    for words in dict.fromkeys(DEPARTURES.values()):
        print(f"  {words}")
    short = ", ".join(each.package for each in IMPLEMENTATIONS if each.shortens_coordinates)
    print(f"Some keys of {short} have a shortened coordinate; those we refuse (RFC 7518 section 6.2.1.2).")


def main() -> int:
    verify_token = sys.argv[1]
    # EdDSA is deprecated by name (RFC 9864), and some say so each time; what counts here is whether it verifies.
    warnings.simplefilter("ignore")
    tokens_in, taken = TokensIn(), 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for implementation in IMPLEMENTATIONS:
            check_support(implementation)
            tokens_in.add(implementation)
        (folder / "in").mkdir()
        tokens_in.run(verify_token, folder / "in")
        for algorithm in ALGORITHMS:
            tokens_out = TokensOut(verify_token, algorithm, folder / algorithm)
            able = [each for each in IMPLEMENTATIONS if algorithm in each.algorithms.split()]
            for implementation in able:
                tokens_out.check(implementation)
            taken += len(able)
    print_table()
    packages = {implementation.package for implementation in IMPLEMENTATIONS}
    print(f"interop: {len(packages)} implementations, {tokens_in.made} tokens in, {taken} tokens out")
    return 0


if __name__ == "__main__":
    sys.exit(main())
