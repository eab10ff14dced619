"""openid.json, last part: how, when and where somebody logged in, and what else was handed out with the token."""

import hashlib

from keyring import ALL_ALGORITHMS, KEYRING, b64u, key_set
from model import NOW, TokenGroup
from openid_claims import LATEST, group
from tokens import ABSENT, Raw

ACCESS_TOKEN = "made-up-access-token-2b1c7e9d"
CODE = "made-up-code-8f4e6a"
SIGNERS = {
    "RS": "issuer-a", "PS": "rsa-pss", "ES256": "ec-p256", "ES384": "ec-p384", "ES512": "ec-p521", "Ed": "ed25519",
}
WRONG_TYPES = {"null": None, "true": True, "array": [NOW], "object": {}}


def signer(algorithm: str):
    return KEYRING[SIGNERS.get(algorithm) or SIGNERS[algorithm[:2]]]


def authentication_time() -> list[TokenGroup]:
    g = group("auth_time", maxAuthAge=300)
    for slug, value, why in [
        ("now", NOW, "Authenticated this second."),
        ("at-edge", NOW - 300, "Five minutes ago to the second."),
        ("fraction-at-edge", Raw(f"{NOW - 300}.0"), "The same, written with a fraction."),
        ("exponent", Raw("1.7599999e9"), "100 seconds ago, written with an exponent."),
    ]:
        g.accept(f"auth-time-{slug}", why, claims={"auth_time": value})
    for slug, value, why in [
        ("absent", ABSENT, "Where an age is asked for, the claim is required (OpenID Connect Core 3.1.2.1)."),
        ("outside", NOW - 301, "One second more than five minutes."),
        ("fraction-outside", NOW - 300.5, "Half a second more."),
        ("zero", 0, "In 1970."),
        ("next-second", NOW + 1, "Authenticated one second from now."),
        ("next-year", NOW + 31_536_000, "Authenticated a year from now."),
        ("string", str(NOW), "Digits in quotes are a string."),
        ("negative", Raw("-1"), "Before 1970."),
        ("past-year-9999", LATEST + 1, "The first second of the year 10000."),
        ("1e300", Raw("1e300"), "A double, but no time."),
        ("1e400", Raw("1e400"), "Not even a double."),
    ]:
        g.refuse(f"auth-time-{slug}", "auth-time", why, claims={"auth_time": value})
    for slug, value in WRONG_TYPES.items():
        g.refuse(f"auth-time-{slug}", "auth-time", "auth_time has the wrong JSON type.", claims={"auth_time": value})
    g.refuse("auth-time-other-case-name", "auth-time", "Auth_Time is not auth_time.", claims={"Auth_Time": NOW})
    g.refuse("auth-time-in-milliseconds", "auth-time", "Milliseconds are not seconds: a time far ahead.",
             claims={"auth_time": NOW * 1000})
    leeway = group("auth_time with leeway", maxAuthAge=300, leeway=30)
    leeway.accept("auth-time-leeway-at-edge", "Leeway is added to the age.", claims={"auth_time": NOW - 330})
    leeway.refuse("auth-time-leeway-outside", "auth-time", "One second more.", claims={"auth_time": NOW - 331})
    leeway.accept("auth-time-leeway-ahead", "A clock 30 seconds ahead.", claims={"auth_time": NOW + 30})
    leeway.refuse("auth-time-leeway-too-far-ahead", "auth-time", "A clock 31 seconds ahead.",
                  claims={"auth_time": NOW + 31})
    zero = group("auth_time, an age of zero", maxAuthAge=0)
    zero.accept("auth-time-age-zero-now", "Authenticated this very second.", claims={"auth_time": NOW})
    zero.refuse("auth-time-age-zero-before", "auth-time", "A second ago is too long ago.",
                claims={"auth_time": NOW - 1})
    free = group("auth_time, not asked for")
    for slug, value in {"absent": ABSENT, "old": 0, "ahead": NOW + 1, "string": "yesterday", **WRONG_TYPES}.items():
        free.accept(f"auth-time-unasked-{slug}", "Nobody asked, so the claim is not looked at.",
                    claims={"auth_time": value})
    return [g, leeway, zero, free]


