"""facebook.json, first half: what makes a Limited Login token acceptable at all."""

from keyring import KEYRING, key_set
from model import NOW, TokenGroup
from tokens import ABSENT, Raw

APP_ID = "1234509876543210"
OTHER_APP_ID = "2345610987654321"
NONCE = "made-up-nonce-4f1c9a"
USER_ID = "10220001112223334"
PICTURE = (
    "https://platform-lookaside.fbsbx.com/platform/profilepic/"
    f"?asid={USER_ID}&height=100&width=100&ext={NOW + 2_592_000}&hash=AbMadeUpHash123"
)
ISSUER = "https://www.facebook.com"

HEADER = {"alg": "RS256", "kid": KEYRING["issuer-a"].kid, "typ": "JWT"}
CLAIMS = {
    "iss": ISSUER,
    "aud": APP_ID,
    "sub": USER_ID,
    "iat": NOW - 60,
    "exp": NOW + 3540,
    "jti": "AbCd.0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0",
    "nonce": NONCE,
    "given_name": "Quilla",
    "family_name": "Testperson",
    "name": "Quilla Testperson",
    "picture": PICTURE,
}
PROFILE = {
    "userID": USER_ID,
    "firstName": "Quilla",
    "lastName": "Testperson",
    "name": "Quilla Testperson",
    "imageURL": PICTURE,
}


def policy(**changes) -> dict:
    return {"provider": "facebook", "audiences": [APP_ID], "now": NOW, "nonce": {"exactly": NONCE}, **changes}


def group(name: str, **policy_changes) -> TokenGroup:
    keys = key_set(KEYRING["issuer-a"], KEYRING["issuer-b"])
    return TokenGroup(
        f"facebook: {name}", "id-token", policy(**policy_changes), keys, header=HEADER, claims=CLAIMS
    )


def whole_tokens() -> TokenGroup:
    g = group("whole tokens")
    g.accept("facebook-typical", "The claims a token carries with public_profile alone.",
             expect={"claims": {name: CLAIMS[name] for name in ("iss", "aud", "sub", "jti", "nonce")},
                     "profile": {**PROFILE, "middleName": None, "email": None}, "notes": []})
    g.accept("facebook-minimal", "Only the required claims; every part of the profile but the user ID is missing.",
             claims={name: ABSENT for name in ("given_name", "family_name", "name", "picture")},
             expect={"profile": {"userID": USER_ID, "name": None, "firstName": None, "lastName": None,
                                 "imageURL": None, "friendIDs": None, "birthday": None}, "notes": []})
    g.accept("facebook-second-key", "The set holds several keys at once and the kid chooses.",
             header={"kid": KEYRING["issuer-b"].kid}, key=KEYRING["issuer-b"], expect={"notes": []})
    g.accept("facebook-unknown-claims", "Claims that nobody asked for are kept and do no harm.",
             claims={"x_unknown": {"deep": [1, True, None, "text"]}, "NAME": "not the name"},
             expect={"claims": {"x_unknown": {"deep": [1, True, None, "text"]}, "NAME": "not the name"},
                     "profile": {"name": "Quilla Testperson"}, "notes": []})
    g.accept("facebook-name-beyond-ascii", "Names are UTF-8 and arrive unchanged.",
             claims={"given_name": "Żółć", "name": "Żółć 🦉 Testperson"},
             expect={"profile": {"firstName": "Żółć", "name": "Żółć 🦉 Testperson"}, "notes": []})
    g.accept("facebook-name-escaped", "JSON escapes, a surrogate pair among them, are undone before use.",
             claims={"name": Raw('"Qu\\u0069lla \\ud83e\\udd89"')},
             expect={"profile": {"name": "Quilla 🦉"}, "notes": []})
    return g


