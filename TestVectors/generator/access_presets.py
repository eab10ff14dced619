"""access-tokens.json, third part: the issuers that differ from RFC 9068, each with what its documents say of a token.

Each has an accepted token, what makes it refuse another kind of token of the same issuer, and another issuer's.
"""

from dataclasses import dataclass

from keyring import KEYRING, key_set
from model import NOW, TokenGroup
from tokens import ABSENT, changed

API, CLIENT = "https://api.example", "client-1"
TENANT, OTHER_TENANT = "11111111-2222-4333-8444-555555555555", "99999999-2222-4333-8444-555555555555"
RSA, SECOND, EC = KEYRING["issuer-a"], KEYRING["issuer-b"], KEYRING["ec-p256"]
TIMES = {"iat": NOW - 60, "exp": NOW + 3540}


@dataclass
class PresetGroup(TokenGroup):
    """A group for one preset, whose tests begin with its name."""

    prefix: str = ""

    def yes(self, slug: str, comment: str, **recipe) -> None:
        self.accept(f"access-{self.prefix}-{slug}", comment, **recipe)

    def no(self, slug: str, codes, comment: str, **recipe) -> None:
        self.refuse(f"access-{self.prefix}-{slug}", codes, comment, **recipe)

    def foreign(self, issuers: dict, audience: str = "aud") -> None:
        """What every preset refuses: other issuers, other audiences, and a token without kid."""
        for slug, value in issuers.items():
            self.no(f"iss-{slug}", "issuer", "Another issuer.", claims={"iss": value})
        self.no("aud-other", "audience", "For another API.", claims={audience: "other"})
        self.no("kid-absent", "key-id", "Its tokens always name their key, even the only one.", header={"kid": ABSENT})

    def lacks(self, *names: str) -> None:
        """A token without each claim that its tokens always have."""
        for name in names:
            slug = name.replace("_", "-").replace(".", "-")
            self.no(f"{slug}-absent", "missing-claim", f"Its tokens always have {name}.", claims={name: ABSENT})


def preset(name: str, claims: dict, typ: str | None = "JWT", slug: str = "", title: str = "", keys=None, audience=API,
           policy=None, **parameters) -> PresetGroup:
    header = {"alg": "RS256", "typ": typ, "kid": RSA.kid}
    header = {name: value for name, value in header.items() if value is not None}
    return PresetGroup(
        f"access token: {name}{title}", "access-token",
        {"preset": {"name": name, **parameters}, "audiences": [audience], "now": NOW, **(policy or {})},
        keys or key_set(RSA), header=header, prefix=f"{name}{slug}",
        claims={"aud": audience, "sub": "subject-1", **TIMES, **claims})


