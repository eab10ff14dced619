"""A reference model of the checks of access tokens and their order, for the self-check only.

It is written from README.md, independently of the cases. Form, keys and signatures are those of reference.py.
"""

import re
from dataclasses import dataclass

from reference import (
    TENANT, allowed_algorithm, attempt, check, check_mac, check_signature, choose_keys, form, is_time, named_kinds, with_tenant,
)
from strict import algorithms_of, published_keys, read_json

SUBJECT_BYTES_MAX = 1024


@dataclass(frozen=True)
class Rules:
    """The form of an issuer's tokens; the defaults are RFC 9068."""

    issuers: tuple = ()
    types: tuple = ("at+jwt",)
    requires_type: bool = True
    requires_kid: bool = True
    has_tenants: bool = False
    required: tuple = ("jti",)
    marks: tuple = ()
    values: tuple = ()
    audiences: tuple = ("aud",)
    requires_iat: bool = True
    copies_nonce: bool = False
    client_as_audience: bool = True
    clients: tuple = ("client_id",)
    requires_client: bool = True
    scopes: tuple | None = ("scope", str)
    roles: str | None = "roles"
    groups: str | None = "groups"
    entitlements: str | None = "entitlements"
    algorithms: tuple = ("RS256",)


def unmarked(issuer: str, **changes) -> Rules:
    """Tokens that OAuth does not define: no client, no scopes, no attributes."""
    members = {"types": ("jwt",), "requires_type": False, "clients": (), "requires_client": False, "scopes": None,
               "roles": None, "groups": None, "entitlements": None, **changes}
    return Rules((issuer,), **members)


def microsoft(issuer: str, client: str) -> Rules:
    return Rules((issuer,), types=("jwt",), has_tenants=True, required=("tid", f"{client}acr"), clients=(client,),
                 scopes=("scp", str))


def jwt(preset: dict) -> Rules:
    name, _, value = preset["mark"].partition("=")
    client = preset.get("clientClaim", "client_id")
    return unmarked(preset["issuer"], required=() if value else (name,), marks=((name, [value]),) if value else (),
                    clients=() if client == "none" else (client,), requires_client=client != "none",
                    scopes=(preset.get("scopeClaim", "scope"), (str, list)), requires_iat=False, requires_kid=False,
                    client_as_audience=False)


def cognito(preset: dict) -> Rules:
    domain = "amazonaws.com.cn" if preset["region"].startswith("cn-") else "amazonaws.com"
    host = preset.get("host", f"cognito-idp.{preset['region']}.{domain}")
    return Rules((f"https://{host}/{preset['userPoolID']}",), types=("jwt",), requires_type=False, copies_nonce=True,
                 marks=(("token_use", ["access"]),), audiences=("aud", "client_id"), roles=None, groups="cognito:groups")


# The hosts in the issuers of version 1.0, where they differ.
TOKEN_SERVICES = {"login.partner.microsoftonline.cn": "sts.chinacloudapi.cn"}


def github_actions(preset: dict) -> Rules:
    value = ("repository", preset["repository"]) if "repository" in preset else ("repository_owner", preset["owner"])
    issuer = preset.get("issuer", "https://token.actions.githubusercontent.com")
    return unmarked(issuer, required=("jti", "repository", "repository_owner"),
                    values=((value[0], [value[1]]),))


def service_account(name: str) -> str:
    namespace, name = name.split("/")
    return f"system:serviceaccount:{namespace}:{name}"


