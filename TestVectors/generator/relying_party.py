"""relying-party.json: the faults in ID tokens that the OpenID Foundation's suite tries on relying parties.

The suite plays a provider over HTTP; these are the same faults with our own keys. Each comment begins with the name of
the suite's module. What is no fault of a token (UserInfo, registration, key rotation, discovery, refreshing against an
earlier token) has no place here.
"""

import hashlib
import hmac

from keyring import KEYRING, b64u, key_set
from model import NOW, TokenGroup
from openid_context import half
from tokens import ABSENT, signing_input, split

PREFIX = "oidcc-client-test"
ISSUER, CLIENT, NONCE = "https://suite.example/test/a/rp/", "client-rp", "nonce-of-the-request"
ACCESS_TOKEN, CODE = "access-token-of-the-suite", "code-of-the-suite"
RSA, SECOND, EC, EDWARDS = (KEYRING[name] for name in ("issuer-a", "issuer-b", "ec-p256", "ed25519"))
HEADER = {"alg": "RS256", "kid": RSA.kid}
CLAIMS = {"iss": ISSUER, "aud": CLIENT, "sub": "user-subject-1234531", "iat": NOW - 5, "exp": NOW + 295, "nonce": NONCE}
POLICY = {"issuers": [ISSUER], "audiences": [CLIENT], "now": NOW, "nonce": {"exactly": NONCE}}
HASHES = {"at_hash": half("sha256", ACCESS_TOKEN), "c_hash": half("sha256", CODE)}


class Suite(TokenGroup):
    """A group whose comments name the module of the suite."""

    def __init__(self, name: str, keys=None, **policy):
        super().__init__(f"relying party: {name}", "id-token", {**POLICY, **policy}, keys or key_set(RSA, SECOND, EC),
                         header=HEADER, claims=CLAIMS)

    def module(self, name: str, codes, why: str, suffix: str = "", like: str | None = None, **recipe) -> None:
        """A test of the module's fault; without codes it is the good token.

        `like` names the module that a test of our own is modelled on.
        """
        full = f"like {PREFIX}-{like}" if like else f"{PREFIX}-{name}" if name else PREFIX
        id = f"rp-{name or 'good'}{suffix}"
        if codes is None:
            self.accept(id, f"{full}: {why}", **recipe)
        else:
            self.refuse(id, codes, f"{full}: {why}", **recipe)


def claims() -> Suite:
    g = Suite("claims")
    g.module("", None, "the good token.", expect={"claims": {"sub": CLAIMS["sub"]}})
    g.module("missing-sub", "missing-claim", "sub is not there.", claims={"sub": ABSENT})
    g.module("missing-iat", "missing-claim", "iat is not there.", claims={"iat": ABSENT})
    g.module("missing-aud", "missing-claim", "aud is not there.", claims={"aud": ABSENT})
    g.module("invalid-aud", "audience", "aud is somebody else's.", claims={"aud": CLIENT + "1"})
    g.module("invalid-aud", "audience", "aud is a list of others.", suffix="-list", claims={"aud": [CLIENT + "1", "x"]})
    g.module("invalid-iss", "issuer", "iss is another.", claims={"iss": ISSUER + "1"})
    g.module("invalid-iss", "issuer", "iss lacks its last slash.", suffix="-slash", claims={"iss": ISSUER[:-1]})
    g.module("nonce-invalid", "nonce", "nonce is another.", claims={"nonce": NONCE + "1"})
    g.module("nonce-invalid", "nonce", "nonce is not there.", suffix="-absent", claims={"nonce": ABSENT})
    return g


def nonce_in_code_flow() -> Suite:
    g = Suite("no nonce in the code flow", nonce="absent")
    g.module("nonce-unless-code-flow", None, "none was sent and none came.", claims={"nonce": ABSENT})
    g.module("nonce-unless-code-flow", "nonce", "none was sent and one came.", suffix="-present")
    return g


def key_identifiers() -> list[Suite]:
    one = Suite("kid absent, one key", keys=key_set(RSA))
    one.module("kid-absent-single-jwks", None, "the only key is meant.", header={"kid": ABSENT})
    one.module("kid-absent-single-jwks", "signature", "the only key is meant, and another signed.", suffix="-other",
               header={"kid": ABSENT}, key=SECOND)
    typed = Suite("kid absent, one key of the type", keys=key_set(RSA, EC))
    typed.module("kid-absent-single-jwks", None, "the only RSA key is meant.", suffix="-of-type",
                 header={"kid": ABSENT})
    many = Suite("kid absent, several keys")
    many.module("kid-absent-multiple-jwks", "key-ambiguous",
                "two RSA keys could be meant; the suite lets a relying party try both.", header={"kid": ABSENT})
    many.module("kid-absent-multiple-jwks", None, "the same with a kid.", suffix="-named")
    rotated = Suite("a key that is not in the set", keys=key_set(SECOND, EC))
    rotated.module("signing-key-rotation", "key-not-found", "the set as it was before the new key came.")
    rotated.module("signing-key-rotation", None, "a key of the set.", suffix="-known",
                   header={"kid": SECOND.kid}, key=SECOND)
    broken = Suite("keys that cannot be read", keys=key_set(
        {"kty": "RSA", "kid": "broken", "n": "!", "e": "AQAB"}, {"kty": "XYZ", "kid": "unknown"}, {"kid": "empty"},
        {"kty": "EC", "crv": "P-256", "kid": "half", "x": EC.jwk["x"]}, RSA))
    broken.module("ignores-unparseable-key-in-jwks", None, "the other keys of the set do no harm.")
    broken.module("ignores-unparseable-key-in-jwks", "key-unusable", "the token names the broken key.", suffix="-named",
                  header={"kid": "broken"})
    return [one, typed, many, rotated, broken]


