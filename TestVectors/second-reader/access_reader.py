"""Access tokens: the signature by jwcrypto, and the rules of README.md, which no general library has.

The rules are written a second time here, in another form than in the generator: a table of what each issuer's tokens
are like, and conditions that must all hold.
"""

import json
import re

from engines import un_b64u
from jose_reader import published_keys, read_jws, unique

RFC9068 = {
    "types": ["at+jwt"], "typ required": True, "kid required": True, "tenants": False, "required": ["jti"], "marks": {},
    "values": {}, "audience": ["aud"], "client": ["client_id"], "client required": True, "scope": "scope",
    "lists": {"roles": "roles", "groups": "groups", "entitlements": "entitlements"}, "algorithms": ["RS256"],
    "always": ["sub", "exp", "iat"], "nonce": False, "own audience": False,
}
UNMARKED = {
    "types": ["jwt"], "typ required": False, "client": [], "client required": False, "scope": None, "lists": {},
}
# The issuer, with the parameters of the preset in braces, and how its tokens differ.
PRESETS = {
    "microsoft": ("https://{host}/{tenantID}/v2.0", {
        "types": ["jwt"], "tenants": True, "required": ["tid", "azpacr"], "client": ["azp"], "scope": "scp"}),
    "microsoft-v1": ("https://{host}/{tenantID}/", {
        "types": ["jwt"], "tenants": True, "required": ["tid", "appidacr"], "client": ["appid"], "scope": "scp"}),
    "microsoft-b2c": ("https://{host}/{tenantID}/v2.0/", {
        "types": ["jwt"], "required": ["scp"], "client": ["azp"], "scope": "scp", "nonce": True}),
    "jwt": ("{issuer}", {
        **UNMARKED, "kid required": False, "always": ["sub", "exp"], "own audience": True, "required": []}),
    "cognito": ("https://{host}/{userPoolID}", {
        "types": ["jwt"], "typ required": False, "marks": {"token_use": ["access"]}, "audience": ["aud", "client_id"],
        "nonce": True,
        "lists": {"groups": "cognito:groups", "entitlements": "entitlements"}}),
    "auth0": ("https://{domain}/", {"types": ["at+jwt", "jwt"], "required": [], "client": ["client_id", "azp"]}),
    "okta": ("https://{domain}/oauth2/{authorizationServer}", {
        "types": ["at+jwt", "jwt"], "typ required": False, "required": ["jti", "scp"], "client": ["cid"],
        "scope": ["scp"]}),
    "keycloak": ("{issuer}", {
        "types": ["at+jwt", "jwt"], "marks": {"typ": ["Bearer", "DPoP"]}, "client": ["azp"], "nonce": True,
        "lists": {"groups": "groups", "entitlements": "entitlements"}}),
    "supabase": ("{issuer}", {
        **UNMARKED, "required": ["session_id", "aal"], "values": {"role": ["authenticated"]},
        "algorithms": ["ES256", "RS256"]}),
    "firebase": ("https://securetoken.google.com/{projectID}", {**UNMARKED, "required": ["auth_time", "firebase"]}),
    "firebase-app-check": ("https://firebaseappcheck.googleapis.com/{projectNumber}", {
        **UNMARKED, "typ required": True, "required": []}),
    "github-actions": ("{issuer}", {
        **UNMARKED, "required": ["jti", "repository", "repository_owner"]}),
    "gitlab": ("{url}", {**UNMARKED, "required": ["jti", "project_path", "job_id"]}),
    "kubernetes": ("{issuer}", {**UNMARKED, "required": ["kubernetes.io"]}),
}
DEFAULTS = {"tenantID": "{tenantid}", "url": "https://gitlab.com"}


def place_of(preset: dict) -> dict:
    """The host or the issuer, where a preset has one of its own unless it is a parameter."""
    region = preset.get("region", "")
    china = ".cn" if region.startswith("cn-") else ""
    places = {
        "microsoft": {"host": "login.microsoftonline.com"},
        "cognito": {"host": f"cognito-idp.{region}.amazonaws.com{china}"},
        "supabase": {"issuer": f"https://{preset.get('projectID')}.supabase.co/auth/v1"},
        "github-actions": {"issuer": "https://token.actions.githubusercontent.com"},
    }
    if preset["name"] == "microsoft-v1":
        is_china = preset.get("host") == "login.partner.microsoftonline.cn"
        return {**preset, "host": "sts.chinacloudapi.cn" if is_china else "sts.windows.net"}
    return {**places.get(preset["name"], {}), **preset}


def general(preset: dict) -> dict:
    """How the tokens of the general form are, by its parameters."""
    claim, *value = preset["mark"].split("=", 1)
    client = preset.get("clientClaim", "client_id")
    named = {} if client == "none" else {"client": [client], "client required": True}
    mark = {"marks": {claim: value}} if value else {"required": [claim]}
    return {**named, **mark, "scope": {preset.get("scopeClaim", "scope")}}
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
    if preset["name"] == "jwt":
        rules |= general(preset)
    return [issuer.format_map({**DEFAULTS, **place_of(preset)})], rules


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


