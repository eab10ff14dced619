"""access-tokens.json, first part: access tokens by RFC 9068, their form, type, issuer, audience, key and order."""

from keyring import KEYRING, b64u, key_set, un_b64u
from model import NOW, TokenGroup
from tokens import ABSENT, json_bytes, sign, signing_input, split

ISSUER, API, CLIENT = "https://as.example", "https://api.example", "client-1"
RSA, SECOND, EC, ATTACKER = (KEYRING[name] for name in ("issuer-a", "issuer-b", "ec-p256", "attacker"))
TOKEN_BYTES_MAX = 16_384
HEADER = {"alg": "RS256", "typ": "at+jwt", "kid": RSA.kid}
CLAIMS = {
    "iss": ISSUER, "aud": API, "sub": "subject-1", "client_id": CLIENT, "jti": "token-1", "iat": NOW - 60,
    "exp": NOW + 3540, "scope": "orders:read profile",
}


def group(name: str, keys=None, claims=None, **policy) -> TokenGroup:
    policy = {"issuers": [ISSUER], "audiences": [API], "now": NOW, **policy}
    return TokenGroup(f"access token: {name}", "access-token", policy, keys or key_set(RSA, SECOND, EC), header=HEADER,
                      claims={**CLAIMS, **(claims or {})})


def returned() -> TokenGroup:
    g = group("what is returned")
    g.accept("access-good", "The example of RFC 9068 section 2.2, with our names.", expect={
        "claims": CLAIMS, "client": CLIENT, "scopes": ["orders:read", "profile"], "roles": [], "groups": [],
        "entitlements": []})
    g.accept("access-scope-absent", "scope is optional: there are none.", claims={"scope": ABSENT},
             expect={"scopes": []})
    g.accept("access-scope-empty", "An empty scope has none.", claims={"scope": ""}, expect={"scopes": []})
    g.accept("access-scope-spaces", "Several spaces separate like one.", claims={"scope": "  b   a "},
             expect={"scopes": ["a", "b"]})
    g.accept("access-scope-twice", "A scope that is named twice counts once.", claims={"scope": "a a"},
             expect={"scopes": ["a"]})
    g.accept("access-scope-printable", "Any printable ASCII except the quotation mark and the backslash.",
             claims={"scope": "!#$%&'()*+,-./:;<=>?@[]^_`{|}~"}, expect={"scopes": ["!#$%&'()*+,-./:;<=>?@[]^_`{|}~"]})
    g.accept("access-attributes", "roles, groups and entitlements (RFC 9068 section 2.2.3.1).",
             claims={"roles": ["admin"], "groups": ["a", "b"], "entitlements": []},
             expect={"roles": ["admin"], "groups": ["a", "b"], "entitlements": []})
    g.accept("access-attributes-complex", "They may be objects with a value (RFC 7643 section 2.4).",
             claims={"groups": [{"value": "a", "display": "A"}, "b"]}, expect={"groups": ["a", "b"]})
    g.accept("access-authentication", "auth_time, acr and amr are returned and not judged.",
             claims={"auth_time": NOW - 100, "acr": "urn:any", "amr": ["pwd", "otp"]},
             expect={"claims": {"auth_time": NOW - 100, "acr": "urn:any", "amr": ["pwd", "otp"]}})
    g.accept("access-amr-objects", "Some issuers write methods as objects.",
             claims={"amr": [{"method": "password", "timestamp": 1}]})
    g.accept("access-cnf", "The verifier of the token does not see the request: cnf is for another check.",
             claims={"cnf": {"jkt": "x"}}, expect={"claims": {"cnf": {"jkt": "x"}}})
    return g


def larger_sizes() -> TokenGroup:
    g = group("larger sizes", tokenBytes=20_000, headerBytes=5000)
    g.accept("access-size-20000", "The largest token by this policy.", token=sized(20_000))
    g.refuse("access-size-20001", "too-large", "One byte more.", token=sized(20_001))
    g.accept("access-header-5000", "The largest header by this policy.", token=sign(RSA, padded_header(5000), CLAIMS))
    g.refuse("access-header-5001", "too-large", "One byte more.", token=sign(RSA, padded_header(5001), CLAIMS))
    return g