PRESETS = {
    "jwt": jwt,
    "microsoft": lambda p: microsoft(
        f"https://{p.get('host', 'login.microsoftonline.com')}/{p.get('tenantID', TENANT)}/v2.0", "azp"),
    "microsoft-v1": lambda p: microsoft(
        f"https://{TOKEN_SERVICES.get(p.get('host'), 'sts.windows.net')}/{p['tenantID']}/", "appid"),
    "microsoft-b2c": lambda p: Rules(
        (f"https://{p['host']}/{p['tenantID']}/v2.0/",), types=("jwt",), required=("scp",), clients=("azp",),
        scopes=("scp", str), copies_nonce=True),
    "cognito": cognito,
    "auth0": lambda p: Rules((f"https://{p['domain']}/",), types=("at+jwt", "jwt"), required=(),
                             clients=("client_id", "azp")),
    "okta": lambda p: Rules((f"https://{p['domain']}/oauth2/{p['authorizationServer']}",), types=("at+jwt", "jwt"),
                            requires_type=False, required=("jti", "scp"), clients=("cid",), scopes=("scp", list)),
    "keycloak": lambda p: Rules((p["issuer"],), types=("at+jwt", "jwt"), marks=(("typ", ["Bearer", "DPoP"]),),
                                copies_nonce=True, clients=("azp",), roles=None),
    "supabase": lambda p: unmarked(p.get("issuer") or f"https://{p['projectID']}.supabase.co/auth/v1",
                                   required=("session_id", "aal"), values=(("role", ["authenticated"]),), algorithms=("ES256", "RS256")),
    "firebase": lambda p: unmarked(f"https://securetoken.google.com/{p['projectID']}",
                                   required=("auth_time", "firebase")),
    "firebase-app-check": lambda p: unmarked(f"https://firebaseappcheck.googleapis.com/{p['projectNumber']}",
                                             requires_type=True, required=()),
    "github-actions": github_actions,
    "gitlab": lambda p: unmarked(p.get("url", "https://gitlab.com"), required=("jti", "project_path", "job_id"),
                                 values=(("project_path", [p["project"]]),)),
    "kubernetes": lambda p: unmarked(p["issuer"], required=("kubernetes.io",),
                                     values=(("sub", [service_account(name) for name in p["serviceAccounts"]]),)),
}


def rules_of(policy: dict) -> Rules:
    if "preset" in policy:
        return PRESETS[policy["preset"]["name"]](policy["preset"])
    return Rules(tuple(policy["issuers"]), requires_kid=False)


def strings(value) -> list | None:
    """A string, or an array of strings, as a list."""
    if isinstance(value, str):
        return [value]
    return value if isinstance(value, list) and all(isinstance(item, str) for item in value) else None


def attributes(value) -> list | None:
    """The entries of a multi-valued attribute: strings, or objects with value or method."""
    if not isinstance(value, list):
        return None
    found = []
    for item in value:
        names = [item.get(name) for name in ("value", "method")] if isinstance(item, dict) else [item]
        found += [name for name in names if isinstance(name, str)][:1]
    return found if len(found) == len(value) else None


def header_rules(header: dict, rules: Rules, policy: dict) -> str:
    check("crit" not in header and header.get("b64", True) is True, "critical-header")
    content = header.get("cty", "")
    check(isinstance(content, str), "token-type")
    check(not re.match(r"(application/)?jwt([; ]|$)|[^; ]*\+jwt([; ]|$)", content, re.IGNORECASE), "token-type")
    if "typ" in header or rules.requires_type:
        kind = header.get("typ")
        check(isinstance(kind, str) and kind.lower().removeprefix("application/") in rules.types, "token-type")
    return allowed_algorithm(header, policy, rules.algorithms)


def marks(claims: dict, header: dict, rules: Rules) -> None:
    check(not {"events", "at_hash", "c_hash"} & set(claims), "token-type")
    is_typed = header.get("typ", "").lower().removeprefix("application/") == "at+jwt"
    check("nonce" not in claims or is_typed or rules.copies_nonce, "token-type")
    if not is_typed:
        check(isinstance(claims.get("token_use", ""), str) and named_kinds(claims) <= {"access", "dpop"}, "token-type")
    for name, accepted in rules.marks:
        check(isinstance(claims.get(name), str) and claims[name] in accepted, "token-type")
    bound = claims.get("cnf")
    check("dpop" not in named_kinds(claims) or isinstance(bound, dict) and "jkt" in bound, "confirmation-unsupported")


def issuer_and_audience(claims: dict, rules: Rules, policy: dict) -> None:
    check(claims.get("iss") is not None, "missing-claim")
    check(isinstance(claims["iss"], str), "claim-type")
    issuers = [with_tenant(issuer, claims) for issuer in rules.issuers] if rules.has_tenants else rules.issuers
    check(claims["iss"] in issuers, "issuer")
    named = next((claims[name] for name in rules.audiences if name in claims), None)
    check(named is not None, "missing-claim")
    audiences = strings(named)
    check(audiences is not None, "claim-type")
    accepted = [audience for audience in policy["audiences"] if audience in audiences]
    check(bool(accepted), "audience")
    clients = [claims.get(name) for name in (*rules.clients, "azp", "client_id")]
    check(rules.client_as_audience or accepted[0] not in clients, "audience")