def header_rows() -> TokenGroup:
    g = group("header")
    g.accept("facebook-typ-lower-case", "typ is a media type, and those ignore case (RFC 7515 section 4.1.9).",
             header={"typ": "jwt"}, expect={"notes": []})
    g.accept("facebook-typ-absent", "typ is optional.", header={"typ": ABSENT}, expect={"notes": []})
    g.refuse("facebook-typ-dpop", "token-type", "A DPoP proof is another kind of token (RFC 8725 section 3.11).",
             header={"typ": "dpop+jwt"})
    g.refuse("facebook-kid-absent", "key-id", "Facebook always names its key.", header={"kid": ABSENT})
    g.refuse("facebook-kid-empty", "key-id", "An empty kid names nothing.", header={"kid": ""})
    g.refuse("facebook-kid-number", "key-id", "kid must be a string (RFC 7515 section 4.1.4).",
             header={"kid": 7}, by_hand=True)
    g.refuse("facebook-kid-unknown", "key-not-found", "No other key stands in for an unknown kid.",
             header={"kid": "0" * 40})
    g.refuse("facebook-kid-of-the-other-key", "signature", "The kid names one key and another one signed.",
             header={"kid": KEYRING["issuer-b"].kid})
    g.refuse("facebook-attacker-key", "signature", "A stranger's key signed under a known kid.",
             key=KEYRING["attacker"])
    g.refuse("facebook-alg-ps256", "algorithm", "Facebook signs with RS256 and nothing else.",
             header={"alg": "PS256"}, by_hand=True)
    g.refuse("facebook-alg-none", "algorithm", "An unsecured token proves nothing, whatever its third part holds.",
             header={"alg": "none"}, by_hand=True)
    g.refuse("facebook-crit", "critical-header", "No critical extension is understood (RFC 7515 section 4.1.11).",
             header={"crit": ["exp"], "exp": NOW}, by_hand=True)
    return g


def issuers() -> TokenGroup:
    g = group("issuer")
    for slug, issuer, why in [
        ("with-slash", "https://www.facebook.com/", "The spelling with a slash is an entry of its own."),
        ("legacy", "https://facebook.com", "Older tokens come without www."),
    ]:
        g.accept(f"facebook-issuer-{slug}", why, claims={"iss": issuer},
                 expect={"claims": {"iss": issuer}, "notes": []})
    for slug, issuer, why in [
        ("legacy-with-slash", "https://facebook.com/", "No entry has this spelling, and slashes are not trimmed."),
        ("two-slashes", "https://www.facebook.com//", "Spellings are compared byte by byte."),
        ("http", "http://www.facebook.com", "The scheme is part of the issuer."),
        ("no-scheme", "www.facebook.com", "The scheme is part of the issuer."),
        ("upper-case-host", "https://WWW.FACEBOOK.COM", "Issuers are compared with case."),
        ("default-port", "https://www.facebook.com:443", "No URL normalisation takes place."),
        ("path", "https://www.facebook.com/dialog/oauth", "A longer string is another issuer."),
        ("limited-host", "https://limited.facebook.com", "The host that serves the keys is not an issuer."),
        ("other-sub-domain", "https://evil.facebook.com", "A sub-domain is another issuer."),
        ("suffix", "https://www.facebook.com.evil.example", "The allowed issuer is only a prefix here."),
        ("look-alike", "https://notfacebook.com", "The allowed host is only a suffix here."),
        ("google", "https://accounts.google.com", "Another provider's tokens do not pass."),
    ]:
        g.refuse(f"facebook-issuer-{slug}", "issuer", why, claims={"iss": issuer})
    g.refuse("facebook-issuer-before-key", "issuer", "A foreign issuer is refused before any key is looked for.",
             header={"kid": "0" * 40}, claims={"iss": "https://accounts.google.com"})
    return g