def microsoft() -> list[PresetGroup]:
    issuer = f"https://login.microsoftonline.com/{TENANT}/v2.0"
    other = f"https://login.microsoftonline.com/{OTHER_TENANT}/v2.0"
    claims = {"iss": issuer, "tid": TENANT, "ver": "2.0", "azp": CLIENT, "azpacr": "1", "scp": "Orders.Read User"}
    for_tenant = key_set(RSA.public(issuer=issuer), SECOND.public(issuer=other))
    g = preset("microsoft", claims, tenantID=TENANT, keys=for_tenant, policy={"requiredScopes": ["Orders.Read"]})
    g.yes("user", "Called for a user.", expect={"client": CLIENT, "scopes": ["Orders.Read", "User"]})
    g.no("id-token", "missing-claim", "An ID token of the same tenant has no azpacr.",
         claims={"azp": ABSENT, "azpacr": ABSENT, "scp": ABSENT, "name": "Ada"})
    g.no("id-token-with-nonce", "token-type", "A nonce shows an ID token.", claims={"nonce": "n"})
    g.no("typ-at-jwt", "token-type", "Its tokens are of the type JWT.", header={"typ": "at+jwt"})
    g.no("typ-absent", "token-type", "Its tokens have a type.", header={"typ": ABSENT})
    g.no("application", "insufficient-scope", "A client without a user has roles and no scopes.",
         claims={"scp": ABSENT, "roles": ["Orders.Read.All"], "azpacr": "2"})
    g.no("scope", "insufficient-scope", "scope is another issuer's claim.",
         claims={"scp": ABSENT, "scope": "Orders.Read"})
    g.no("tid-other", "issuer", "Another tenant.", claims={"tid": OTHER_TENANT})
    g.no("tenant-other", "issuer", "Another tenant's token.", claims={"iss": other, "tid": OTHER_TENANT})
    g.no("tid-absent", "issuer", "The issuer is that of the tenant in tid.", claims={"tid": ABSENT})
    g.no("key-of-other-tenant", "key-unusable", "A key for another tenant.", header={"kid": SECOND.kid}, key=SECOND)
    g.lacks("azp", "azpacr")
    g.foreign({"v1": f"https://sts.windows.net/{TENANT}/", "placeholder":
               "https://login.microsoftonline.com/{tenantid}/v2.0"})
    application = changed(claims, {"scp": ABSENT, "roles": ["Orders.Read.All"], "azpacr": "2"})
    roles = preset("microsoft", application, slug="-roles", title=", an application", tenantID=TENANT,
                   policy={"requiredValues": {"roles": ["Orders.Read.All"]}})
    roles.yes("application", "A client without a user, by its role.",
              expect={"client": CLIENT, "scopes": [], "roles": ["Orders.Read.All"]})
    roles.no("other", "claim-value", "Another role.", claims={"roles": ["Orders.Write.All"]})
    roles.no("none", "claim-value", "No role.", claims={"roles": ABSENT})
    any_tenant = preset("microsoft", claims, slug="-any", title=", any tenant", keys=key_set(
        RSA.public(issuer="https://login.microsoftonline.com/{tenantid}/v2.0"), SECOND.public(issuer=other)))
    any_tenant.yes("tenant", "A tenant.", expect={"claims": {"tid": TENANT}})
    any_tenant.yes("tenant-other", "Another tenant, with its own key.",
                   claims={"iss": other, "tid": OTHER_TENANT}, header={"kid": SECOND.kid}, key=SECOND)
    any_tenant.no("tid-other", "issuer", "The issuer is not that of the tenant in tid.", claims={"tid": OTHER_TENANT})
    any_tenant.no("tid-placeholder", "issuer", "The placeholder is no tenant.",
                  claims={"iss": "https://login.microsoftonline.com/{tenantid}/v2.0", "tid": "{tenantid}"})
    any_tenant.no("key-of-other-tenant", "key-unusable", "A key for another tenant.", header={"kid": SECOND.kid},
                  key=SECOND)
    return [g, roles, any_tenant]


def microsoft_v1() -> PresetGroup:
    claims = {"iss": f"https://sts.windows.net/{TENANT}/", "tid": TENANT, "ver": "1.0", "appid": CLIENT,
              "appidacr": "0", "scp": "Orders.Read", "acr": "1", "amr": ["pwd"]}
    g = preset("microsoft-v1", claims, tenantID=TENANT)
    g.yes("user", "Called for a user.", expect={"client": CLIENT, "scopes": ["Orders.Read"]})
    g.no("id-token", "missing-claim", "An ID token of the same tenant has no appid.",
         claims={"appid": ABSENT, "appidacr": ABSENT, "scp": ABSENT})
    g.no("nonce", "token-type", "A nonce shows an ID token.", claims={"nonce": "n"})
    g.no("azp", "missing-claim", "azp and azpacr are those of version 2.0.",
         claims={"appid": ABSENT, "appidacr": ABSENT, "azp": CLIENT, "azpacr": "0"})
    g.no("tid-other", "issuer", "Another tenant.", claims={"tid": OTHER_TENANT})
    g.foreign({"v2": f"https://login.microsoftonline.com/{TENANT}/v2.0",
               "other-tenant": f"https://sts.windows.net/{OTHER_TENANT}/"})
    return g


