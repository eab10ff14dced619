"""access-tokens.json, fourth part: the general form of access tokens that do not follow RFC 9068, and presets at other hosts.

A mark separates the tokens of the general form from the other tokens of the issuer. Each of these is tried in their place.
"""

from access_presets import API, CLIENT, TENANT, PresetGroup, preset
from model import NOW, TokenGroup
from tokens import ABSENT

ISSUER = "https://as.example"


def general(claims: dict, slug: str, title: str, typ: str | None, policy=None, **parameters) -> PresetGroup:
    return preset("jwt", {"iss": ISSUER, **claims}, typ=typ, slug=slug, title=title, policy=policy, issuer=ISSUER, **parameters)


def other_kinds(g: PresetGroup, claim: str) -> None:
    """The other tokens of an issuer, each with the mark: an ID token, a refresh token, a logout token."""
    g.no("nonce", "token-type", "A nonce shows an ID token, even with the mark.", claims={"nonce": "n"})
    g.no("nonce-null", "token-type", "A nonce of any type shows an ID token.", claims={"nonce": None})
    g.no("at-hash", "token-type", "at_hash shows an ID token.", claims={"at_hash": "x"})
    g.no("c-hash", "token-type", "c_hash shows an ID token.", claims={"c_hash": "x"})
    g.no("logout", "token-type", "events shows a logout token.",
         claims={"events": {"http://schemas.openid.net/event/backchannel-logout": {}}, "sid": "s"})
    g.no("logout-typ", "token-type", "The type of a logout token.", header={"typ": "logout+jwt"})
    g.no("typ-at-jwt", "token-type", "A token of RFC 9068 is another form.", header={"typ": "at+jwt"})
    for slug, name, value in [("refresh", "typ", "Refresh"), ("offline", "typ", "Offline"), ("id", "typ", "ID"),
                              ("refresh-use", "token_use", "refresh_token"), ("id-use", "token_use", "id"),
                              ("refresh-type", "token_type", "refresh_token"), ("logout-claim", "typ", "Logout"),
                              ("refresh-words", "typ", "Refresh-Token"), ("id-type", "token_type", "IDToken"),
                              ("id-urn", "token_type", "urn:ietf:params:oauth:token-type:id_token"),
                              ("logout-words", "typ", "logout token")]:
        if name != claim:
            g.no(slug, "token-type", f"{name} names another kind of token.", claims={name: value})
    for slug, value in [("null", None), ("list", ["access"]), ("number", 1)]:
        g.no(f"use-{slug}", "token-type", "token_use must be a string.", claims={"token_use": value})
    g.yes("typ-number", "typ names no kind.", claims={"typ": 1, "token_type": None})


def claim_as_mark() -> PresetGroup:
    g = general({"scp": ["orders:read", "openid"], "client_id": CLIENT, "jti": "t"}, "-claim", ", a claim", None,
                mark="scp", scopeClaim="scp", policy={"requiredScopes": ["orders:read"]})
    g.yes("typ-absent", "No typ.", expect={"client": CLIENT, "scopes": ["openid", "orders:read"], "roles": []})
    g.yes("typ-jwt", "typ is JWT.", header={"typ": "JWT"})
    g.yes("scp-string", "Scopes may be a string.", claims={"scp": "orders:read openid"},
          expect={"scopes": ["openid", "orders:read"]})
    g.yes("jti-absent", "jti is not required.", claims={"jti": ABSENT})
    g.yes("iat-absent", "iat is not required.", claims={"iat": ABSENT})
    g.yes("azp", "azp is a claim like others.", claims={"azp": CLIENT})
    g.yes("kid-absent", "One key fits.", header={"kid": ABSENT})
    g.yes("roles-object", "roles is no attribute here.", claims={"roles": {"a": 1}}, expect={"roles": []})
    g.no("mark-absent", "missing-claim", "An ID token has no scp.", claims={"scp": ABSENT, "azp": CLIENT, "auth_time": NOW - 5})
    g.no("mark-empty", "missing-claim", "An empty mark is none.", claims={"scp": ""})
    g.no("scp-number", "claim-type", "Scopes are strings.", claims={"scp": ["orders:read", 1]})
    g.no("scp-two-in-one", "claim-type", "One entry is one scope.", claims={"scp": ["orders:read openid"]})
    g.no("scp-other", "insufficient-scope", "Another scope.", claims={"scp": ["openid"]})
    g.no("audience-is-client", "audience", "The audience of an ID token is its client.", claims={"client_id": API})
    g.no("audience-is-azp", "audience", "The audience of an ID token is its authorized party.", claims={"azp": API})
    g.yes("audiences-of-both", "The client may be a further audience.", claims={"aud": [API, CLIENT]})
    g.no("audience-other", "audience", "For another API.", claims={"aud": "other"})
    g.no("issuer-other", "issuer", "Another issuer.", claims={"iss": ISSUER + "/"})
    g.no("iat-future", "issued-in-future", "A present iat is checked.", claims={"iat": NOW + 1})
    g.lacks("sub", "exp", "client_id")
    other_kinds(g, "scp")
    return g


