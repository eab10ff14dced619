"""Access tokens: the signature by jwcrypto, and the rules of README.md, which no general library has.

The rules are written a second time here, in another form than in the generator: a table of what each issuer's tokens
are like, and conditions that must all hold.
"""

import json
import re

from engines import un_b64u
from jose_reader import read_jws, unique

RFC9068 = {
    "types": ["at+jwt"], "typ required": True, "kid required": True, "tenants": False, "required": ["jti"], "marks": {},
    "values": {}, "audience": ["aud"], "client": ["client_id"], "client required": True, "scope": "scope",
    "lists": {"roles": "roles", "groups": "groups", "entitlements": "entitlements"}, "algorithms": ["RS256"],
}
UNMARKED = {
    "types": ["jwt"], "typ required": False, "client": [], "client required": False, "scope": None, "lists": {},
}
# The issuer, with the parameters of the preset in braces, and how its tokens differ.
PRESETS = {
    "microsoft": ("https://login.microsoftonline.com/{tenantID}/v2.0", {
        "types": ["jwt"], "tenants": True, "required": ["tid", "azpacr"], "client": ["azp"], "scope": "scp"}),
    "microsoft-v1": ("https://sts.windows.net/{tenantID}/", {
        "types": ["jwt"], "tenants": True, "required": ["tid", "appidacr"], "client": ["appid"], "scope": "scp"}),
    "cognito": ("https://cognito-idp.{region}.amazonaws.com/{userPoolID}", {
        "types": ["jwt"], "typ required": False, "marks": {"token_use": ["access"]}, "audience": ["aud", "client_id"],
        "lists": {"groups": "cognito:groups", "entitlements": "entitlements"}}),
    "auth0": ("https://{domain}/", {"types": ["at+jwt", "jwt"], "required": [], "client": ["client_id", "azp"]}),
    "okta": ("https://{domain}/oauth2/{authorizationServer}", {
        "types": ["at+jwt", "jwt"], "typ required": False, "required": ["jti", "scp"], "client": ["cid"],
        "scope": ["scp"]}),
    "keycloak": ("{issuer}", {
        "types": ["at+jwt", "jwt"], "marks": {"typ": ["Bearer", "DPoP"]}, "client": ["azp"],
        "lists": {"groups": "groups", "entitlements": "entitlements"}}),
    "supabase": ("https://{projectID}.supabase.co/auth/v1", {
        **UNMARKED, "required": ["session_id", "aal"], "values": {"role": ["authenticated"]},
        "algorithms": ["ES256", "RS256"]}),
    "firebase": ("https://securetoken.google.com/{projectID}", {**UNMARKED, "required": ["auth_time", "firebase"]}),
    "firebase-app-check": ("https://firebaseappcheck.googleapis.com/{projectNumber}", {
        **UNMARKED, "typ required": True, "required": []}),
    "github-actions": ("https://token.actions.githubusercontent.com", {
        **UNMARKED, "required": ["jti", "repository", "repository_owner"]}),
    "gitlab": ("{url}", {**UNMARKED, "required": ["jti", "project_path", "job_id"]}),
    "kubernetes": ("{issuer}", {**UNMARKED, "required": ["kubernetes.io"]}),
}
DEFAULTS = {"tenantID": "{tenantid}", "url": "https://gitlab.com"}
# The claim whose value a parameter requires.
VALUE_OF = {
    "owner": "repository_owner", "repository": "repository", "project": "project_path", "serviceAccounts": "sub",
}
LATEST = 253_402_300_799


def rules_of(policy: dict) -> tuple[list[str], dict]:
    """The issuers, and what their tokens are like."""
    if "preset" not in policy:
        return policy["issuers"], {**RFC9068, "kid required": False}
    preset = policy["preset"]
    issuer, changes = PRESETS[preset["name"]]
    rules = {**RFC9068, **changes}
    for parameter in preset.keys() & VALUE_OF.keys():
        value = preset[parameter]
        accounts = [f"system:serviceaccount:{name.replace('/', ':')}" for name in value]
        rules["values"] = {VALUE_OF[parameter]: accounts if parameter == "serviceAccounts" else [value]}
    return [issuer.format_map({**DEFAULTS, **preset})], rules


def media_type(value: str) -> str:
    return value.lower().removeprefix("application/")


def texts(value) -> list[str]:
    """A string or an array of strings, as a list; ValueError if it is neither."""
    found = [value] if isinstance(value, str) else value
    if not isinstance(found, list) or any(not isinstance(item, str) for item in found):
        raise ValueError(value)
    return found


def entries(value) -> list[str]:
    """An array of strings, or of objects that contain one."""
    if not isinstance(value, list):
        raise ValueError(value)
    return [item if isinstance(item, str) else next(
        item[name] for name in ("value", "method") if isinstance(item.get(name), str)) for item in value]


def seconds(value) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= LATEST:
        raise ValueError(value)
    return value