def audiences() -> list[TokenGroup]:
    g = group("audience")
    g.accept("facebook-audience-array-of-one", "An array with one entry means that entry.",
             claims={"aud": [APP_ID]}, expect={"claims": {"aud": [APP_ID]}, "notes": []})
    g.refuse("facebook-audience-other-app", "audience", "A token made for another app is worth nothing here.",
             claims={"aud": OTHER_APP_ID})
    g.refuse("facebook-audience-number", "claim-type", "App IDs look like numbers and are strings.",
             claims={"aud": int(APP_ID)})
    g.refuse("facebook-audience-two-apps", "audience", "The second app is neither ours nor trusted.",
             claims={"aud": [APP_ID, OTHER_APP_ID], "azp": APP_ID})
    g.refuse("facebook-audience-longer", "audience", "An app ID that only begins like ours.",
             claims={"aud": APP_ID + "0"})
    several = group("several own apps", audiences=[APP_ID, OTHER_APP_ID])
    several.accept("facebook-own-second-app", "Any of our own app IDs will do.", claims={"aud": OTHER_APP_ID},
                   expect={"claims": {"aud": OTHER_APP_ID}, "notes": []})
    several.refuse("facebook-own-neither-app", "audience", "A third app is still a stranger.", claims={"aud": "999"})
    return [g, several]


def identifiers() -> TokenGroup:
    g = group("jti, sub and nonce")
    g.refuse("facebook-jti-absent", "missing-claim", "Facebook's tokens always have a jti.", claims={"jti": ABSENT})
    g.refuse("facebook-jti-empty", "missing-claim", "An empty jti counts as none.", claims={"jti": ""})
    g.refuse("facebook-jti-number", "claim-type", "jti is a string (RFC 7519 section 4.1.7).", claims={"jti": 12})
    g.refuse("facebook-jti-null", "missing-claim", "null says nothing, like an absent claim.",
             claims={"jti": None})
    g.refuse("facebook-sub-number", "claim-type", "User IDs look like numbers and are strings.",
             claims={"sub": int(USER_ID)})
    g.refuse("facebook-sub-empty", "subject", "Nobody is called nothing.", claims={"sub": ""})
    g.refuse("facebook-sub-absent", "missing-claim", "A token must say whom it is about.", claims={"sub": ABSENT})
    g.refuse("facebook-nonce-absent", "nonce", "A nonce was sent, so one must come back.", claims={"nonce": ABSENT})
    g.refuse("facebook-nonce-other", "nonce", "The token answers another login.", claims={"nonce": NONCE + "x"})
    g.refuse("facebook-nonce-empty", "nonce", "An empty nonce is not the one that was sent.", claims={"nonce": ""})
    return g


def times() -> list[TokenGroup]:
    g = group("times")
    g.accept("facebook-expires-in-one-second", "The last second of a token's life.",
             claims={"iat": NOW - 3599, "exp": NOW + 1}, expect={"notes": []})
    g.refuse("facebook-expires-now", "expired", "On the second of exp the token is no longer good (RFC 7519 4.1.4).",
             claims={"iat": NOW - 3600, "exp": NOW})
    g.refuse("facebook-expired-long-ago", "expired", "A token of last week.",
             claims={"iat": NOW - 604_800, "exp": NOW - 601_200})
    g.accept("facebook-issued-now", "iat may be this very second.", claims={"iat": NOW, "exp": NOW + 3600},
             expect={"notes": []})
    g.refuse("facebook-issued-in-one-second", "issued-in-future", "No leeway is configured.",
             claims={"iat": NOW + 1, "exp": NOW + 3601})
    g.accept("facebook-eleven-minutes-old", "Without a maximal age only exp ends a token.",
             claims={"iat": NOW - 660, "exp": NOW + 2940}, expect={"notes": []})
    g.refuse("facebook-exp-string", "claim-type", "Digits in quotes are a string.", claims={"exp": str(NOW + 3540)})
    aged = group("at most ten minutes old", maxAge=600)
    aged.accept("facebook-age-exactly-max", "Ten minutes to the second.",
                claims={"iat": NOW - 600, "exp": NOW + 3000}, expect={"notes": []})
    aged.refuse("facebook-age-over-max", "too-old", "One second more.", claims={"iat": NOW - 601, "exp": NOW + 2999})
    return [g, aged]


def groups() -> list[TokenGroup]:
    return [whole_tokens(), header_rows(), issuers(), *audiences(), identifiers(), *times()]