def cognito() -> PresetGroup:
    issuer = "https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_EXAMPLE"
    claims = {"iss": issuer, "token_use": "access", "client_id": API, "jti": "t", "scope": "orders/read",
              "cognito:groups": ["staff"]}
    g = preset("cognito", claims, typ=None, region="eu-central-1", userPoolID="eu-central-1_EXAMPLE")
    g.claims.pop("aud")
    g.yes("client", "No typ and no aud: the audience is the app client.",
          expect={"client": API, "scopes": ["orders/read"], "groups": ["staff"]})
    g.yes("resource", "For a resource server: aud counts.", claims={"aud": API, "client_id": CLIENT},
          expect={"client": CLIENT})
    g.yes("typ-jwt", "typ may say JWT.", header={"typ": "JWT"})
    g.yes("nonce", "token_use shows an access token, so a nonce shows nothing.", claims={"nonce": "n"})
    g.no("id-token", "token-type", "An ID token of the same user pool.",
         claims={"token_use": "id", "aud": API, "client_id": ABSENT})
    g.no("token-use-absent", "token-type", "Nothing shows an access token.", claims={"token_use": ABSENT})
    g.no("token-use-list", "token-type", "token_use must be a string.", claims={"token_use": ["access"]})
    g.no("token-use-null", "token-type", "null marks nothing.", claims={"token_use": None})
    g.no("aud-null", "missing-claim", "aud names no audience, and client_id does not stand for it.", claims={"aud": None})
    g.no("typ-at-jwt", "token-type", "Its tokens have no such type.", header={"typ": "at+jwt"})
    g.no("resource-other", "audience", "For another resource server: client_id does not count.",
         claims={"aud": "other", "client_id": API})
    g.lacks("jti", "client_id")
    g.foreign({"pool": issuer + "2", "region": issuer.replace("central", "west")}, audience="client_id")
    return g


def auth0() -> list[PresetGroup]:
    claims = {"iss": "https://example.eu.auth0.com/", "azp": CLIENT, "scope": "openid orders:read",
              "aud": [API, "https://example.eu.auth0.com/userinfo"]}
    g = preset("auth0", claims, domain="example.eu.auth0.com")
    g.yes("user", "The token profile of Auth0.", expect={"client": CLIENT, "scopes": ["openid", "orders:read"]})
    g.yes("machine", "A client without a user.", claims={"aud": API, "gty": "client-credentials", "scope": ABSENT})
    g.yes("rfc9068", "The token profile of RFC 9068.", header={"typ": "at+jwt"},
          claims={"azp": ABSENT, "client_id": CLIENT, "jti": "t", "nonce": "n"}, expect={"client": CLIENT})
    g.yes("both-clients", "client_id comes first.", claims={"client_id": "client-2"}, expect={"client": "client-2"})
    g.no("client-id-number", "claim-type", "client_id names the client, and azp does not stand for it.",
         claims={"client_id": 5})
    for slug, value in {"null": None, "empty": ""}.items():
        g.no(f"client-id-{slug}", "missing-claim", "client_id names no client, and azp does not stand for it.",
             claims={"client_id": value})
    g.yes("jti-number", "Its tokens need no jti, so its type is not looked at.", claims={"jti": 5})
    g.no("id-token", "token-type", "A nonce shows an ID token.", claims={"nonce": "n"})
    g.no("id-token-at-hash", "token-type", "at_hash shows an ID token.", claims={"at_hash": "x"})
    g.no("id-token-plain", "missing-claim", "An ID token without azp names no client.", claims={"azp": ABSENT})
    g.no("typ-absent", "token-type", "Its tokens have a type.", header={"typ": ABSENT})
    g.no("logout", "token-type", "A logout token of the same tenant.", header={"typ": "logout+jwt"})
    g.foreign({"no-slash": "https://example.eu.auth0.com", "region": "https://example.us.auth0.com/"})
    allowed = preset("auth0", claims, slug="-permissions", title=", permissions", domain="example.eu.auth0.com",
                     policy={"requiredValues": {"permissions": ["orders:write"]}})
    allowed.yes("granted", "A permission by role.", claims={"permissions": ["a", "orders:write"]})
    allowed.no("missing", "claim-value", "Another permission.", claims={"permissions": ["a"]})
    return [g, allowed]