def serves_issuer(jwk: dict, claims: dict, rules: Rules) -> bool:
    if not rules.has_tenants or "issuer" not in jwk:
        return True
    return isinstance(jwk["issuer"], str) and with_tenant(jwk["issuer"], claims) == claims["iss"]


def presence(claims: dict, rules: Rules, policy: dict) -> None:
    issued = ("iat",) if rules.requires_iat or "maxAge" in policy else ()
    check(all(claims.get(name) is not None for name in ("sub", "exp", *issued)), "missing-claim")
    check(all(claims.get(name) not in (None, "") for name in rules.required), "missing-claim")
    check(not rules.requires_client or client_of(claims, rules) not in (None, ""), "missing-claim")


def client_of(claims: dict, rules: Rules):
    """What the first claim that names a client says, whatever its type."""
    return next((claims[name] for name in rules.clients if name in claims), None)


def scopes_of(claims: dict, rules: Rules, policy: dict) -> list:
    if rules.scopes is None or claims.get(rules.scopes[0]) is None:
        return []
    name, kind = rules.scopes
    value = claims[name]
    found, form = (value.split(" "), "*") if isinstance(value, str) else (value, "+")
    is_form = isinstance(value, kind) and all(
        isinstance(scope, str) and re.fullmatch(r"[!#-\[\]-~]" + form, scope) for scope in found)
    check(is_form or not policy.get("requiredScopes") and name not in rules.required, "claim-type")
    return sorted(set(found) - {""}) if is_form else []


def types(claims: dict, rules: Rules, policy: dict) -> None:
    check(isinstance(claims["sub"], str), "claim-type")
    check("jti" not in rules.required or isinstance(claims["jti"], str), "claim-type")
    if rules.requires_client or policy.get("allowedClients"):
        check(isinstance(client_of(claims, rules), str | None), "claim-type")
    check("auth_time" not in rules.required or is_time(claims["auth_time"]), "claim-type")
    for name in ("exp", "iat", "nbf"):
        check(claims.get(name) is None or is_time(claims[name]), "claim-type")


def values(claims: dict, rules: Rules, policy: dict) -> None:
    wanted = dict(rules.values)
    for name, accepted in policy.get("requiredValues", {}).items():
        wanted[name] = [value for value in accepted if value in wanted.get(name, accepted)]
    for name, accepted in wanted.items():
        check(bool(set(strings(claims.get(name)) or []) & set(accepted)), "claim-value")


def times(claims: dict, policy: dict) -> None:
    now, leeway = policy["now"], policy.get("leeway", 0)
    issued = claims.get("iat")
    check(now < claims["exp"] + leeway and (issued is None or claims["exp"] > issued), "expired")
    check((claims.get("nbf") or 0) <= now + leeway, "not-yet-valid")
    check((issued or 0) <= now + leeway, "issued-in-future")
    check("maxAge" not in policy or now - issued <= policy["maxAge"] + leeway, "too-old")


def verify_access(policy: dict, keys: list[dict], token: str) -> dict:
    """What a verifier must return for the token, or Refused."""
    rules = rules_of(policy)
    header, payload, signature = form(token, policy)
    algorithm = header_rules(header, rules, policy)
    claims = attempt(read_json, payload, "payload")
    check(isinstance(claims, dict), "payload")
    marks(claims, header, rules)
    issuer_and_audience(claims, rules, policy)

    def fits(jwk: dict) -> bool:
        return algorithm in algorithms_of(jwk) and serves_issuer(jwk, claims, rules)

    if "secret" in policy:
        check_mac(header, token, policy["secret"])
    else:
        check_signature(token, signature, *choose_keys(header, published_keys(keys), rules.requires_kid, fits))
    presence(claims, rules, policy)
    types(claims, rules, policy)
    scopes = scopes_of(claims, rules, policy)
    values(claims, rules, policy)
    client = client_of(claims, rules)
    client = client if isinstance(client, str) and client else None
    check(not policy.get("allowedClients") or client in policy["allowedClients"], "authorized-party")
    check(0 < len(claims["sub"].encode("utf-8")) <= SUBJECT_BYTES_MAX, "subject")
    times(claims, policy)
    check(set(policy.get("requiredScopes", [])) <= set(scopes), "insufficient-scope")
    found = {"claims": claims, "client": client, "scopes": scopes}
    for member, name in [("roles", rules.roles), ("groups", rules.groups), ("entitlements", rules.entitlements)]:
        found[member] = (attributes(claims.get(name)) or []) if name else []
    return found
