"""openid.json, first part: issuer, audience, subject, times and nonce of any provider's ID token."""

import hashlib

from keyring import KEYRING, key_set
from model import NOW, TokenGroup
from tokens import ABSENT, Raw

ISSUER = "https://issuer.example"
CLIENT = "client-1"
NONCE = "raw-nonce-77"
NONCE_SHA256 = hashlib.sha256(NONCE.encode("ascii")).hexdigest()
LATEST = 253_402_300_799  # 9999-12-31T23:59:59Z
COMPOSED, DECOMPOSED = "caf\u00e9", "cafe\u0301"  # the same word in NFC and in NFD

HEADER = {"alg": "RS256", "typ": "JWT", "kid": KEYRING["issuer-a"].kid}
CLAIMS = {
    "iss": ISSUER, "aud": CLIENT, "sub": "subject-1", "iat": NOW - 60, "exp": NOW + 3540, "nonce": NONCE,
}


def group(name: str, keys=None, **policy_changes) -> TokenGroup:
    policy = {"issuers": [ISSUER], "audiences": [CLIENT], "now": NOW, "nonce": {"exactly": NONCE}, **policy_changes}
    keys = keys or key_set(KEYRING["issuer-a"], KEYRING["issuer-b"])
    return TokenGroup(f"openid: {name}", "id-token", policy, keys, header=HEADER, claims=CLAIMS)


def wrong_types(g: TokenGroup, claim: str, values: dict) -> None:
    for slug, value in values.items():
        g.refuse(f"openid-{claim}-{slug}", "claim-type", f"{claim} has the wrong JSON type.", claims={claim: value})


def null_is_missing(g: TokenGroup, claim: str) -> None:
    g.refuse(f"openid-{claim}-null", "missing-claim", f"{claim} is required, and null says nothing.",
             claims={claim: None})


def issuers() -> list[TokenGroup]:
    g = group("issuer")
    g.accept("openid-issuer-same", "The one allowed spelling.", expect={"claims": CLAIMS})
    g.refuse("openid-iss-absent", "missing-claim", "An ID token names its issuer.", claims={"iss": ABSENT})
    null_is_missing(g, "iss")
    wrong_types(g, "iss", {"number": 5, "array": [ISSUER], "object": {"url": ISSUER}, "true": True})
    for slug, issuer, why in [
        ("slash", ISSUER + "/", "A slash makes another issuer."),
        ("upper-case", "https://Issuer.example", "Case counts, in the host as well."),
        ("http", "http://issuer.example", "The scheme counts."),
        ("port", ISSUER + ":443", "The default port is not taken away."),
        ("sub-string", "https://issuer.exampl", "A part of the allowed issuer."),
        ("super-string", ISSUER + ".evil.example", "The allowed issuer and more."),
        ("empty", "", "The empty string."),
        ("nul", ISSUER + "\0.evil.example", "A NUL does not end a string."),
        ("leading-space", " " + ISSUER, "Nothing is trimmed."),
        ("query", ISSUER + "?", "A query part, even an empty one, makes another issuer."),
    ]:
        g.refuse(f"openid-issuer-{slug}", "issuer", why, claims={"iss": issuer})
    g.accept("openid-issuer-escaped-solidus", "An escaped solidus is the same character.",
             claims={"iss": Raw('"https:\\/\\/issuer.example"')}, expect={"claims": {"iss": ISSUER}})
    g.refuse("openid-iss-other-case-name", "missing-claim", "Member names are compared with case.",
             claims={"iss": ABSENT, "Iss": ISSUER})
    g.refuse("openid-iss-dotted-name", "missing-claim", "No Unicode case folding: this is another name.",
             claims={"iss": ABSENT, "\u0130ss": ISSUER})
    letters = group("issuer beyond ASCII", issuers=[f"https://issuer.example/{COMPOSED}"])
    letters.accept("openid-issuer-nfc", "The very bytes that are configured.",
                   claims={"iss": f"https://issuer.example/{COMPOSED}"})
    letters.refuse("openid-issuer-nfd", "issuer", "Looks the same and has other bytes; nothing is normalised.",
                   claims={"iss": f"https://issuer.example/{DECOMPOSED}"})
    return [g, letters]