def form() -> TokenGroup:
    g = group("form")
    good = g.token()
    header, payload, signature = split(good)
    g.accept("access-form-good", "The twin of the next ones.")
    g.accept("access-size-16384", "The largest token.", token=sized(TOKEN_BYTES_MAX))
    g.refuse("access-size-16385", "too-large", "One byte more.", token=sized(TOKEN_BYTES_MAX + 1))
    g.accept("access-header-4096", "The largest header.", token=sign(RSA, padded_header(4096), CLAIMS))
    g.refuse("access-header-4097", "too-large", "One byte more.", token=sign(RSA, padded_header(4097), CLAIMS))
    for slug, code, token, why in [
        ("two-parts", "segments", f"{header}.{payload}", "The signature is missing."),
        ("four-parts", "segments", f"{good}.AAAA", "A part too many."),
        ("unsigned", "segments", f"{header}.{payload}.", "The signature is empty."),
        ("opaque", "segments", "2YotnFZFEjr1zCsicMWpAA", "An opaque token, as in RFC 6749 section 4.1.4."),
        ("five-parts", "encrypted-token", f"{good}.AAAA.AAAA", "Five parts: an encrypted token."),
        ("jwe", "encrypted-token", f"{b64u(b'{}')}.AAAA.AAAA.AAAA.AAAA", "Five parts: an encrypted token."),
        ("bearer", "encoding", f"Bearer {good}", "The whole of an Authorization field."),
        ("newline", "encoding", good + "\n", "Nothing is trimmed."),
        ("padded", "encoding", f"{header}.{payload}.{signature}==", "Padding in the signature."),
        ("empty-payload", "payload", f"{signing_input(HEADER, b'').decode()}.{signature}", "No claims at all."),
    ]:
        g.refuse(f"access-form-{slug}", code, why, token=token)
    g.refuse("access-header-array", "header", "Not an object.", raw_header=b"[1]")
    g.refuse("access-header-duplicate", "header", "Which typ holds?",
             raw_header=json_bytes(HEADER)[:-1] + b',"typ":"at+jwt"}')
    g.refuse("access-header-enc", "header", "A parameter of JWE in a signed token.", header={"enc": "A128GCM"})
    g.refuse("access-crit", "critical-header", "No extension is understood.", header={"crit": ["x"], "x": 1},
             by_hand=True)
    g.refuse("access-b64-false", "critical-header", "An unencoded payload.", header={"b64": False}, by_hand=True)
    g.accept("access-b64-true", "It asks for what is done anyway.", header={"b64": True}, by_hand=True)
    g.refuse("access-payload-array", "payload", "Not an object.", raw_payload=b"[" + json_bytes(CLAIMS) + b"]")
    g.refuse("access-payload-duplicate", "payload", "Which scope holds?",
             raw_payload=json_bytes(CLAIMS)[:-1] + b',"scope":"orders:write"}')
    return g