def okta() -> PresetGroup:
    claims = {"iss": "https://example.okta.com/oauth2/default", "ver": 1, "jti": "AT.x", "cid": CLIENT,
              "scp": ["orders:read", "openid"], "uid": "user-1"}
    g = preset("okta", claims, typ=None, domain="example.okta.com", authorizationServer="default",
               policy={"requiredScopes": ["orders:read"]})
    g.yes("user", "No typ; scopes are an array.", expect={"client": CLIENT, "scopes": ["openid", "orders:read"]})
    g.yes("typ-jwt", "typ may say JWT.", header={"typ": "JWT"})
    g.yes("typ-at-jwt", "typ may be that of RFC 9068.", header={"typ": "at+jwt"})
    g.no("id-token", "missing-claim", "An ID token of the same authorization server has neither cid nor scp.",
         claims={"cid": ABSENT, "scp": ABSENT, "amr": ["pwd"], "jti": "ID.x"})
    g.no("nonce", "token-type", "A nonce shows an ID token.", claims={"nonce": "n"})
    g.no("scp-string", "claim-type", "scp is an array.", claims={"scp": "orders:read openid"})
    g.no("scp-two-in-one", "claim-type", "One entry is one scope.", claims={"scp": ["orders:read openid"]})
    g.no("scp-number", "claim-type", "Scopes are strings.", claims={"scp": ["orders:read", 1]})
    g.no("scp-other", "insufficient-scope", "Another scope.", claims={"scp": ["openid"]})
    g.lacks("jti", "cid", "scp")
    g.foreign({"organization": "https://example.okta.com", "server": "https://example.okta.com/oauth2/other"})
    return g


def keycloak() -> PresetGroup:
    realm = "https://login.example/realms/main"
    claims = {"iss": realm, "typ": "Bearer", "jti": "t", "azp": CLIENT, "scope": "orders:read",
              "realm_access": {"roles": ["user"]}}
    g = preset("keycloak", claims, issuer=realm)
    g.yes("bearer", "The claim typ is Bearer.", expect={"client": CLIENT, "scopes": ["orders:read"], "roles": []})
    g.yes("dpop", "The claim typ is DPoP: it is bound to a key.", claims={"typ": "DPoP", "cnf": {"jkt": "x"}})
    g.no("dpop-unbound", "confirmation-unsupported", "The claim typ is DPoP, and no key is named.",
         claims={"typ": "DPoP"})
    g.no("dpop-certificate", "confirmation-unsupported", "The claim typ is DPoP, and only a certificate is named.",
         claims={"typ": "DPoP", "cnf": {"x5t#S256": "x"}})
    g.yes("typ-at-jwt", "A client that is set to the type of RFC 9068.", header={"typ": "at+jwt"})
    g.yes("nonce", "Older versions copy the nonce to the access token.", claims={"nonce": "n"})
    g.yes("roles-object", "roles is no attribute here.", claims={"roles": {"a": 1}}, expect={"roles": []})
    g.no("id-token", "token-type", "An ID token of the same realm.", claims={"typ": "ID"})
    g.no("refresh-token", "token-type", "A refresh token of the same realm.", claims={"typ": "Refresh"})
    g.no("claim-typ-absent", "token-type", "Nothing shows an access token.", claims={"typ": ABSENT})
    g.no("claim-typ-case", "token-type", "Case counts.", claims={"typ": "bearer"})
    g.no("typ-absent", "token-type", "Its tokens have a type.", header={"typ": ABSENT})
    g.no("lightweight", "missing-claim", "A lightweight access token has no sub.", claims={"sub": ABSENT})
    g.no("aud-account", "audience", "Only the default audience: no mapper adds this API.", claims={"aud": "account"})
    g.lacks("jti", "azp")
    g.foreign({"realm": realm + "2", "slash": realm + "/"})
    return g


