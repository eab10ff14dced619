"""access-tokens.json, second part: claims, times, clients, scopes and required values of access tokens."""

from access_cases import CLIENT, group
from model import NOW, TokenGroup
from tokens import ABSENT, Raw

LATEST = 253_402_300_799  # 9999-12-31T23:59:59Z
SCOPES_OF_OTHER_FORMS = {
    "array": ["orders:read"], "quotation-mark": 'a"b', "backslash": "a\\b", "tab": "a\tb", "beyond-ascii": "caf\u00e9",
}


def required() -> TokenGroup:
    g = group("required claims")
    g.accept("access-required-all", "The claims of RFC 9068 section 2.2.")
    for name in ("sub", "exp", "iat", "jti", "client_id"):
        g.refuse(f"access-{name.replace('_', '-')}-absent", "missing-claim", f"{name} is required.",
                 claims={name: ABSENT})
        g.refuse(f"access-{name.replace('_', '-')}-type-null", "missing-claim", "null says nothing.", claims={name: None})
    g.refuse("access-jti-empty", "missing-claim", "An empty ID is none.", claims={"jti": ""})
    g.refuse("access-client-id-empty", "missing-claim", "An empty client is none.", claims={"client_id": ""})
    g.refuse("access-client-id-as-azp", "missing-claim", "Another claim does not stand for it.",
             claims={"client_id": ABSENT, "azp": CLIENT})
    return g


def types() -> TokenGroup:
    g = group("types of claims")
    g.accept("access-types-good", "The twin of the next ones.", claims={
        "acr": "1", "amr": ["pwd"], "auth_time": NOW - 5, "roles": ["r"], "groups": ["g"], "entitlements": ["e"]})
    for name, values in {
        "sub": {"number": 1}, "jti": {"number": 1}, "client_id": {"array": [CLIENT]},
        "exp": {"string": str(NOW + 9), "late": LATEST + 1, "huge": Raw("1e400")},
        "iat": {"string": str(NOW), "negative": -1, "true": True},
        "nbf": {"string": str(NOW - 9)},
    }.items():
        for slug, value in values.items():
            g.refuse(f"access-{name.replace('_', '-')}-type-{slug}", "claim-type",
                     f"{name} has a wrong type; it does not count as absent.", claims={name: value})
    for name, values in {
        "acr": {"null": None, "number": 1}, "scope": {"null": None, **SCOPES_OF_OTHER_FORMS},
        "roles": {"string": "admin", "number": [1], "object": {"admin": True}, "no-value": [{"name": "admin"}]},
        "groups": {"null": None, "string": "a"}, "entitlements": {"null": None, "mixed": ["a", None]},
        "amr": {"null": None, "string": "pwd", "number": [1]},
        "auth_time": {"null": None, "string": "1", "negative": -1, "late": LATEST + 1},
        "nbf": {"null": None},
    }.items():
        for slug, value in values.items():
            g.accept(f"access-{name.replace('_', '-')}-type-{slug}", f"Nothing uses {name}; the result has no value for it.",
                     claims={name: value}, expect={name: []} if name in ("roles", "groups", "entitlements") else
                     {"scopes": []} if name == "scope" else None)
    g.accept("access-exp-latest", "The last second of the year 9999.", claims={"exp": LATEST})
    g.accept("access-exp-fraction", "A time may have a fraction.", claims={"exp": NOW + 0.5})
    return g


def subjects() -> TokenGroup:
    g = group("subject")
    g.accept("access-sub-user", "A user.")
    g.accept("access-sub-client", "A client without a user is the subject itself (RFC 9068 section 2.2).",
             claims={"sub": CLIENT})
    g.accept("access-sub-1024", "The longest subject.", claims={"sub": "s" * 1024})
    g.refuse("access-sub-1025", "subject", "One byte more.", claims={"sub": "s" * 1025})
    g.accept("access-sub-beyond-ascii", "Bytes beyond ASCII are allowed here.", claims={"sub": "s\u00e9"})
    g.accept("access-sub-1024-beyond-ascii", "Counted in bytes of UTF-8.", claims={"sub": "\u00e9" * 512})
    g.refuse("access-sub-1025-beyond-ascii", "subject", "Counted in bytes of UTF-8.",
             claims={"sub": "s" + "\u00e9" * 512})
    g.refuse("access-sub-empty", "subject", "Nobody.", claims={"sub": ""})
    return g


