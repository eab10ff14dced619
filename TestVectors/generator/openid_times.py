"""openid.json, second part: exp, iat, nbf, leeway and age; and which of two faults is reported."""

from keyring import KEYRING
from model import NOW, TokenGroup
from openid_claims import CLIENT, LATEST, group, null_is_missing, wrong_types
from tokens import ABSENT, Raw, split

TIME_TYPES = {"string": str(NOW), "true": True, "array": [NOW], "object": {"seconds": NOW}}
OUT_OF_RANGE = {
    "minus-one": (Raw("-1"), "Before 1970."),
    "minus-half": (Raw("-0.5"), "Before 1970, if only just."),
    "year-10000": (Raw(str(LATEST + 1)), "The first second of the year 10000."),
    "past-year-9999": (Raw(f"{LATEST}.5"), "Half a second past the last one allowed."),
    "two-to-the-63": (Raw("9223372036854775808"), "Does not fit a signed 64-bit integer."),
    "two-to-the-64": (Raw("18446744073709551616"), "Does not fit an unsigned 64-bit integer."),
    "1e300": (Raw("1e300"), "A double, but no time."),
    "1e400": (Raw("1e400"), "Not even a double."),
}


def expiry() -> TokenGroup:
    g = group("exp")
    g.accept("openid-exp-next-second", "One second is left.", claims={"exp": NOW + 1})
    g.refuse("openid-exp-now", "expired", "now must be before exp (OpenID Connect Core 3.1.3.7).", claims={"exp": NOW})
    g.refuse("openid-exp-zero", "expired", "Zero is a time: the first second of 1970.",
             claims={"exp": 0, "iat": 0})
    g.accept("openid-exp-fraction", "Half a second is left; times may have fractions (RFC 7519 section 2).",
             claims={"exp": NOW + 0.5})
    g.refuse("openid-exp-fraction-past", "expired", "Half a second too late.", claims={"exp": NOW - 0.5})
    g.refuse("openid-exp-now-with-fraction", "expired", "The same second, written with a fraction of zero.",
             claims={"exp": Raw(f"{NOW}.000")})
    g.accept("openid-exp-exponent", "An exponent is a way to write a number.", claims={"exp": Raw("1.7600036e9")})
    g.refuse("openid-exp-exponent-now", "expired", "1.76e9 is exactly now.", claims={"exp": Raw("1.76e9")})
    g.refuse("openid-exp-exponent-past", "expired", "1.7e9 was in 2023.", claims={"exp": Raw("1.7e9"), "iat": 1})
    g.accept("openid-exp-last", "The last second that is allowed.", claims={"exp": LATEST})
    g.refuse("openid-exp-absent", "missing-claim", "exp is required.", claims={"exp": ABSENT})
    null_is_missing(g, "exp")
    wrong_types(g, "exp", TIME_TYPES)
    for slug, (value, why) in OUT_OF_RANGE.items():
        g.refuse(f"openid-exp-{slug}", "claim-type", why, claims={"exp": value})
    g.refuse("openid-exp-other-case-name", "missing-claim", "EXP is not exp.",
             claims={"exp": ABSENT, "EXP": NOW + 3540})
    return g


def issue_time() -> TokenGroup:
    g = group("iat")
    g.accept("openid-iat-now", "Issued this second.", claims={"iat": NOW})
    g.refuse("openid-iat-next-second", "issued-in-future", "Issued one second from now.", claims={"iat": NOW + 1})
    g.refuse("openid-iat-in-an-hour", "issued-in-future", "Issued in an hour.",
             claims={"iat": NOW + 3600, "exp": NOW + 7200})
    g.accept("openid-iat-zero", "Old, and no maximal age is set.", claims={"iat": 0})
    g.accept("openid-iat-exponent", "1e9 is a time in 2001.", claims={"iat": Raw("1e9")})
    g.refuse("openid-iat-absent", "missing-claim", "iat is required.", claims={"iat": ABSENT})
    null_is_missing(g, "iat")
    wrong_types(g, "iat", TIME_TYPES)
    for slug in ("minus-one", "year-10000", "1e300", "1e400"):
        value, why = OUT_OF_RANGE[slug]
        g.refuse(f"openid-iat-{slug}", "claim-type", why, claims={"iat": value})
    g.refuse("openid-exp-equals-iat", "expired", "A token that lives for no time at all, though both lie ahead.",
             claims={"iat": NOW + 100, "exp": NOW + 100})
    g.refuse("openid-exp-before-iat", "expired", "A token that ended before it began.",
             claims={"iat": NOW + 200, "exp": NOW + 100})
    return g


def not_before() -> TokenGroup:
    g = group("nbf")
    g.accept("openid-nbf-now", "Valid from this second on.", claims={"nbf": NOW})
    g.refuse("openid-nbf-next-second", "not-yet-valid", "Valid from the next second on.", claims={"nbf": NOW + 1})
    g.refuse("openid-nbf-tomorrow", "not-yet-valid", "Valid from tomorrow on.",
             claims={"nbf": NOW + 86_400, "exp": NOW + 90_000})
    g.accept("openid-nbf-long-ago", "Valid since 1970.", claims={"nbf": 0})
    wrong_types(g, "nbf", TIME_TYPES)
    g.accept("openid-nbf-null", "null says nothing, like an absent nbf.", claims={"nbf": None})
    for slug in ("minus-one", "two-to-the-63", "1e400"):
        value, why = OUT_OF_RANGE[slug]
        g.refuse(f"openid-nbf-{slug}", "claim-type", why, claims={"nbf": value})
    return g