def supabase() -> PresetGroup:
    issuer = "https://abcdefghij.supabase.co/auth/v1"
    claims = {"iss": issuer, "role": "authenticated", "session_id": "s", "aal": "aal1", "is_anonymous": False,
              "amr": [{"method": "password", "timestamp": 1}]}
    g = preset("supabase", claims, audience="authenticated", keys=key_set(RSA, EC), projectID="abcdefghij")
    g.yes("rs256", "Signed with RSA.", expect={"client": None, "scopes": []})
    g.yes("es256", "Signed with an elliptic curve, the default of new projects.", key=EC,
          header={"alg": "ES256", "kid": EC.kid})
    g.yes("typ-absent", "typ is optional here.", header={"typ": ABSENT})
    g.no("hs256", "algorithm", "The legacy secret.", header={"alg": "HS256"}, by_hand=True)
    g.no("anon", "claim-value", "The public key of the project is such a token.", claims={"role": "anon"})
    g.no("service-role", "claim-value", "The secret key of the project is such a token.",
         claims={"role": "service_role"})
    g.no("role-absent", "claim-value", "Nobody is signed in.", claims={"role": ABSENT})
    g.no("nonce", "token-type", "A nonce shows an ID token.", claims={"nonce": "n"})
    g.no("typ-at-jwt", "token-type", "Its tokens have no such type.", header={"typ": "at+jwt"})
    g.lacks("session_id", "aal")
    g.foreign({"project": "https://klmnopqrst.supabase.co/auth/v1", "host": "https://abcdefghij.supabase.co"})
    return g


def firebase() -> PresetGroup:
    claims = {"iss": "https://securetoken.google.com/my-project", "auth_time": NOW - 100, "user_id": "subject-1",
              "firebase": {"sign_in_provider": "password", "identities": {}}}
    g = preset("firebase", claims, audience="my-project", projectID="my-project")
    g.yes("user", "What apps send to their own API.", expect={"client": None, "scopes": []})
    g.no("custom-token", "issuer", "A custom token, which a service account signs.",
         claims={"iss": "firebase-adminsdk@my-project.iam.gserviceaccount.com"})
    g.no("google", "issuer", "An ID token of Google.", claims={"iss": "https://accounts.google.com"})
    g.no("at-hash", "token-type", "at_hash shows another ID token.", claims={"at_hash": "x"})
    g.no("auth-time-string", "claim-type", "auth_time must be a time.", claims={"auth_time": "1"})
    g.no("future", "issued-in-future", "Issued in the future.", claims={"iat": NOW + 1})
    g.no("sub-empty", "subject", "Nobody.", claims={"sub": ""})
    g.lacks("auth_time", "firebase")
    g.foreign({"project": "https://securetoken.google.com/other-project",
               "session-cookie": "https://session.firebase.google.com/my-project"})
    return g


def firebase_app_check() -> PresetGroup:
    claims = {"iss": "https://firebaseappcheck.googleapis.com/1234567890", "sub": "1:1234567890:ios:abcdef",
              "aud": ["projects/1234567890", "projects/my-project"], "jti": "t"}
    g = preset("firebase-app-check", claims, audience="projects/1234567890", projectNumber="1234567890")
    g.yes("app", "The subject is an app.", expect={"claims": {"sub": claims["sub"]}, "client": None})
    g.yes("jti-absent", "jti is there only in some.", claims={"jti": ABSENT})
    g.no("typ-absent", "token-type", "Its tokens have a type.", header={"typ": ABSENT})
    g.no("typ-at-jwt", "token-type", "Its tokens have no such type.", header={"typ": "at+jwt"})
    g.no("user", "issuer", "The ID token of a user of the same project.",
         claims={"iss": "https://securetoken.google.com/my-project"})
    g.foreign({"project": "https://firebaseappcheck.googleapis.com/1234567891"})
    return g


