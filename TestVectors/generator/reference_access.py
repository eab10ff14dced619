"""A reference model of the checks of access tokens and their order, for the self-check only.

It is written from README.md, independently of the cases. Form, keys and signatures are those of reference.py.
"""

import re
from dataclasses import dataclass

from reference import (
    TENANT, allowed_algorithm, attempt, check, check_mac, check_signature, choose_key, form, is_time, with_tenant,
)
from strict import algorithms_of, read_json

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


def github_actions(preset: dict) -> Rules:
    value = ("repository", preset["repository"]) if "repository" in preset else ("repository_owner", preset["owner"])
    return unmarked("https://token.actions.githubusercontent.com", required=("jti", "repository", "repository_owner"),
                    values=((value[0], [value[1]]),))


def service_account(name: str) -> str:
    namespace, name = name.split("/")
    return f"system:serviceaccount:{namespace}:{name}"


PRESETS = {
    "microsoft": lambda p: microsoft(f"https://login.microsoftonline.com/{p.get('tenantID', TENANT)}/v2.0", "azp"),
    "microsoft-v1": lambda p: microsoft(f"https://sts.windows.net/{p['tenantID']}/", "appid"),
    "cognito": lambda p: Rules(
        (f"https://cognito-idp.{p['region']}.amazonaws.com/{p['userPoolID']}",), types=("jwt",), requires_type=False,
        marks=(("token_use", ["access"]),), audiences=("aud", "client_id"), roles=None, groups="cognito:groups"),
    "auth0": lambda p: Rules((f"https://{p['domain']}/",), types=("at+jwt", "jwt"), required=(),
                             clients=("client_id", "azp")),
    "okta": lambda p: Rules((f"https://{p['domain']}/oauth2/{p['authorizationServer']}",), types=("at+jwt", "jwt"),
                            requires_type=False, required=("jti", "scp"), clients=("cid",), scopes=("scp", list)),
    "keycloak": lambda p: Rules((p["issuer"],), types=("at+jwt", "jwt"), marks=(("typ", ["Bearer", "DPoP"]),),
                                clients=("azp",), roles=None),
    "supabase": lambda p: unmarked(f"https://{p['projectID']}.supabase.co/auth/v1", required=("session_id", "aal"),
                                   values=(("role", ["authenticated"]),), algorithms=("ES256", "RS256")),
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
    is_marked = bool(rules.marks) or header.get("typ", "").lower().removeprefix("application/") == "at+jwt"
    check("nonce" not in claims or is_marked, "token-type")
    for name, accepted in rules.marks:
        check(isinstance(claims.get(name), str) and claims[name] in accepted, "token-type")
    kinds = {claims[name].lower() for name in ("typ", "token_type") if isinstance(claims.get(name), str)}
    bound = claims.get("cnf")
    check("dpop" not in kinds or isinstance(bound, dict) and "jkt" in bound, "confirmation-unsupported")


def issuer_and_audience(claims: dict, rules: Rules, policy: dict) -> None:
    check("iss" in claims, "missing-claim")
    check(isinstance(claims["iss"], str), "claim-type")
    issuers = [with_tenant(issuer, claims) for issuer in rules.issuers] if rules.has_tenants else rules.issuers
    check(claims["iss"] in issuers, "issuer")
    named = [claims[name] for name in rules.audiences if name in claims]
    check(bool(named), "missing-claim")
    audiences = strings(named[0])
    check(audiences is not None, "claim-type")
    check(bool(set(audiences) & set(policy["audiences"])), "audience")


def serves_issuer(jwk: dict, claims: dict, rules: Rules) -> bool:
    if not rules.has_tenants or "issuer" not in jwk:
        return True
    return isinstance(jwk["issuer"], str) and with_tenant(jwk["issuer"], claims) == claims["iss"]


def presence(claims: dict, rules: Rules) -> None:
    check(all(name in claims for name in ("sub", "exp", "iat")), "missing-claim")
    check(all(claims.get(name, "") != "" for name in rules.required), "missing-claim")
    if rules.requires_client:
        check(any(claims.get(name, "") != "" for name in rules.clients), "missing-claim")


def scopes_of(claims: dict, rules: Rules) -> list:
    if rules.scopes is None or rules.scopes[0] not in claims:
        return []
    name, kind = rules.scopes
    check(isinstance(claims[name], kind), "claim-type")
    found = [item for item in claims[name].split(" ") if item] if kind is str else claims[name]
    for scope in found:
        check(isinstance(scope, str) and bool(re.fullmatch(r"[!#-\[\]-~]+", scope)), "claim-type")
    return sorted(set(found))


def types(claims: dict, rules: Rules) -> None:
    for name in ("sub", "jti", "acr", *rules.clients):
        check(isinstance(claims.get(name, ""), str), "claim-type")
    for name in (rules.roles, rules.groups, rules.entitlements, "amr"):
        check(name is None or attributes(claims.get(name, [])) is not None, "claim-type")
    for name in ("auth_time", "exp", "iat", "nbf"):
        check(is_time(claims.get(name, 0)), "claim-type")


def values(claims: dict, rules: Rules, policy: dict) -> None:
    wanted = dict(rules.values)
    for name, accepted in policy.get("requiredValues", {}).items():
        wanted[name] = [value for value in accepted if value in wanted.get(name, accepted)]
    for name, accepted in wanted.items():
        check(bool(set(strings(claims.get(name)) or []) & set(accepted)), "claim-value")


def times(claims: dict, policy: dict) -> None:
    now, leeway = policy["now"], policy.get("leeway", 0)
    check(now < claims["exp"] + leeway and claims["exp"] > claims["iat"], "expired")
    check(claims.get("nbf", 0) <= now + leeway, "not-yet-valid")
    check(claims["iat"] <= now + leeway, "issued-in-future")
    check("maxAge" not in policy or now - claims["iat"] <= policy["maxAge"] + leeway, "too-old")


def verify_access(policy: dict, keys: list[dict], token: str) -> dict:
    """What a verifier must return for the token, or Refused."""
    rules = rules_of(policy)
    header, payload, signature = form(token)
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
        check_signature(token, signature, choose_key(header, keys, rules.requires_kid, fits))
    presence(claims, rules)
    types(claims, rules)
    scopes = scopes_of(claims, rules)
    values(claims, rules, policy)
    client = next((claims[name] for name in rules.clients if name in claims), None)
    check(not policy.get("allowedClients") or client in policy["allowedClients"], "authorized-party")
    check(0 < len(claims["sub"].encode("utf-8")) <= SUBJECT_BYTES_MAX, "subject")
    times(claims, policy)
    check(set(policy.get("requiredScopes", [])) <= set(scopes), "insufficient-scope")
    found = {"claims": claims, "client": client, "scopes": scopes}
    for member, name in [("roles", rules.roles), ("groups", rules.groups), ("entitlements", rules.entitlements)]:
        found[member] = attributes(claims.get(name, [])) if name else []
    return found