def names_kind(claims: dict, kinds: str) -> bool:
    """Whether a claim names one of these kinds of tokens, as a word or a URN, or in an array of them."""
    pattern = re.compile(f"(?:.*:)?(?:{kinds})(?:token)?", re.IGNORECASE | re.DOTALL | re.ASCII)
    values = [claims.get(name) for name in ("typ", "token_use", "token_type")]
    named = [kind for value in values for kind in (value if type(value) is list else [value])]
    return any(pattern.fullmatch(kind.translate(dict.fromkeys(map(ord, " _-")))) for kind in named if type(kind) is str)


def header_fits(header: dict, claims: dict, rules: dict) -> bool:
    kind = header.get("typ", "" if rules["typ required"] else rules["types"][0])
    nested = re.split("[; ]", media_type(header.get("cty", "")))[0]
    typed = media_type(header.get("typ", "")) == "at+jwt"
    needs_key = names_kind(claims, "dpop")
    return all([
        media_type(kind) in rules["types"],
        nested != "jwt" and not nested.endswith("+jwt"),
        not claims.keys() & {"events", "at_hash", "c_hash"},
        typed or rules["nonce"] or "nonce" not in claims,
        typed or not (names_kind(claims, "id|refresh|offline|logout") or type(claims.get("token_use", "")) is not str),
        all(type(claims.get(name)) is str and claims[name] in values for name, values in rules["marks"].items()),
        not needs_key or "jkt" in claims["cnf"],
        "kid" in header or not rules["kid required"],
        1 <= len(header.get("kid", "x").encode("utf-8")) <= 256,
    ])


def scopes_of(claims: dict, form) -> list[str]:
    """The scopes; the name of the claim in a list says that the claim is an array, and in a set that it may be one."""
    name = next(iter(form)) if isinstance(form, (list, set)) else form
    if name is None or claims.get(name) is None:
        return []
    value = claims[name]
    if type(value) not in {list: (list,), set: (list, str)}.get(type(form), (str,)):
        raise ValueError(value)
    scopes = value if isinstance(value, list) else [scope for scope in value.split(" ") if scope]
    if any(not re.fullmatch(r"[\x21\x23-\x5b\x5d-\x7e]+", scope) for scope in scopes):
        raise ValueError(value)
    return sorted(set(scopes))


def unless_used(is_used: bool, read, value, otherwise):
    """What a claim says; one of another form is an error if it is used, and says nothing otherwise."""
    try:
        return read(value)
    except (AttributeError, KeyError, StopIteration, TypeError, ValueError):
        if is_used:
            raise
        return otherwise


def text(value) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError(value)
    return value


def result_of(claims: dict, rules: dict, policy: dict) -> dict:
    """What a verifier returns; an error if a claim that something uses has a wrong type."""
    text(claims["sub"])
    for name, read in {"jti": text, "auth_time": seconds}.items():
        if name in rules["required"]:
            read(claims[name])
    names_client = [claims[name] for name in rules["client"] if name in claims]
    asks_client = rules["client required"] or "allowedClients" in policy
    client = unless_used(asks_client, text, names_client[0], None) if names_client else None
    lists = {name: unless_used(False, entries, claims.get(claim), []) for name, claim in rules["lists"].items()}
    asks_scopes = "requiredScopes" in policy or "scp" in rules["required"]
    scopes = unless_used(asks_scopes, lambda all: scopes_of(all, rules["scope"]), claims, [])
    return {"roles": [], "groups": [], "entitlements": [], **lists, "client": client, "scopes": scopes}


def meets(claims: dict, result: dict, issuers: list[str], rules: dict, policy: dict) -> bool:
    now, leeway = policy["now"], policy.get("leeway", 0)
    issued, expires, begins = (
        seconds(0 if claims.get(name) is None else claims[name]) for name in ("iat", "exp", "nbf"))
    needed = {*rules["always"], "iat"} if "maxAge" in policy else {*rules["always"]}
    audience = next(claims[name] for name in rules["audience"] if name in claims)
    required = [*rules["values"].items(), *policy.get("requiredValues", {}).items()]
    return all([
        all(claims.get(name) not in (None, "") for name in rules["required"]),
        all(claims.get(name) is not None for name in needed),
        not rules["own audience"]
        or not any(claims.get(name) in policy["audiences"] for name in [*rules["client"], "azp", "client_id"]),
        result["client"] is not None or not rules["client required"],
        any(is_about(issuer, claims) if rules["tenants"] else claims["iss"] == issuer for issuer in issuers),
        set(texts(audience)) & set(policy["audiences"]),
        all(set(texts(claims[name])) & set(values) for name, values in required),
        result["client"] in policy.get("allowedClients", [result["client"]]),
        1 <= len(claims["sub"].encode("utf-8")) <= 1024,
        now < expires + leeway and (issued < expires or "iat" not in claims),
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
        keys = [key for key in published_keys(group["keys"]["keys"])
                if not (rules["tenants"] and "issuer" in key) or is_about(key["issuer"], claims)]
        rules = {**rules, "kid required": rules["kid required"] and "secret" not in policy}
        algorithms = policy.get("algorithms", rules["algorithms"])
        if read_jws(test["token"], keys, algorithms, policy.get("secret")) is None:
            return False
        result = result_of(claims, rules, policy)
        accepted = header_fits(header, claims, rules) and meets(claims, result, issuers, rules, policy)
    except (AttributeError, KeyError, StopIteration, TypeError, ValueError):
        # A member is missing or has another type than it must have.
        return False
    return accepted and all(test.get(name, value) == value for name, value in result.items()) and all(
        claims.get(name) == value for name, value in test.get("claims", {}).items())
