"""providers.json: Google, Apple and Microsoft, whose tokens keep to the standard with habits of their own."""

import hashlib

from keyring import KEYRING, key_set
from model import NOW, TokenGroup
from openid_context import half
from tokens import ABSENT, Raw

KEY, OTHER = KEYRING["issuer-a"], KEYRING["issuer-b"]
HEADER = {"alg": "RS256", "kid": KEY.kid, "typ": "JWT"}
NONCE = "made-up-nonce-77aa"

GOOGLE_CLIENT = "123456789012-madeup.apps.googleusercontent.com"
ANDROID_CLIENT = "123456789012-android.apps.googleusercontent.com"
GOOGLE_CLAIMS = {
    "iss": "https://accounts.google.com", "azp": GOOGLE_CLIENT, "aud": GOOGLE_CLIENT, "sub": "110000000000000000001",
    "hd": "example.org", "email": "quilla@example.org", "email_verified": True, "nonce": NONCE,
    "name": "Quilla Testperson", "iat": NOW - 60, "exp": NOW + 3540,
}
APPLE_CLIENT = "org.example.app"
APPLE_CLAIMS = {
    "iss": "https://appleid.apple.com", "aud": APPLE_CLIENT, "sub": "000000.0f1e2d3c4b5a69788796a5b4c3d2e1f0.0000",
    "nonce": NONCE, "email": "madeup@privaterelay.appleid.com", "email_verified": "true", "is_private_email": "true",
    "auth_time": NOW - 61, "nonce_supported": True, "iat": NOW - 60, "exp": NOW + 86_340,
}
MICROSOFT_CLIENT = "00000000-1111-2222-3333-444444444444"
TENANT, OTHER_TENANT = "aaaabbbb-0000-cccc-1111-dddd2222eeee", "99999999-8888-4777-8666-555555555555"
PERSONAL = "9188040d-6c67-4c5b-b112-36a304b66dad"
TEMPLATE = "https://login.microsoftonline.com/{tenantid}/v2.0"
MICROSOFT_CLAIMS = {
    "iss": TEMPLATE.replace("{tenantid}", TENANT), "aud": MICROSOFT_CLIENT, "sub": "AAAAAAAAAAAAAAAAAAAAAMadeUpSubject",
    "tid": TENANT, "oid": "00000000-0000-0000-0000-00000000000a", "ver": "2.0", "nonce": NONCE,
    "iat": NOW - 60, "nbf": NOW - 60, "exp": NOW + 3840,
}


def group(provider: str, name: str, keys=None, **policy_changes) -> TokenGroup:
    client, claims = {
        "google": (GOOGLE_CLIENT, GOOGLE_CLAIMS), "apple": (APPLE_CLIENT, APPLE_CLAIMS),
        "microsoft": (MICROSOFT_CLIENT, MICROSOFT_CLAIMS),
    }[provider]
    policy = {"provider": provider, "audiences": [client], "now": NOW, "nonce": {"exactly": NONCE}, **policy_changes}
    keys = keys or key_set(KEY, OTHER)
    return TokenGroup(f"{provider}: {name}", "id-token", policy, keys, header=HEADER, claims=claims)


def of_tenant(tenant: str) -> str:
    """The issuer of a tenant, as the template has it."""
    return TEMPLATE.replace("{tenantid}", tenant)


def kid_rows(g: TokenGroup, provider: str) -> None:
    g.refuse(f"{provider}-kid-absent", "key-id", "This provider always names its key.", header={"kid": ABSENT})
    g.refuse(f"{provider}-kid-unknown", "key-not-found", "No other key stands in for an unknown kid.",
             header={"kid": "nobody"})
    g.refuse(f"{provider}-attacker", "signature", "A stranger's key signed under a known kid.", key=KEYRING["attacker"])
    g.accept(f"{provider}-second-key", "The kid chooses.", header={"kid": OTHER.kid}, key=OTHER)
    g.refuse(f"{provider}-alg-es256", "algorithm", "Only RS256 is allowed unless a policy says otherwise.",
             header={"alg": "ES256", "kid": KEYRING["ec-p256"].kid}, key=KEYRING["ec-p256"])