def value_as_mark() -> PresetGroup:
    g = general({"token_use": "access", "cid": CLIENT, "scope": "orders:read"}, "-value", ", a value", "JWT",
                mark="token_use=access", clientClaim="cid", policy={"maxAge": 600})
    g.yes("access", "token_use is access.", expect={"client": CLIENT, "scopes": ["orders:read"]})
    g.no("mark-absent", "token-type", "Nothing shows an access token.", claims={"token_use": ABSENT})
    g.no("mark-other", "token-type", "Another kind.", claims={"token_use": "client"})
    g.no("mark-case", "token-type", "Case counts.", claims={"token_use": "Access"})
    g.no("mark-list", "token-type", "A mark is a string.", claims={"token_use": ["access"]})
    g.no("iat-absent", "missing-claim", "A maximum age needs iat.", claims={"iat": ABSENT})
    g.no("client-id", "missing-claim", "client_id is another issuer's claim.", claims={"cid": ABSENT, "client_id": CLIENT})
    other_kinds(g, "token_use")
    return g


def no_client() -> PresetGroup:
    g = general({"tty": "at"}, "-no-client", ", no client", "JWT", mark="tty=at", clientClaim="none")
    g.yes("access", "Its tokens name no client.", expect={"client": None, "scopes": []})
    g.yes("client-id", "client_id is a claim like others.", claims={"client_id": 1}, expect={"client": None})
    g.no("id-token", "token-type", "An ID token of the same issuer.", claims={"tty": "id"})
    return g


def hosts() -> list[PresetGroup]:
    tenant = {"tid": TENANT, "ver": "2.0", "azp": CLIENT, "azpacr": "1", "scp": "Orders.Read"}
    groups = []
    for slug, host in [("us", "login.microsoftonline.us"), ("cn", "login.partner.microsoftonline.cn"),
                       ("ciam", f"{TENANT}.ciamlogin.com")]:
        g = preset("microsoft", {"iss": f"https://{host}/{TENANT}/v2.0", **tenant}, slug=f"-{slug}", title=f", {slug}",
                   tenantID=TENANT, host=host)
        g.yes("user", "Another cloud.", expect={"client": CLIENT})
        g.foreign({"global": f"https://login.microsoftonline.com/{TENANT}/v2.0"})
        groups.append(g)
    old = {"tid": TENANT, "ver": "1.0", "appid": CLIENT, "appidacr": "1", "scp": "Orders.Read"}
    for slug, host, service in [("us", "login.microsoftonline.us", "sts.windows.net"),
                                ("cn", "login.partner.microsoftonline.cn", "sts.chinacloudapi.cn")]:
        g = preset("microsoft-v1", {"iss": f"https://{service}/{TENANT}/", **old}, slug=f"-{slug}", title=f", {slug}",
                   tenantID=TENANT, host=host)
        g.yes("user", "Another cloud.", expect={"client": CLIENT})
        g.foreign({"v2": f"https://{host}/{TENANT}/v2.0"})
        groups.append(g)
    g = preset("microsoft-b2c", {"iss": f"https://contoso.b2clogin.com/{TENANT}/v2.0/", "azp": CLIENT, "scp": "read",
                                 "tfp": "B2C_1_signin", "nonce": "n", "ver": "1.0"},
               tenantID=TENANT, userFlow="B2C_1_signin", host="contoso.b2clogin.com")
    g.yes("user", "The nonce is copied.", expect={"client": CLIENT, "scopes": ["read"]})
    g.no("id-token", "missing-claim", "An ID token has neither azp nor scp.", claims={"azp": ABSENT, "scp": ABSENT})
    g.lacks("scp", "azp")
    g.foreign({"no-slash": f"https://contoso.b2clogin.com/{TENANT}/v2.0"})
    groups.append(g)
    pool = {"token_use": "access", "client_id": API, "jti": "t", "scope": "orders/read"}
    for slug, host, region in [("cn", None, "cn-north-1"), ("updated", "issuer-cognito-idp.eu-central-1.amazonaws.com",
                                                            "eu-central-1")]:
        place = host or f"cognito-idp.{region}.amazonaws.com.cn"
        g = preset("cognito", {"iss": f"https://{place}/{region}_EXAMPLE", **pool}, typ=None, slug=f"-{slug}",
                   title=f", {slug}", region=region, userPoolID=f"{region}_EXAMPLE", **({"host": host} if host else {}))
        g.claims.pop("aud")
        g.yes("client", "Another host.", expect={"client": API})
        usual = f"https://cognito-idp.{region}.amazonaws.com/{region}_EXAMPLE"
        g.no("iss-usual", "issuer", "The usual host.", claims={"iss": usual})
        groups.append(g)
    g = preset("supabase", {"iss": "https://api.example/auth/v1", "role": "authenticated", "session_id": "s", "aal": "aal1"},
               audience="authenticated", slug="-own", title=", an own domain", issuer="https://api.example/auth/v1")
    g.yes("user", "A domain of its own.", expect={"client": None})
    g.foreign({"project": "https://abcdefghij.supabase.co/auth/v1"})
    groups.append(g)
    for slug, issuer in [("server", "https://github.example/_services/token"),
                         ("enterprise", "https://token.actions.githubusercontent.com/octo-enterprise"),
                         ("ghe", "https://token.actions.octo.ghe.com")]:
        g = preset("github-actions", {"iss": issuer, "jti": "t", "repository": "octo-org/octo-repo",
                                      "repository_owner": "octo-org"}, slug=f"-{slug}", title=f", {slug}",
                   repository="octo-org/octo-repo", issuer=issuer)
        g.yes("repository", "GitHub Enterprise.", expect={"client": None})
        g.foreign({"public": "https://token.actions.githubusercontent.com"})
        groups.append(g)
    return groups


def groups() -> list[TokenGroup]:
    return [claim_as_mark(), value_as_mark(), no_client(), *hosts()]