def audiences() -> list[TokenGroup]:
    g = group("audience")
    g.accept("openid-audience-string", "aud may be one string.")
    g.accept("openid-audience-array", "Or an array with one string.", claims={"aud": [CLIENT]})
    g.accept("openid-audience-repeated", "The same audience twice is one audience, so no azp is needed.",
             claims={"aud": [CLIENT, CLIENT]})
    g.refuse("openid-aud-absent", "missing-claim", "A token must say whom it is for.", claims={"aud": ABSENT})
    null_is_missing(g, "aud")
    wrong_types(g, "aud", {
        "number": 5, "object": {CLIENT: True}, "true": True, "array-with-number": [CLIENT, 5],
        "array-with-null": [CLIENT, None], "array-in-array": [[CLIENT]],
    })
    for slug, audience, why in [
        ("other", "client-2", "Made for someone else."),
        ("empty-array", [], "For nobody."),
        ("empty-string", "", "For nobody."),
        ("sub-string", "client-", "A part of our name."),
        ("super-string", "client-1-evil", "Our name and more."),
        ("upper-case", "Client-1", "Case counts."),
        ("slash", "client-1/", "Nothing is trimmed."),
        ("list-in-string", "client-1 client-2", "A space does not separate audiences."),
        ("others-only", ["client-2", "client-3"], "None of them is ours."),
    ]:
        g.refuse(f"openid-audience-{slug}", "audience", why, claims={"aud": audience})
    g.refuse("openid-audience-untrusted-extra", "audience", "Someone else may use this token too, and is not trusted.",
             claims={"aud": [CLIENT, "client-2"], "azp": CLIENT})
    trusting = group("trusted audiences", trustedAudiences=["api-1"])
    trusting.accept("openid-audience-trusted-extra", "The other audience is a trusted one and azp is ours.",
                    claims={"aud": [CLIENT, "api-1"], "azp": CLIENT})
    trusting.refuse("openid-audience-trusted-alone", "audience", "A trusted audience does not stand in for our own.",
                    claims={"aud": ["api-1"]})
    trusting.refuse("openid-audience-trusted-and-stranger", "audience", "One stranger among them is enough.",
                    claims={"aud": [CLIENT, "api-1", "client-2"], "azp": CLIENT})
    trusting.refuse("openid-audiences-without-azp", "authorized-party",
                    "With more than one audience the token must say who asked for it.",
                    claims={"aud": [CLIENT, "api-1"]})
    return [g, trusting]


def authorized_parties() -> list[TokenGroup]:
    g = group("authorized party", authorizedParties=["app-1"])
    g.accept("openid-azp-own", "azp is our own client ID.", claims={"azp": CLIENT})
    g.accept("openid-azp-listed", "azp is a party that may ask on our behalf.", claims={"azp": "app-1"})
    g.refuse("openid-azp-other", "authorized-party", "azp is a stranger.", claims={"azp": "app-2"})
    g.refuse("openid-azp-empty", "authorized-party", "An empty name is nobody's.", claims={"azp": ""})
    wrong_types(g, "azp", {"number": 1, "array": [CLIENT]})
    g.accept("openid-azp-null", "null names nobody, like an absent azp.", claims={"azp": None})
    two = group("two own audiences", audiences=[CLIENT, "client-1b"])
    two.accept("openid-two-own-with-azp", "Both audiences are ours and azp tells which one asked.",
               claims={"aud": [CLIENT, "client-1b"], "azp": "client-1b"})
    two.refuse("openid-two-own-without-azp", "authorized-party", "Two audiences and no azp.",
               claims={"aud": [CLIENT, "client-1b"]})
    two.refuse("openid-two-own-with-azp-null", "authorized-party", "Two audiences, and azp names nobody.",
               claims={"aud": [CLIENT, "client-1b"], "azp": None})
    strict = group("no authorized parties")
    strict.refuse("openid-azp-unlisted", "authorized-party", "Where no further party is configured, only we may ask.",
                  claims={"azp": "app-1"})
    return [g, two, strict]