def sized(size: int) -> str:
    """A good token of exactly this many bytes."""
    for in_header in range(4):
        header = {**HEADER, "pad": "h" * in_header}
        spare = size - len(sign(RSA, header, {**CLAIMS, "pad": ""}))
        for in_payload in range(spare * 3 // 4 - 4, spare * 3 // 4 + 4):
            token = sign(RSA, header, {**CLAIMS, "pad": "p" * in_payload})
            if len(token) == size:
                return token
    raise AssertionError(f"no token has {size} bytes")


def padded_header(size: int) -> dict:
    header = {**HEADER, "pad": ""}
    return {**header, "pad": "h" * (size - len(json_bytes(header)))}


def token_types() -> TokenGroup:
    g = group("type")
    for slug, value in {
        "at-jwt": "at+jwt", "prefixed": "application/at+jwt", "upper-case": "AT+JWT", "both": "Application/At+Jwt",
    }.items():
        g.accept(f"access-typ-{slug}", "The media type of RFC 9068 section 2.1, in any case.", header={"typ": value})
    g.refuse("access-typ-absent", "token-type", "RFC 9068 section 4 requires it.", header={"typ": ABSENT})
    for slug, value, why in [
        ("jwt", "JWT", "An ID token, or any other."), ("logout", "logout+jwt", "A logout token."),
        ("dpop", "dpop+jwt", "A proof."), ("event", "secevent+jwt", "A security event token."),
        ("client-assertion", "client-authentication+jwt", "A client assertion."), ("empty", "", "No type at all."),
        ("space", "at+jwt ", "Nothing is trimmed."), ("longer", "at+jwts", "Another name."),
        ("twice-prefixed", "application/application/at+jwt", "One prefix is optional."),
    ]:
        g.refuse(f"access-typ-{slug}", "token-type", why, header={"typ": value})
    g.refuse("access-typ-number", "token-type", "typ must be a string.", header={"typ": 1}, by_hand=True)
    g.refuse("access-typ-null", "token-type", "typ must be a string.", header={"typ": None}, by_hand=True)
    g.refuse("access-cty-jwt", "token-type", "A token within a token.", header={"cty": "JWT"})
    g.accept("access-cty-json", "Another content type does no harm.", header={"cty": "json"})
    g.refuse("access-events", "token-type", "A security event token has events (RFC 8417 section 2.2).",
             claims={"events": {}})
    g.refuse("access-at-hash", "token-type", "Only an ID token has the hash of an access token.",
             claims={"at_hash": "x"})
    g.refuse("access-c-hash", "token-type", "Only an ID token has the hash of a code.", claims={"c_hash": None})
    g.accept("access-nonce-typed", "typ shows an access token, so a nonce shows nothing.", claims={"nonce": "n"})
    g.accept("access-token-use", "token_use means something at one issuer only.", claims={"token_use": "id"})
    return g


def algorithms() -> list[TokenGroup]:
    g = group("algorithm")
    g.accept("access-alg-rs256", "The default.")
    for slug, value in {"none": "none", "lower-case": "rs256", "hs256": "HS256", "null": None}.items():
        g.refuse(f"access-alg-{slug}", "algorithm", "Signed well, with RS256; what alg says counts.",
                 header={"alg": value}, by_hand=True)
    g.refuse("access-alg-absent", "algorithm", "alg is required.", header={"alg": ABSENT}, by_hand=True)
    g.refuse("access-alg-rs384", "algorithm", "A right signature by an algorithm that is not allowed.",
             token=sign(RSA, {**HEADER, "alg": "RS384"}, CLAIMS))
    more = group("two algorithms", keys=key_set(RSA.public(alg=None), EC), algorithms=["RS384", "ES256"])
    more.accept("access-alg-rs384-allowed", "The same, allowed.", token=sign(RSA, {**HEADER, "alg": "RS384"}, CLAIMS))
    more.accept("access-alg-es256-allowed", "Another key with another algorithm.", key=EC,
                header={"alg": "ES256", "kid": EC.kid})
    more.refuse("access-alg-rs256-not-allowed", "algorithm", "The list replaces the default.")
    more.refuse("access-alg-other-key", "key-unusable", "The key that is named cannot have made it.", key=EC,
                header={"alg": "ES256"})
    return [g, more]


def issuers() -> list[TokenGroup]:
    g = group("issuer")
    g.accept("access-iss-same", "The one issuer.")
    g.refuse("access-iss-absent", "missing-claim", "It names its issuer.", claims={"iss": ABSENT})
    g.refuse("access-iss-null", "missing-claim", "null names no issuer.", claims={"iss": None})
    g.refuse("access-iss-array", "claim-type", "iss must be a string.", claims={"iss": [ISSUER]})
    for slug, value, why in [
        ("slash", ISSUER + "/", "A slash makes another issuer."), ("case", "https://AS.example", "Case counts."),
        ("http", "http://as.example", "The scheme counts."), ("longer", ISSUER + ".evil.example", "Another host."),
        ("empty", "", "No issuer."), ("client", CLIENT, "A client assertion names its client as its issuer."),
    ]:
        g.refuse(f"access-iss-{slug}", "issuer", why, claims={"iss": value})
    several = group("two spellings of the issuer", issuers=[ISSUER, ISSUER + "/"])
    several.accept("access-iss-second", "Both spellings are configured.", claims={"iss": ISSUER + "/"})
    several.refuse("access-iss-third", "issuer", "No other is.", claims={"iss": ISSUER + "//"})
    return [g, several]


def audiences() -> list[TokenGroup]:
    g = group("audience")
    g.accept("access-aud-string", "One audience.")
    g.accept("access-aud-list", "The same in a list.", claims={"aud": [API]})
    g.accept("access-aud-others", "Others may be named too (RFC 9068 section 4).",
             claims={"aud": ["https://as.example/userinfo", API]})
    for slug, value, why in [
        ("other", "https://other.example", "Another API's."), ("slash", API + "/", "A slash makes another."),
        ("case", "https://API.example", "Case counts."), ("client", CLIENT, "The audience of an ID token."),
        ("joined", f"{API} https://other.example", "One string is one audience."), ("empty", [], "Nobody's."),
    ]:
        g.refuse(f"access-aud-{slug}", "audience", why, claims={"aud": value})
    g.refuse("access-aud-absent", "missing-claim", "It names its audience.", claims={"aud": ABSENT})
    g.refuse("access-aud-null", "missing-claim", "null names no audience.", claims={"aud": None})
    for slug, value in {"number": 1, "mixed": [API, 1], "object": {API: True}}.items():
        g.refuse(f"access-aud-{slug}", "claim-type", "aud must be a string or an array of strings.",
                 claims={"aud": value})
    several = group("two audiences", audiences=[API, "api-1"])
    several.accept("access-aud-second", "Either of ours will do.", claims={"aud": "api-1"})
    several.refuse("access-aud-part", "audience", "A part of one of ours.", claims={"aud": "api"})
    return [g, several]


def key_choice() -> list[TokenGroup]:
    g = group("key")
    g.accept("access-kid", "The key that is named.")
    g.refuse("access-kid-unknown", "key-not-found", "No key has this ID.", header={"kid": "unknown"})
    g.refuse("access-kid-case", "key-not-found", "Case counts.", header={"kid": RSA.kid.upper()})
    g.refuse("access-kid-absent", "key-ambiguous", "Two keys could have signed it, and none is named.",
             header={"kid": ABSENT})
    g.refuse("access-kid-empty", "key-id", "An empty ID.", header={"kid": ""})
    g.refuse("access-kid-number", "key-id", "kid must be a string.", header={"kid": 1}, by_hand=True)
    g.refuse("access-kid-257", "key-id", "A byte too long.", header={"kid": "k" * 257})
    g.refuse("access-kid-other-type", "key-unusable", "A key of another type.", header={"kid": EC.kid})
    one = group("one key", keys=key_set(RSA, EC))
    one.accept("access-kid-absent-one-key", "Only one key fits.", header={"kid": ABSENT})
    one.refuse("access-kid-absent-other-signer", "signature", "Only one key fits, and another signed.",
               header={"kid": ABSENT}, key=SECOND)
    large = KEYRING["rsa-3072"]
    twice = group("an ID twice", keys=key_set(RSA, SECOND.public(kid=RSA.kid), large))
    twice.accept("access-kid-once", "One key has this ID.", header={"kid": large.kid}, key=large)
    twice.accept("access-kid-twice", "Two keys have this ID, and the first signed.")
    twice.accept("access-kid-twice-second", "Two keys have this ID, and the second signed.",
                 header={"kid": RSA.kid}, key=SECOND)
    many = group("an ID five times", keys=key_set(RSA, large, *(
        KEYRING[name].public(kid=RSA.kid) for name in ("issuer-b", "attacker", "rsa-4096", "rsa-e3"))))
    many.accept("access-kid-once-beside-five", "One key has this ID.", header={"kid": large.kid}, key=large)
    many.refuse("access-kid-five-times", "key-ambiguous", "Of more than four keys none is tried.")
    unfit = group("unfit keys", keys=key_set(
        RSA.public(use="enc"), KEYRING["rsa-1024-weak"], {"kty": "XYZ", "kid": "unknown-type"}, SECOND))
    unfit.accept("access-key-beside-unfit", "The other keys do no harm.", header={"kid": SECOND.kid}, key=SECOND)
    unfit.refuse("access-key-enc", "key-unusable", "A key for encryption.")
    unfit.refuse("access-key-weak", "key-unusable", "Too short.", header={"kid": KEYRING["rsa-1024-weak"].kid},
                 key=KEYRING["rsa-1024-weak"])
    none = group("no key of this type", keys=key_set(EC), algorithms=["RS256", "ES256"])
    none.accept("access-kid-absent-other-algorithm", "The only key fits.", header={"alg": "ES256", "kid": ABSENT},
                key=EC)
    none.refuse("access-kid-absent-no-key", "key-not-found", "No key fits.", header={"kid": ABSENT})
    return [g, one, twice, many, unfit, none]


def signatures() -> TokenGroup:
    g = group("signature")
    good = g.token()
    header, payload, signature = split(good)
    other = g.token(claims={"scope": "orders:write"})
    g.accept("access-signature-good", "The twin of the next ones.")
    g.refuse("access-signature-attacker", "signature", "Another key signed.", key=ATTACKER)
    g.refuse("access-signature-second-key", "signature", "The issuer's other key signed.", key=SECOND)
    g.refuse("access-signature-embedded-key", "signature", "A key in the header means nothing.", key=ATTACKER,
             header={"jwk": ATTACKER.public()})
    g.refuse("access-signature-other-payload", "signature", "The signature of another token.",
             token=f"{header}.{split(other)[1]}.{signature}")
    g.refuse("access-signature-short", "signature", "A byte too short.",
             token=f"{header}.{payload}.{b64u(un_b64u(signature)[:-1])}")
    return g


def order() -> list[TokenGroup]:
    g = group("order of the checks", requiredScopes=["orders:read"], allowedClients=[CLIENT],
              requiredValues={"tenant": ["t1"]}, claims={"tenant": "t1"}, maxAge=3600)
    g.accept("access-order-good", "The twin of the next ones.")
    steps = [
        ("typ", "token-type", {"typ": "JWT"}, {}), ("alg", "algorithm", {"alg": "none"}, {}),
        ("at-hash", "token-type", {}, {"at_hash": "x"}), ("iss", "issuer", {}, {"iss": "x"}),
        ("aud", "audience", {}, {"aud": "x"}), ("kid", "key-id", {"kid": ""}, {}),
        ("missing", "missing-claim", {}, {"jti": ABSENT}), ("type", "claim-type", {}, {"nbf": "x"}),
        ("value", "claim-value", {}, {"tenant": "t2"}), ("client", "authorized-party", {}, {"client_id": "x"}),
        ("subject", "subject", {}, {"sub": ""}), ("expired", "expired", {}, {"exp": NOW - 1}),
        ("nbf", "not-yet-valid", {}, {"nbf": NOW + 9}), ("age", "too-old", {}, {"iat": NOW - 3601}),
        ("scope", "insufficient-scope", {}, {"scope": "x"}),
    ]
    for (slug, code, header, claims), (later, _, more_header, more_claims) in zip(steps, steps[1:]):
        g.refuse(f"access-order-{slug}-before-{later}", code, "Two faults: the first check that fails gives the code.",
                 header={**more_header, **header}, claims={**more_claims, **claims}, by_hand=True)
    g.refuse("access-order-kid-before-signature", "key-id", "A bad kid, and another key signed.",
             header={"kid": ""}, key=ATTACKER)
    g.refuse("access-order-signature-before-missing", "signature", "Claims of a forger are not judged.",
             claims={"jti": ABSENT}, key=ATTACKER)
    g.refuse("access-order-signature-before-expired", "signature", "Claims of a forger are not judged.",
             claims={"exp": NOW - 1}, key=ATTACKER)
    g.refuse("access-order-audience-before-key", "audience", "No key is looked up for another API's token.",
             header={"kid": "unknown"}, claims={"aud": "x"})
    return [g]


def groups() -> list[TokenGroup]:
    return [returned(), form(), larger_sizes(), token_types(), *algorithms(), *issuers(), *audiences(), *key_choice(),
            signatures(), *order()]