def foreign_issuers(g: TokenGroup, provider: str, own: str) -> None:
    for slug, issuer, why in [
        ("slash", own + "/", "A slash makes another issuer."),
        ("http", own.replace("https:", "http:"), "The scheme counts."),
        ("suffix", own + ".evil.example", "The allowed issuer is only a prefix here."),
        ("port", own.replace(".com", ".com:443"), "The default port is not taken away."),
        ("upper-case", own.upper(), "Case counts."),
    ]:
        g.refuse(f"{provider}-issuer-{slug}", "issuer", why, claims={"iss": issuer})


def google() -> list[TokenGroup]:
    g = group("google", "tokens")
    g.accept("google-typical", "The claims of an account with a domain.",
             expect={"claims": {name: GOOGLE_CLAIMS[name] for name in ("iss", "sub", "hd", "email_verified")}})
    g.accept("google-without-scheme", "Google documents this spelling too.", claims={"iss": "accounts.google.com"},
             expect={"claims": {"iss": "accounts.google.com"}})
    g.accept("google-no-domain", "An account without a domain has no hd, and nobody asked for one.",
             claims={"hd": ABSENT})
    foreign_issuers(g, "google", "https://accounts.google.com")
    g.refuse("google-issuer-other-host", "issuer", "Another host of Google's.", claims={"iss": "https://google.com"})
    g.refuse("google-issuer-without-scheme-slash", "issuer", "No entry has this spelling.",
             claims={"iss": "accounts.google.com/"})
    g.refuse("google-issuer-facebook", "issuer", "Another provider's tokens do not pass.",
             claims={"iss": "https://www.facebook.com"})
    kid_rows(g, "google")
    g.refuse("google-azp-android", "authorized-party", "Another client asked, and is not listed.",
             claims={"azp": ANDROID_CLIENT})
    listed = group("google", "an app asks for a server", authorizedParties=[ANDROID_CLIENT])
    listed.accept("google-azp-listed", "The app of the same project asked on the server's behalf.",
                  claims={"azp": ANDROID_CLIENT})
    domain = group("google", "hosted domain", hostedDomain="example.org")
    domain.accept("google-hd-same", "The domain that was asked for.")
    for slug, value, why in [
        ("absent", ABSENT, "An account of somebody's own, whatever its address says."),
        ("other", "example.net", "Another organization."),
        ("look-alike", "evil-example.org", "The domain is only the end of this one."),
        ("upper-case", "Example.org", "Compared byte by byte."),
        ("array", ["example.org"], "hd is one string."),
    ]:
        domain.refuse(f"google-hd-{slug}", "hosted-domain", why, claims={"hd": value})
    hashed = group("google", "at_hash")
    token = "ya29.made-up-access-token"
    hashed.accept("google-at-hash", "The access token that came along.", claims={"at_hash": half("sha256", token)},
                  expect={"accessToken": token})
    hashed.refuse("google-at-hash-other", "access-token-hash", "Another access token.",
                  claims={"at_hash": half("sha256", "ya29.another")}, expect={"accessToken": token})
    return [g, listed, domain, hashed]