def subjects() -> list[TokenGroup]:
    g = group("subject")
    g.accept("openid-sub-255-bytes", "The longest subject.", claims={"sub": "s" * 255})
    g.refuse("openid-sub-256-bytes", "subject", "One byte more (OpenID Connect Core section 2).",
             claims={"sub": "s" * 256})
    g.refuse("openid-sub-empty", "subject", "An empty subject is nobody.", claims={"sub": ""})
    g.refuse("openid-sub-not-ascii", "subject", "Subjects are ASCII.", claims={"sub": "subj\u00e9ct"})
    g.refuse("openid-sub-absent", "missing-claim", "sub is required.", claims={"sub": ABSENT})
    null_is_missing(g, "sub")
    wrong_types(g, "sub", {"number": 12345, "array": ["subject-1"], "false": False})
    for slug, claim, value in [
        ("jti-number", "jti", 1), ("scope-array", "scope", ["openid"]), ("groups-string", "groups", "staff"),
        ("client-id-number", "client_id", 5), ("email-array", "email", ["a@b.example"]),
    ]:
        g.accept(f"openid-{slug}", "Nothing uses it, so its type is not looked at.", claims={claim: value})
    g.accept("openid-jti-null", "Nothing requires a jti.", claims={"jti": None})
    g.accept("openid-jti-absent", "Only some providers require a jti.")
    g.accept("openid-jti-empty", "Where jti is not required its content is not looked at.", claims={"jti": ""})
    expected = group("expected subject", subject="subject-1")
    expected.accept("openid-sub-expected", "The person we asked about.")
    expected.refuse("openid-sub-unexpected", "subject", "Someone else logged in.", claims={"sub": "subject-2"})
    expected.refuse("openid-sub-unexpected-case", "subject", "Subjects are compared with case.",
                    claims={"sub": "Subject-1"})
    return [g, expected]


def nonces() -> list[TokenGroup]:
    exactly = group("nonce, exactly")
    exactly.accept("openid-nonce-same", "The nonce that was sent.")
    exactly.accept("openid-nonce-overridden", "A test may expect another nonce than its group.",
                   claims={"nonce": "another"}, nonce={"exactly": "another"})
    for slug, nonce, why in [
        ("absent", ABSENT, "It was sent and must come back."),
        ("empty", "", "An empty one is another one."),
        ("other", "raw-nonce-78", "It belongs to another login."),
        ("upper-case", NONCE.upper(), "Case counts."),
        ("longer", NONCE + "\0", "Our nonce and more."),
        ("hashed", NONCE_SHA256, "Hashing is a mode of its own and was not asked for."),
    ]:
        exactly.refuse(f"openid-nonce-{slug}", "nonce", why, claims={"nonce": nonce})
    wrong_types(exactly, "nonce", {"null": None, "number": 77, "array": [NONCE]})
    exactly.refuse("openid-nonce-expected-empty", "nonce", "An empty expectation is a mistake and never met.",
                   claims={"nonce": ""}, nonce={"exactly": ""})
    hashed = group("nonce, hashed", nonce={"sha256": NONCE})
    hashed.accept("openid-nonce-sha256", "The claim is the lower-case hexadecimal SHA-256 of what was kept.",
                  claims={"nonce": NONCE_SHA256})
    for slug, nonce, why in [
        ("raw", NONCE, "The raw value itself does not pass."),
        ("upper-case", NONCE_SHA256.upper(), "The digits are lower-case."),
        ("shortened", NONCE_SHA256[:-1], "All sixty-four digits count."),
        ("absent", ABSENT, "It must be there."),
    ]:
        hashed.refuse(f"openid-nonce-sha256-{slug}", "nonce", why, claims={"nonce": nonce})
    hashed.refuse("openid-nonce-sha256-expected-empty", "nonce", "Not even the hash of nothing meets an empty one.",
                  claims={"nonce": hashlib.sha256(b"").hexdigest()}, nonce={"sha256": ""})
    absent = group("nonce, absent", nonce="absent")
    absent.accept("openid-nonce-rightly-absent", "None was sent and none came.", claims={"nonce": ABSENT})
    absent.refuse("openid-nonce-wrongly-present", "nonce", "None was sent, so this token answers another login.")
    absent.refuse("openid-nonce-wrongly-empty", "nonce", "An empty nonce is present all the same.",
                  claims={"nonce": ""})
    unchecked = group("nonce, not checked", nonce="not-checked")
    unchecked.accept("openid-nonce-unchecked-present", "Any nonce will do.", claims={"nonce": "whatever"})
    unchecked.accept("openid-nonce-unchecked-absent", "So will none.", claims={"nonce": ABSENT})
    unchecked.refuse("openid-nonce-unchecked-number", "claim-type", "But its type is looked at.", claims={"nonce": 5})
    return [exactly, hashed, absent, unchecked]


def groups() -> list[TokenGroup]:
    return [*issuers(), *audiences(), *authorized_parties(), *subjects(), *nonces()]