def times() -> list[TokenGroup]:
    exact = group("times, without leeway")
    exact.accept("access-exp-next", "The last second.", claims={"exp": NOW + 1})
    exact.refuse("access-exp-now", "expired", "A token is expired at its exp.", claims={"exp": NOW})
    exact.refuse("access-exp-past", "expired", "Over.", claims={"exp": NOW - 1})
    exact.accept("access-nbf-now", "Valid from now on.", claims={"nbf": NOW})
    exact.refuse("access-nbf-next", "not-yet-valid", "A second too early.", claims={"nbf": NOW + 1})
    exact.accept("access-iat-now", "Issued now.", claims={"iat": NOW})
    exact.refuse("access-iat-next", "issued-in-future", "Issued in a second.", claims={"iat": NOW + 1})
    leeway = group("times, with leeway", leeway=30)
    leeway.accept("access-leeway-exp", "The last second of the leeway.", claims={"exp": NOW - 29})
    leeway.refuse("access-leeway-exp-over", "expired", "The leeway is over.", claims={"exp": NOW - 30})
    leeway.refuse("access-leeway-never-valid", "expired", "exp is not after iat, whatever the leeway.",
                  claims={"iat": NOW - 5, "exp": NOW - 5})
    leeway.accept("access-leeway-hardly-valid", "exp is just after iat.", claims={"iat": NOW - 5, "exp": NOW - 4})
    leeway.accept("access-leeway-nbf", "Within the leeway.", claims={"nbf": NOW + 30})
    leeway.refuse("access-leeway-nbf-over", "not-yet-valid", "Beyond it.", claims={"nbf": NOW + 31})
    leeway.accept("access-leeway-iat", "Within the leeway.", claims={"iat": NOW + 30})
    leeway.refuse("access-leeway-iat-over", "issued-in-future", "Beyond it.", claims={"iat": NOW + 31})
    aged = group("age", maxAge=600, leeway=30)
    aged.accept("access-age-630", "As old as may be.", claims={"iat": NOW - 630})
    aged.refuse("access-age-631", "too-old", "A second older.", claims={"iat": NOW - 631})
    aged.refuse("access-age-day", "too-old", "Not expired, and too old.", claims={"iat": NOW - 86_400})
    return [exact, leeway, aged]


def clients() -> TokenGroup:
    g = group("client", allowedClients=[CLIENT, "client-2"])
    g.accept("access-client-first", "An allowed client.", expect={"client": CLIENT})
    g.accept("access-client-second", "Another allowed client.", claims={"client_id": "client-2"},
             expect={"client": "client-2"})
    for slug, value in {"other": "client-3", "case": "Client-1", "part": "client", "space": "client-1 "}.items():
        g.refuse(f"access-client-{slug}", "authorized-party", "Not an allowed client.", claims={"client_id": value})
    return g


def scopes() -> list[TokenGroup]:
    one = group("a required scope", requiredScopes=["orders:read"])
    one.accept("access-scope-only", "It alone.", claims={"scope": "orders:read"})
    one.accept("access-scope-among-others", "With others.", claims={"scope": "a orders:read b"})
    for slug, value in {
        "other": "orders:write", "prefix": "orders", "longer": "orders:readall", "case": "Orders:read",
        "comma": "a,orders:read", "none": "", "absent": ABSENT,
    }.items():
        one.refuse(f"access-scope-required-{slug}", "insufficient-scope", "It does not have the scope.",
                   claims={"scope": value})
    one.refuse("access-scope-required-null", "insufficient-scope", "null says nothing.", claims={"scope": None})
    for slug, value in SCOPES_OF_OTHER_FORMS.items():
        one.refuse(f"access-scope-required-{slug}", "claim-type", "scope has another form, and the policy uses it.",
                   claims={"scope": value})
    one.refuse("access-scope-in-scp", "insufficient-scope", "Another claim does not stand for scope.",
               claims={"scope": ABSENT, "scp": "orders:read"})
    two = group("two required scopes", requiredScopes=["orders:read", "orders:write"])
    two.accept("access-scopes-both", "Both, in any order.", claims={"scope": "orders:write orders:read"})
    two.refuse("access-scopes-first", "insufficient-scope", "The second is missing.", claims={"scope": "orders:read"})
    two.refuse("access-scopes-second", "insufficient-scope", "The first is missing.", claims={"scope": "orders:write"})
    return [one, two]


def required_values() -> list[TokenGroup]:
    g = group("a required value", requiredValues={"tenant": ["t1", "t2"]}, claims={"tenant": "t1"})
    g.accept("access-value-first", "One of the values.")
    g.accept("access-value-second", "Another of them.", claims={"tenant": "t2"})
    g.accept("access-value-list", "One of the entries is one of the values.", claims={"tenant": ["t9", "t2"]})
    for slug, value in {
        "other": "t3", "absent": ABSENT, "null": None, "number": 1, "true": True, "empty": "", "empty-list": [],
        "list-of-others": ["t3", "t4"], "mixed-list": ["t1", 1], "object": {"t1": True}, "case": "T1",
    }.items():
        g.refuse(f"access-value-{slug}", "claim-value", "tenant must be t1 or t2.", claims={"tenant": value})
    two = group("two required values", requiredValues={"tenant": ["t1"], "plan": ["paid"]},
                claims={"tenant": "t1", "plan": "paid"})
    two.accept("access-values-both", "Both are as required.")
    two.refuse("access-values-one", "claim-value", "One of two.", claims={"plan": "free"})
    return [g, two]


def groups() -> list[TokenGroup]:
    return [required(), types(), subjects(), *times(), clients(), *scopes(), *required_values()]