def apple() -> list[TokenGroup]:
    g = group("apple", "tokens")
    texts = {"email_verified": "true", "is_private_email": "true"}
    g.accept("apple-typical", "Booleans that are strings; the claims arrive as they are.", expect={"claims": texts})
    for slug, values in {
        "booleans": {"email_verified": True, "is_private_email": False},
        "false-strings": {"email_verified": "false", "is_private_email": "false"},
        "other-strings": {"email_verified": "yes", "is_private_email": ""},
    }.items():
        g.accept(f"apple-{slug}", "No check depends on these claims, and nothing is made of them.", claims=values,
                 expect={"claims": values})
    foreign_issuers(g, "apple", "https://appleid.apple.com")
    g.refuse("apple-issuer-other-host", "issuer", "Another host of Apple's.",
             claims={"iss": "https://account.apple.com"})
    kid_rows(g, "apple")
    g.refuse("apple-audience-other-app", "audience", "Made for another app.", claims={"aud": "org.example.other"})
    g.accept("apple-without-nonce-support", "A claim that nobody reads.", claims={"nonce_supported": False})
    g.refuse("apple-nonce-absent", "nonce", "A nonce was sent and must come back.", claims={"nonce": ABSENT})
    aged = group("apple", "time of authentication", maxAuthAge=120)
    aged.accept("apple-auth-time", "Apple sends auth_time.")
    aged.refuse("apple-auth-time-old", "auth-time", "Too long ago.", claims={"auth_time": NOW - 121})
    hashed = group("apple", "nonce, hashed by the app", nonce={"sha256": NONCE})
    hashed.accept("apple-nonce-hashed", "Native apps send the SHA-256 of a nonce that they keep.",
                  claims={"nonce": hashlib.sha256(NONCE.encode("ascii")).hexdigest()})
    hashed.refuse("apple-nonce-raw", "nonce", "The app is known to hash its nonces, and this one is as it was sent.")
    return [g, aged, hashed]


def microsoft() -> list[TokenGroup]:
    g = group("microsoft", "any tenant")
    personal = {"tid": PERSONAL, "iss": of_tenant(PERSONAL)}
    g.accept("microsoft-typical", "The issuer is the template with the tenant of tid in it.",
             expect={"claims": {"tid": TENANT, "iss": MICROSOFT_CLAIMS["iss"]}})
    g.accept("microsoft-other-tenant", "Any tenant will do.",
             claims={"tid": OTHER_TENANT, "iss": of_tenant(OTHER_TENANT)})
    g.accept("microsoft-personal", "Personal accounts share a tenant.", claims=personal)
    upper = TENANT.upper()
    mixed_start, mixed_end = upper[:8] + TENANT[8:], TENANT[:24] + upper[24:]
    for slug, tid, issuer, why in [
        ("tid-of-another", OTHER_TENANT, None, "iss is of one tenant and tid of another."),
        ("tid-absent", ABSENT, None, "Without tid there is nothing to put into the template."),
        ("tid-null", None, None, "tid is a string."),
        ("tid-number", 5, None, "tid is a string."),
        ("tid-array", [TENANT], None, "tid is one string."),
        ("tid-empty", "", of_tenant(""), "A tenant is a GUID, and iss would fit the empty one."),
        ("tid-name", "common", of_tenant("common"), "A tenant is a GUID, never a name."),
        ("tid-domain", "example.org", of_tenant("example.org"), "A tenant is a GUID, not a domain."),
        ("tid-upper-case", upper, of_tenant(upper), "Tokens have GUIDs in lower case."),
        ("tid-upper-case-start", mixed_start, of_tenant(mixed_start), "The same, for the first digits alone."),
        ("tid-upper-case-end", mixed_end, of_tenant(mixed_end), "The same, for the last digits alone."),
        ("tid-upper-case-only", upper, None, "Compared byte by byte."),
        ("tid-braces", "{" + TENANT + "}", of_tenant("{" + TENANT + "}"), "A GUID without braces."),
        ("tid-no-dashes", TENANT.replace("-", ""), of_tenant(TENANT.replace("-", "")),
         "A GUID has its dashes."),
        ("tid-path", TENANT + "/../x", of_tenant(TENANT + "/../x"), "Nothing but a GUID."),
        ("tid-newline", TENANT + "\n", of_tenant(TENANT + "\n"), "Nothing but a GUID."),
        ("tid-other-digits", "gggggggg-0000-0000-0000-000000000000",
         of_tenant("gggggggg-0000-0000-0000-000000000000"), "g is no hexadecimal digit."),
        ("template-itself", "{tenantid}", TEMPLATE, "The placeholder stands for a tenant and is none."),
        ("template-with-tid", TENANT, TEMPLATE, "The placeholder in iss, and a tenant in tid."),
        ("template-without-tid", ABSENT, TEMPLATE, "The placeholder in iss, and no tid."),
        ("issuer-v1", TENANT, f"https://sts.windows.net/{TENANT}/", "The issuer of older tokens is another one."),
        ("issuer-slash", TENANT, MICROSOFT_CLAIMS["iss"] + "/", "A slash makes another issuer."),
        ("issuer-suffix", TENANT, MICROSOFT_CLAIMS["iss"] + ".evil.example", "The allowed issuer is only a prefix."),
        ("issuer-host", TENANT, f"https://login.evil.example/{TENANT}/v2.0", "Another host."),
        ("issuer-upper-case", TENANT, f"https://login.microsoftonline.com/{upper}/v2.0", "Compared byte by byte."),
    ]:
        changes = {"tid": tid} if issuer is None else {"tid": tid, "iss": issuer}
        g.refuse(f"microsoft-{slug}", "issuer", why, claims=changes)
    g.accept("microsoft-tid-escaped", "JSON escapes are undone before use.",
             claims={"tid": Raw('"\\u0061' + TENANT[1:] + '"')})
    kid_rows(g, "microsoft")
    return [g, one_tenant(), *keys_with_issuer()]