def damaged(token: str) -> str:
    """The token with one letter of its signature changed."""
    header, payload, signature = split(token)
    return f"{header}.{payload}.{signature[:9]}{'B' if signature[9] == 'A' else 'A'}{signature[10:]}"


def signatures() -> list[Suite]:
    g = Suite("signature")
    g.module("idtoken-sig-rs256", None, "signed with RS256.")
    g.module("invalid-sig-rs256", "signature", "the signature is not that of the token.", token=damaged(g.token()))
    g.module("invalid-sig-rs256", "signature", "a key that is not the issuer's signed.", suffix="-key",
             key=KEYRING["attacker"])
    g.module("idtoken-sig-none", "algorithm", "alg is none, and something stands for the signature.",
             header={"alg": "none"}, by_hand=True)
    unsigned = signing_input({"alg": "none"}, CLAIMS).decode("ascii")
    g.module("idtoken-sig-none", "segments", "alg is none, and the signature is empty.", suffix="-empty",
             token=f"{unsigned}.")
    signing = signing_input({"alg": "HS256"}, CLAIMS)
    mac = hmac.digest(b"client-secret-of-the-suite", signing, hashlib.sha256)
    g.module("invalid-sig-hs256", "algorithm", "a MAC with the client's secret, which is not used here.",
             token=f"{signing.decode('ascii')}.{b64u(mac)}")
    groups = [g]
    for key, algorithm in [
        (EC, "ES256"), (KEYRING["rsa-pss"], "PS256"), (EDWARDS, "EdDSA"), (KEYRING["ec-p384"], "ES384"),
    ]:
        slug = algorithm.lower()
        g = Suite(f"signature, {algorithm}", keys=key_set(key.public(alg=algorithm), SECOND), algorithms=[algorithm])
        header = {"alg": algorithm, "kid": key.kid}
        good = g.token(header=header, key=key)
        # The suite has such a module for ES256 alone.
        like = None if algorithm == "ES256" else "invalid-sig-es256"
        g.module(f"idtoken-sig-{slug}", None, f"signed with {algorithm}.", like="idtoken-sig-rs256", token=good)
        g.module(f"invalid-sig-{slug}", "signature", "the signature is not that of the token.", like=like,
                 token=damaged(good))
        g.module(f"idtoken-sig-{slug}", "algorithm", "signed with RS256, which is not what was registered.",
                 suffix="-rs256", like="idtoken-sig-none", header={"kid": SECOND.kid}, key=SECOND)
        groups.append(g)
    return groups


def hashes() -> Suite:
    g = Suite("at_hash and c_hash")
    both = {"accessToken": ACCESS_TOKEN, "code": CODE}
    g.module("", None, "the good token of response_type=code id_token token.", suffix="-hybrid", claims=HASHES,
             expect=both)
    for slug, claim, member, value, code in [
        ("athash", "at_hash", "accessToken", ACCESS_TOKEN, "access-token-hash"),
        ("chash", "c_hash", "code", CODE, "code-hash"),
    ]:
        g.module(f"invalid-{slug}", None, f"the good {claim}.", suffix="-good", claims={claim: HASHES[claim]},
                 expect={member: value})
        g.module(f"invalid-{slug}", code, f"{claim} is that of something else.",
                 claims={claim: half("sha256", value + "1")}, expect={member: value})
        g.module(f"missing-{slug}", code, f"{claim} is not there.", expect={member: value})
    return g


def refreshed() -> Suite:
    """What of the rules for refreshed tokens a single token can show: the issuer, the audience and the person."""
    g = Suite("refreshed token", subject=CLAIMS["sub"], nonce="absent")
    g.module("refresh-token", None, "a refreshed token for the same person.", claims={"nonce": ABSENT})
    g.module("refresh-token-invalid-issuer", "issuer", "iss is another.", claims={"nonce": ABSENT, "iss": ISSUER + "1"})
    g.module("refresh-token-invalid-sub", "subject", "sub is another.", claims={"nonce": ABSENT, "sub": "someone-else"})
    g.module("refresh-token-invalid-aud", "audience", "aud is another.", claims={"nonce": ABSENT, "aud": CLIENT + "1"})
    return g


def groups() -> list[Suite]:
    return [claims(), nonce_in_code_flow(), *key_identifiers(), *signatures(), hashes(), refreshed()]