def context_class() -> list[TokenGroup]:
    g = group("acr", acceptedACRs=["urn:example:silver", "2"])
    g.accept("acr-first", "One of the accepted classes.", claims={"acr": "urn:example:silver"})
    g.accept("acr-second", "Another one.", claims={"acr": "2"})
    for slug, value, why in [
        ("absent", ABSENT, "Where classes are asked for, one must be named."),
        ("other", "urn:example:bronze", "Not one of the accepted classes."),
        ("zero", "0", "The class that promises nothing."),
        ("number", 2, "A number is not a string."),
        ("upper-case", "urn:example:SILVER", "Classes are compared with case."),
        ("sub-string", "urn:example:silve", "A part of an accepted class."),
        ("super-string", "urn:example:silver-plus", "An accepted class and more."),
        ("list-in-string", "urn:example:silver 2", "A space does not separate classes."),
        ("array", ["urn:example:silver"], "acr is one string."),
        ("null", None, "acr is a string."),
        ("empty", "", "The empty string."),
        ("nul", "2\0", "A NUL does not end a string."),
    ]:
        g.refuse(f"acr-{slug}", "acr", why, claims={"acr": value})
    free = group("acr, not asked for")
    for slug, value in {"any": "0", "number": 5, "null": None}.items():
        free.accept(f"acr-unasked-{slug}", "Nobody asked, so the claim is not looked at.", claims={"acr": value})
    return [g, free]


def methods() -> TokenGroup:
    g = group("amr")
    g.accept("amr-strings", "Methods of authentication (RFC 8176).", claims={"amr": ["pwd", "otp"]},
             expect={"claims": {"amr": ["pwd", "otp"]}})
    g.accept("amr-empty", "No method is named.", claims={"amr": []})
    g.accept("amr-unknown", "Any string will do.", claims={"amr": ["", "x-unknown"]})
    for slug, value in {
        "string": "pwd", "null": None, "number": 1, "object": {"pwd": True}, "number-inside": ["pwd", 1],
        "null-inside": [None], "array-inside": [["pwd"]], "objects": [{"method": "password", "timestamp": 1}],
    }.items():
        g.accept(f"amr-{slug}", "Nothing uses amr, so its type is not looked at.", claims={"amr": value})
    return g


def hosted_domain() -> list[TokenGroup]:
    g = group("hd", hostedDomain="example.org")
    g.accept("hd-same", "The domain that was asked for.", claims={"hd": "example.org"})
    for slug, value, why in [
        ("absent", ABSENT, "An account without a domain."),
        ("other", "example.net", "Another domain."),
        ("upper-case", "EXAMPLE.org", "Domains come in lower case and are compared byte by byte."),
        ("sub-domain", "mail.example.org", "A sub-domain is another domain."),
        ("suffix", "evil-example.org", "The domain is only the end of this one."),
        ("prefix", "example.org.evil.example", "The domain is only the start of this one."),
        ("trailing-dot", "example.org.", "Nothing is trimmed."),
        ("array", ["example.org"], "hd is one string."),
        ("null", None, "hd is a string."),
        ("true", True, "hd is a string."),
        ("empty", "", "The empty string."),
    ]:
        g.refuse(f"hd-{slug}", "hosted-domain", why, claims={"hd": value})
    g.refuse("hd-in-email-only", "hosted-domain", "The address proves nothing about the account.",
             claims={"email": "somebody@example.org", "email_verified": True})
    free = group("hd, not asked for")
    for slug, value in {"any": "example.net", "number": 5, "null": None}.items():
        free.accept(f"hd-unasked-{slug}", "Nobody asked, so the claim is not looked at.", claims={"hd": value})
    return [g, free]