def one_tenant() -> TokenGroup:
    g = group("microsoft", "one tenant", issuers=[of_tenant(TENANT)])
    g.accept("microsoft-one-tenant", "The tenant that is configured.")
    g.refuse("microsoft-one-tenant-other", "issuer", "Another tenant.",
             claims={"tid": OTHER_TENANT, "iss": of_tenant(OTHER_TENANT)})
    g.refuse("microsoft-one-tenant-other-tid", "issuer", "The issuer is of one tenant and the claim of another.",
             claims={"tid": OTHER_TENANT})
    g.refuse("microsoft-one-tenant-no-tid", "issuer", "Every token of this provider has tid.", claims={"tid": ABSENT})
    g.refuse("microsoft-one-tenant-empty-tid", "issuer", "An empty name is none.", claims={"tid": ""})
    return g


def keys_with_issuer() -> list[TokenGroup]:
    """Microsoft's shared key set says of each key whose tokens it is for."""
    other = {"tid": OTHER_TENANT, "iss": of_tenant(OTHER_TENANT)}
    for_all = group("microsoft", "keys of all tenants", keys=key_set(KEY.public(issuer=TEMPLATE), OTHER))
    for_all.accept("microsoft-key-template", "The key is for every tenant.")
    for_all.accept("microsoft-key-template-other", "The key is for every tenant.", claims=other)
    for_all.accept("microsoft-key-without-issuer", "A key that names no issuer is for all of them.",
                   header={"kid": OTHER.kid}, key=OTHER)
    bound = group("microsoft", "a key of one tenant", keys=key_set(KEY.public(issuer=MICROSOFT_CLAIMS["iss"]), OTHER))
    bound.accept("microsoft-key-own-tenant", "The key's tenant.")
    bound.refuse("microsoft-key-other-tenant", "key-unusable", "Another tenant's token, signed with this key.",
                 claims=other)
    groups = [for_all, bound]
    for slug, issuer, why in [
        ("personal", of_tenant(PERSONAL), "The key of personal accounts, and a token of an organization."),
        ("foreign", "https://issuer.example", "The key of another issuer."),
        ("slash", MICROSOFT_CLAIMS["iss"] + "/", "Compared byte by byte."),
        ("number", 5, "An issuer that is no string is nobody's."),
        ("empty", "", "An empty issuer is nobody's."),
    ]:
        g = group("microsoft", f"a key for another issuer, {slug}", keys=key_set(KEY.public(issuer=issuer), OTHER))
        g.refuse(f"microsoft-key-issuer-{slug}", "key-unusable", why)
        g.accept(f"microsoft-key-issuer-{slug}-neighbour", "The other key of the set is as good as before.",
                 header={"kid": OTHER.kid}, key=OTHER)
        groups.append(g)
    elsewhere = group("google", "a key with an issuer",
                      keys=key_set(KEY.public(issuer="https://issuer.example"), OTHER))
    elsewhere.accept("google-key-with-issuer", "The member means nothing where a provider has no tenants.")
    return [*groups, elsewhere]


def groups() -> list[TokenGroup]:
    return [*google(), *apple(), *microsoft()]