def leeway() -> list[TokenGroup]:
    g = group("leeway of thirty seconds", leeway=30)
    g.accept("openid-leeway-exp-inside", "29 seconds late is not too late.", claims={"exp": NOW - 29})
    g.refuse("openid-leeway-exp-at-edge", "expired", "30 seconds late is.", claims={"exp": NOW - 30})
    g.accept("openid-leeway-nbf-at-edge", "30 seconds early is not too early.", claims={"nbf": NOW + 30})
    g.refuse("openid-leeway-nbf-outside", "not-yet-valid", "31 seconds early is.", claims={"nbf": NOW + 31})
    g.accept("openid-leeway-iat-at-edge", "Issued by a clock 30 seconds ahead.", claims={"iat": NOW + 30})
    g.refuse("openid-leeway-iat-outside", "issued-in-future", "Issued by a clock 31 seconds ahead.",
             claims={"iat": NOW + 31})
    g.refuse("openid-leeway-not-for-lifetime", "expired", "Leeway does not help a token whose exp is its iat.",
             claims={"iat": NOW + 10, "exp": NOW + 10})
    g.accept("openid-leeway-one-second-life", "One second of life is enough.",
             claims={"iat": NOW + 10, "exp": NOW + 11})
    aged = group("maximal age", maxAge=600)
    aged.accept("openid-age-at-edge", "Ten minutes old to the second.", claims={"iat": NOW - 600})
    aged.refuse("openid-age-outside", "too-old", "One second more.", claims={"iat": NOW - 601})
    both = group("maximal age with leeway", maxAge=600, leeway=30)
    both.accept("openid-age-leeway-at-edge", "Leeway is added to the age.", claims={"iat": NOW - 630})
    both.refuse("openid-age-leeway-outside", "too-old", "One second more.", claims={"iat": NOW - 631})
    return [g, aged, both]


def flip_signature(token: str) -> str:
    header, payload, signature = split(token)
    return f"{header}.{payload}.{'B' if signature[0] == 'A' else 'A'}{signature[1:]}"


def order() -> TokenGroup:
    """Tokens with two faults; the one that is looked at first must be named."""
    g = group("order of the checks")
    expired = {"iat": NOW - 7200, "exp": NOW - 3600}
    g.refuse("order-encoding-before-algorithm", "encoding", "Padding in the payload, and alg none.",
             token=f"eyJhbGciOiJub25lIn0.{split(g.token())[1]}==.AAAA")
    g.refuse("order-header-before-critical", "header", "A parameter of JWE, and crit.",
             header={"enc": "A128GCM", "crit": ["exp"]}, by_hand=True)
    g.refuse("order-critical-before-type", "critical-header", "crit, and a foreign typ.",
             header={"crit": ["exp"], "typ": "at+jwt"}, by_hand=True)
    g.refuse("order-type-before-algorithm", "token-type", "A foreign typ, and alg none.",
             header={"typ": "at+jwt", "alg": "none"}, by_hand=True)
    g.refuse("order-algorithm-before-payload", "algorithm", "alg none, and a payload that is no object.",
             header={"alg": "none"}, raw_payload=b"[]", by_hand=True)
    g.refuse("order-payload-before-key", "payload", "A payload that is no object, and an unknown kid.",
             header={"kid": "nobody"}, raw_payload=b"[]")
    g.refuse("order-issuer-before-audience", "issuer", "Foreign issuer and foreign audience.",
             claims={"iss": "https://other.example", "aud": "client-2"})
    g.refuse("order-audience-before-key", "audience", "A foreign audience, and a kid that is no string.",
             claims={"aud": "client-2"}, header={"kid": 5}, by_hand=True)
    g.refuse("order-issuer-before-signature", "issuer", "A foreign issuer, and a bad signature.",
             token=flip_signature(g.token(claims={"iss": "https://other.example"})))
    g.refuse("order-key-before-signature", "key-not-found", "An unknown kid, and a bad signature.",
             token=flip_signature(g.token(header={"kid": "nobody"})))
    g.refuse("order-signature-before-expiry", "signature", "What an unsigned claim says is of no interest.",
             token=flip_signature(g.token(claims=expired)))
    g.refuse("order-signature-before-missing", "signature", "sub is missing, and a stranger signed.",
             claims={"sub": ABSENT}, key=KEYRING["attacker"])
    g.refuse("order-missing-before-type", "missing-claim", "exp is missing, and sub is a number.",
             claims={"exp": ABSENT, "sub": 5})
    g.refuse("order-type-before-party", "claim-type", "exp is a string, and azp is a stranger.",
             claims={"exp": "soon", "azp": "app-2"})
    g.refuse("order-party-before-subject", "authorized-party", "azp is a stranger, and sub is empty.",
             claims={"azp": "app-2", "sub": ""})
    g.refuse("order-subject-before-expiry", "subject", "sub is empty, and the token has expired.",
             claims={**expired, "sub": ""})
    g.refuse("order-expiry-before-nonce", "expired", "Expired, and the wrong nonce.",
             claims={**expired, "nonce": "other"})
    g.refuse("order-not-before-before-issued", "not-yet-valid", "nbf and iat both lie ahead.",
             claims={"nbf": NOW + 50, "iat": NOW + 50})
    g.refuse("order-issued-before-nonce", "issued-in-future", "iat lies ahead, and the wrong nonce.",
             claims={"iat": NOW + 50, "nonce": "other"})
    g.accept("order-nothing-wrong", "The twin without any fault.", expect={"claims": {"aud": CLIENT}})
    return g


def groups() -> list[TokenGroup]:
    return [expiry(), issue_time(), not_before(), *leeway(), order()]