def half(name: str, value: str) -> str:
    digest = hashlib.new(name, value.encode("utf-8")).digest()
    return b64u(digest[:len(digest) // 2])


class Hashes:
    """Tests of at_hash or of c_hash, which differ in names alone."""

    def __init__(self, claim: str, member: str, code: str, value: str):
        self.claim, self.member, self.code, self.value = claim, member, code, value
        self.slug = claim.replace("_", "-")

    def expect(self, value: str | None = None) -> dict:
        return {self.member: self.value if value is None else value}

    def accept(self, g: TokenGroup, slug: str, why: str, hashed, value: str | None = None, **recipe) -> None:
        g.accept(f"{self.slug}-{slug}", why, claims={self.claim: hashed}, expect=self.expect(value), **recipe)

    def refuse(self, g: TokenGroup, slug: str, why: str, hashed, value: str | None = None, **recipe) -> None:
        g.refuse(f"{self.slug}-{slug}", self.code, why, claims={self.claim: hashed}, expect=self.expect(value),
                 **recipe)

    def groups(self) -> list[TokenGroup]:
        algorithms = ALL_ALGORITHMS if self.claim == "at_hash" else ["RS384", "PS512", "ES256", "EdDSA"]
        return [self.values(), *(self.algorithm(name) for name in algorithms), self.unasked()]

    def values(self) -> TokenGroup:
        g = group(self.claim)
        right = half("sha256", self.value)
        digest = hashlib.sha256(self.value.encode("ascii")).digest()
        self.accept(g, "right", "The left half of the SHA-256 (OpenID Connect Core 3.1.3.6).", right)
        self.accept(g, "other-value", "The hash of what this test hands in.", half("sha256", "another"), "another")
        for slug, value, why in [
            ("absent", ABSENT, "Asked for, and not there."),
            ("of-another", half("sha256", "another"), "The hash of something else."),
            ("whole-hash", b64u(digest), "The whole hash, not its half."),
            ("right-half", b64u(digest[16:]), "The wrong half."),
            ("padded", right + "==", "Padding."),
            ("plain-base64", right.replace("-", "+").replace("_", "/") + "==", "Plain base64."),
            ("hexadecimal", digest[:16].hex(), "Hexadecimal."),
            ("upper-case", right.upper(), "Case counts."),
            ("short", right[:-1], "The last letter is missing."),
            ("long", right + "A", "A letter too many."),
            ("trailing-bits", right[:-1] + chr(ord(right[-1]) + 1), "Another last letter, if with the same octets."),
            ("empty", "", "The empty string."),
            ("value-itself", self.value, "The value in place of its hash."),
            ("sha1", b64u(hashlib.sha1(self.value.encode("ascii")).digest()[:10]), "Another hash."),
            ("of-the-text", half("sha256", right), "Hashed twice."),
            ("null", None, "null is no hash."),
            ("number", 5, "A number is no hash."),
            ("array", [right], "An array is no hash."),
        ]:
            self.refuse(g, slug, why, value)
        self.refuse(g, "of-other-case", "The value is hashed as it is.", right, self.value.upper())
        self.refuse(g, "of-longer", "The value is hashed as it is.", right, self.value + "\n")
        self.refuse(g, "of-nothing", "Nothing was handed out, and no hash shows that.", half("sha256", ""), "")
        other = "c_hash" if self.claim == "at_hash" else "at_hash"
        g.refuse(f"{self.slug}-under-other-name", self.code, "The right hash, under the name of the other one.",
                 claims={other: right}, expect=self.expect())
        return g

    def algorithm(self, name: str) -> TokenGroup:
        key = signer(name)
        keys = key_set(key.public(alg=name))
        g = group(f"{self.claim}, {name}", keys=keys, algorithms=[name])
        right = "sha512" if name in ("EdDSA", "Ed25519") else f"sha{name[2:]}"
        slug = "ed25519-exactly" if name == "Ed25519" else name.lower()
        wrong = "sha512" if right == "sha256" else "sha256"
        for hash_name in (right, wrong):
            value = half(hash_name, self.value)
            recipe = {"header": {"alg": name, "kid": key.kid}, "key": key}
            why = f"{name} goes with {right.upper().replace('SHA', 'SHA-')}."
            (self.accept if hash_name == right else self.refuse)(g, f"{slug}-{hash_name}", why, value, **recipe)
        return g

    def unasked(self) -> TokenGroup:
        g = group(f"{self.claim}, not asked for")
        for slug, value in {"wrong": "wrong", "null": None, "number": 5}.items():
            g.accept(f"{self.slug}-unasked-{slug}", "Nobody asked, so the claim is not looked at.",
                     claims={self.claim: value})
        return g


def both_hashes() -> TokenGroup:
    g = group("at_hash and c_hash")
    right = {"at_hash": half("sha256", ACCESS_TOKEN), "c_hash": half("sha256", CODE)}
    expect = {"accessToken": ACCESS_TOKEN, "code": CODE}
    g.accept("hashes-both", "Both were handed out and both are right.", claims=right, expect=expect)
    g.refuse("hashes-exchanged", "access-token-hash", "Each under the name of the other; at_hash is looked at first.",
             claims={"at_hash": right["c_hash"], "c_hash": right["at_hash"]}, expect=expect)
    g.refuse("hashes-code-missing", "code-hash", "at_hash is right, c_hash is not there.",
             claims={"at_hash": right["at_hash"]}, expect=expect)
    g.refuse("hashes-before-nonce", "code-hash", "c_hash is wrong, and so is the nonce.",
             claims={**right, "c_hash": "wrong", "nonce": "other"}, expect=expect)
    return g


def token_use() -> TokenGroup:
    g = group("token_use")
    g.accept("token-use-id", "Amazon Cognito marks its ID tokens like this.", claims={"token_use": "id"})
    for slug, value, why in [
        ("access", "access", "An access token of Amazon Cognito."),
        ("upper-case", "ID", "Case counts."),
        ("empty", "", "The empty string."),
        ("null", None, "null is not id."),
        ("array", ["id"], "An array is not id."),
        ("number", 1, "A number is not id."),
    ]:
        g.refuse(f"token-use-{slug}", "token-type", why, claims={"token_use": value})
    g.refuse("token-use-before-issuer", "token-type", "An access token, and a foreign issuer.",
             claims={"token_use": "access", "iss": "https://other.example"})
    return g


def named_kinds() -> TokenGroup:
    """Keycloak writes the kind of each token to the claim `typ`, and others to `token_type`."""
    g = group("kinds of tokens in claims")
    for name in ["typ", "token_type"]:
        for slug, value in [("id", "ID"), ("id-token", "id_token"), ("jwt", "JWT"), ("unknown", "session"), ("empty", ""),
                            ("media-type", "at+jwt"),
                            ("number", 1), ("null", None)]:
            g.accept(f"{name.replace('_', '-')}-claim-{slug}", "No other kind of token is named.", claims={name: value})
        for slug, value in [("bearer", "Bearer"), ("dpop", "DPoP"), ("access", "access_token"), ("refresh", "Refresh"),
                            ("offline", "Offline"), ("logout", "Logout"), ("refresh-token", "REFRESH-TOKEN"),
                            ("urn", "urn:ietf:params:oauth:token-type:access_token"), ("array", ["Refresh"])]:
            g.refuse(f"{name.replace('_', '-')}-claim-{slug}", "token-type", "Another kind of token is named.", claims={name: value})
    return g


def order() -> TokenGroup:
    """Tokens with two faults; the one that is looked at first must be named."""
    g = group("order of the later checks", maxAge=600, maxAuthAge=300, acceptedACRs=["2"], hostedDomain="example.org")
    good = {"auth_time": NOW - 10, "acr": "2", "hd": "example.org", "at_hash": half("sha256", ACCESS_TOKEN)}
    expect = {"accessToken": ACCESS_TOKEN}
    g.accept("order-later-nothing-wrong", "The twin without any fault.", claims=good, expect=expect)
    for slug, code, faults, why in [
        ("age-before-auth-time", "too-old", {"iat": NOW - 700, "auth_time": 0}, "Too old, and authenticated long ago."),
        ("auth-time-before-acr", "auth-time", {"auth_time": 0, "acr": "1"}, "Long ago, in the wrong class."),
        ("acr-before-hd", "acr", {"acr": "1", "hd": ABSENT}, "The wrong class, and no domain."),
        ("hd-before-hash", "hosted-domain", {"hd": ABSENT, "at_hash": "x"}, "No domain, and the wrong hash."),
        ("hash-before-nonce", "access-token-hash", {"at_hash": "x", "nonce": "other"}, "The wrong hash and nonce."),
        ("type-before-azp", "claim-type", {"nbf": "soon", "azp": "app-2"}, "nbf is a string, and azp is a stranger."),
    ]:
        g.refuse(f"order-{slug}", code, why, claims={**good, **faults}, expect=expect)
    return g


def groups() -> list[TokenGroup]:
    hashes = [
        *Hashes("at_hash", "accessToken", "access-token-hash", ACCESS_TOKEN).groups(),
        *Hashes("c_hash", "code", "code-hash", CODE).groups(),
    ]
    return [
        *authentication_time(), *context_class(), methods(), *hosted_domain(), *hashes, both_hashes(), token_use(), named_kinds(),
        order(),
    ]