def github_actions() -> list[PresetGroup]:
    claims = {"iss": "https://token.actions.githubusercontent.com", "jti": "t", "repository": "octo-org/octo-repo",
              "repository_owner": "octo-org", "repository_owner_id": "65", "ref": "refs/heads/main",
              "sub": "repo:octo-org/octo-repo:ref:refs/heads/main"}
    g = preset("github-actions", claims, repository="octo-org/octo-repo")
    g.yes("repository", "A workflow of the repository.", expect={"client": None, "scopes": []})
    g.yes("branch", "A workflow of another branch.", claims={"ref": "refs/heads/x", "sub": "repo:octo-org/octo-repo"})
    g.no("other-repository", "claim-value", "Anybody can have a repository there.",
         claims={"repository": "evil/octo-repo"})
    g.no("longer-repository", "claim-value", "Another repository of the owner.",
         claims={"repository": "octo-org/octo-repo-2"})
    g.no("repository-case", "claim-value", "Case counts.", claims={"repository": "Octo-Org/octo-repo"})
    g.no("subject-alone", "missing-claim", "sub names the repository, which is not enough.",
         claims={"repository": ABSENT})
    g.no("typ-at-jwt", "token-type", "Its tokens have no such type.", header={"typ": "at+jwt"})
    g.lacks("jti", "repository_owner")
    g.foreign({"enterprise": "https://token.actions.githubusercontent.com/octo-org"})
    owner = preset("github-actions", claims, slug="-owner", title=", an owner", owner="octo-org",
                   policy={"requiredValues": {"repository_owner_id": ["65"]}})
    owner.yes("same", "A repository of the owner.", claims={"repository": "octo-org/other"})
    owner.no("other", "claim-value", "Another owner.", claims={"repository_owner": "evil"})
    owner.no("renamed", "claim-value", "Somebody else took the name of the owner.",
             claims={"repository_owner_id": "66"})
    return [g, owner]


def gitlab() -> list[PresetGroup]:
    claims = {"iss": "https://gitlab.com", "jti": "t", "project_path": "group/project", "project_id": "22",
              "job_id": "302", "ref_protected": "true", "sub": "project_path:group/project:ref_type:branch:ref:main"}
    g = preset("gitlab", claims, project="group/project")
    g.yes("job", "A job of the project.", expect={"client": None, "scopes": []})
    g.no("other-project", "claim-value", "Anybody can have a project there.", claims={"project_path": "evil/project"})
    g.no("user", "missing-claim", "The ID token of a user who signs in with GitLab.",
         claims={"jti": ABSENT, "project_path": ABSENT, "job_id": ABSENT, "auth_time": NOW - 5})
    g.lacks("jti", "project_path", "job_id")
    g.foreign({"instance": "https://gitlab.example"})
    own = preset("gitlab", {**claims, "iss": "https://gitlab.example"}, slug="-own", title=", an own instance",
                 url="https://gitlab.example", project="group/project",
                 policy={"requiredValues": {"ref_protected": ["true"]}})
    own.yes("protected", "A protected branch.")
    own.no("unprotected", "claim-value", "A branch of a merge request.", claims={"ref_protected": "false"})
    own.no("boolean", "claim-value", "GitLab writes a string; true is another value.", claims={"ref_protected": True})
    own.no("public", "issuer", "The public instance.", claims={"iss": "https://gitlab.com"})
    return [g, own]


def kubernetes() -> PresetGroup:
    issuer = "https://kubernetes.default.svc.cluster.local"
    claims = {"iss": issuer, "aud": [API], "sub": "system:serviceaccount:shop:orders", "nbf": NOW - 60,
              "kubernetes.io": {"namespace": "shop", "serviceaccount": {"name": "orders"}}}
    g = preset("kubernetes", claims, typ=None, issuer=issuer, serviceAccounts=["shop/orders", "shop/billing"])
    g.yes("pod", "A pod of the service account.", expect={"client": None, "scopes": []})
    g.yes("second", "Another accepted service account.", claims={"sub": "system:serviceaccount:shop:billing"})
    g.no("other-account", "claim-value", "Another service account.", claims={"sub": "system:serviceaccount:shop:web"})
    g.no("other-namespace", "claim-value", "The same name in another namespace.",
         claims={"sub": "system:serviceaccount:evil:orders"})
    g.no("node", "claim-value", "A node of the cluster.", claims={"sub": "system:node:orders"})
    g.no("secret", "missing-claim", "A token in a secret never expires.",
         claims={"exp": ABSENT, "iat": ABSENT, "nbf": ABSENT})
    g.no("typ-at-jwt", "token-type", "Its tokens have no such type.", header={"typ": "at+jwt"})
    g.lacks("kubernetes.io")
    g.foreign({"cluster": "https://kubernetes.default.svc"})
    return g


def groups() -> list[TokenGroup]:
    return [*microsoft(), microsoft_v1(), cognito(), *auth0(), okta(), keycloak(), supabase(), firebase(),
            firebase_app_check(), *github_actions(), *gitlab(), kubernetes()]