def is_about(issuer: str, claims: dict) -> bool:
    """Whether an issuer with a tenant, or the placeholder of one, is the token's."""
    tenant = claims["tid"]
    filled = issuer.replace("{tenantid}", tenant)
    is_guid = re.fullmatch("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", tenant) is not None
    return is_guid and tenant in filled and claims["iss"] == filled


def header_fits(header: dict, claims: dict, rules: dict) -> bool:
    kind = header.get("typ", "" if rules["typ required"] else rules["types"][0])
    nested = re.split("[; ]", media_type(header.get("cty", "")))[0]
    marked = rules["marks"] or media_type(header.get("typ", "")) == "at+jwt"
    needs_key = "dpop" in [str(claims.get(name)).lower() for name in ("typ", "token_type")]
    return all([
        media_type(kind) in rules["types"],
        nested != "jwt" and not nested.endswith("+jwt"),
        not claims.keys() & {"events", "at_hash", "c_hash"},
        marked or "nonce" not in claims,
        all(type(claims.get(name)) is str and claims[name] in values for name, values in rules["marks"].items()),
        not needs_key or "jkt" in claims["cnf"],
        "kid" in header or not rules["kid required"],
        1 <= len(header.get("kid", "x").encode("utf-8")) <= 256,
    ])


def scopes_of(claims: dict, form) -> list[str]:
    """The scopes; the name of the claim in a list says that the claim is an array."""
    name = form[0] if isinstance(form, list) else form
    if name is None or name not in claims:
        return []
    value = claims[name]
    if type(value) is not (list if isinstance(form, list) else str):
        raise ValueError(value)
    scopes = value if isinstance(form, list) else value.split(" ")
    scopes = [scope for scope in scopes if scope or isinstance(form, list)]
    if any(not re.fullmatch(r"[\x21\x23-\x5b\x5d-\x7e]+", scope) for scope in scopes):
        raise ValueError(value)
    return sorted(set(scopes))


def result_of(claims: dict, rules: dict) -> dict:
    """What a verifier returns; an error if a claim has a wrong type."""
    texts([claims[name] for name in ("sub", "jti", "acr", *rules["client"]) if name in claims])
    entries(claims.get("amr", []))
    seconds(claims.get("auth_time", 0))
    clients = [claims[name] for name in rules["client"] if name in claims]
    found = {name: entries(claims.get(claim, [])) for name, claim in rules["lists"].items()}
    return {"roles": [], "groups": [], "entitlements": [], **found, "client": clients[0] if clients else None,
            "scopes": scopes_of(claims, rules["scope"])}


def meets(claims: dict, result: dict, issuers: list[str], rules: dict, policy: dict) -> bool:
    now, leeway = policy["now"], policy.get("leeway", 0)
    issued, expires, begins = (seconds(claims.get(name, 0)) for name in ("iat", "exp", "nbf"))
    audience = next(claims[name] for name in rules["audience"] if name in claims)
    required = [*rules["values"].items(), *policy.get("requiredValues", {}).items()]
    return all([
        all(name in claims and claims[name] != "" for name in rules["required"]),
        claims.keys() >= {"sub", "exp", "iat"},
        result["client"] not in (None, "") or not rules["client required"],
        any(is_about(issuer, claims) if rules["tenants"] else claims["iss"] == issuer for issuer in issuers),
        set(texts(audience)) & set(policy["audiences"]),
        all(set(texts(claims[name])) & set(values) for name, values in required),
        result["client"] in policy.get("allowedClients", [result["client"]]),
        1 <= len(claims["sub"].encode("utf-8")) <= 1024,
        now < expires + leeway and issued < expires,
        begins <= now + leeway and issued <= now + leeway,
        now - issued <= policy.get("maxAge", now) + leeway,
        set(policy.get("requiredScopes", [])) <= set(result["scopes"]),
    ])


def accepts_access_token(group: dict, test: dict) -> bool:
    """Whether the token is accepted, with the result that the test states."""
    policy, (issuers, rules) = group["policy"], rules_of(group["policy"])
    try:
        header, payload = (un_b64u(part) for part in test["token"].split(".")[:2])
        header, claims = json.loads(header), json.loads(payload, object_pairs_hook=unique)
        keys = [key for key in group["keys"]["keys"]
                if not (rules["tenants"] and "issuer" in key) or is_about(key["issuer"], claims)]
        rules = {**rules, "kid required": rules["kid required"] and "secret" not in policy}
        algorithms = policy.get("algorithms", rules["algorithms"])
        if read_jws(test["token"], keys, algorithms, policy.get("secret")) is None:
            return False
        result = result_of(claims, rules)
        accepted = header_fits(header, claims, rules) and meets(claims, result, issuers, rules, policy)
    except (AttributeError, KeyError, StopIteration, TypeError, ValueError):
        # A member is missing or has another type than it must have.
        return False
    return accepted and all(test.get(name, value) == value for name, value in result.items()) and all(
        claims.get(name) == value for name, value in test.get("claims", {}).items())
