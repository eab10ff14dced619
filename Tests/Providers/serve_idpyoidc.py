"""Runs a provider that is made with the library idpyoidc, behind waitress.

usage: serve_idpyoidc.py PORT

It makes one key when it starts, and knows the users by their names. Codes and tokens are in memory.
"""

import sys
from urllib.parse import parse_qs

import client
from idpyoidc.server import Server
from idpyoidc.server.oauth2.add_on import pkce
from idpyoidc.server.oidc import userinfo
from idpyoidc.server.oidc.authorization import Authorization
from idpyoidc.server.oidc.provider_config import ProviderConfiguration
from idpyoidc.server.oidc.token import Token
from idpyoidc.server.user_authn.authn_context import INTERNETPROTOCOLPASSWORD
from lifeline import end_with_input
from waitress import serve

FORM = b'<form method="post"><input name="sub" /><input type="submit" value="Log in" /></form>'
METHODS = ["client_secret_basic", "client_secret_post"]


def make_server(issuer: str) -> Server:
    secure = {"client_authn_method": METHODS}
    users = {name: {"name": name, "email": f"{name}@example.com"} for name in client.USERS}
    configuration = {
        "issuer": issuer,
        "key_conf": {"key_defs": [{"type": "RSA", "use": ["sig"]}], "uri_path": "keys"},
        "endpoint": {
            "provider_config": {
                "path": ".well-known/openid-configuration", "class": ProviderConfiguration, "kwargs": {},
            },
            "authorization": {
                "path": "authorize", "class": Authorization, "kwargs": {"response_types_supported": ["code"]},
            },
            "token": {"path": "token", "class": Token, "kwargs": secure},
            "userinfo": {"path": "userinfo", "class": userinfo.UserInfo, "kwargs": {}},
        },
        "userinfo": {"class": "idpyoidc.server.user_info.UserInfo", "kwargs": {"db": users}},
        "token_handler_args": {
            "code": {"lifetime": 600},
            "token": {"lifetime": 3600},
            "id_token": {"class": "idpyoidc.server.token.id_token.IDToken", "kwargs": {}},
        },
        "authentication": {
            "form": {
                "acr": INTERNETPROTOCOLPASSWORD,
                "class": "idpyoidc.server.user_authn.user.NoAuthn",
                "kwargs": {"user": client.USERS[0]},
            }
        },
        "add_on": {
            "pkce": {
                "function": "idpyoidc.server.oauth2.add_on.pkce.add_support",
                "kwargs": {"essential": True, "code_challenge_methods": {"S256": pkce.CC_METHOD["S256"]}},
            }
        },
    }
    server = Server(configuration)
    server.context.cdb[client.ID] = {
        "client_secret": client.SECRET,
        "redirect_uris": [(client.REDIRECT_URI, {})],
        "response_types_supported": ["code"],
        "allowed_scopes": ["openid", "profile", "email"],
        "client_id": client.ID,
    }
    return server


class Application:
    def __init__(self, issuer: str):
        self.server = make_server(issuer)

    def __call__(self, environment: dict, start_response) -> list[bytes]:
        body = environment["wsgi.input"].read().decode()
        headers = {"authorization": environment["HTTP_AUTHORIZATION"]} if "HTTP_AUTHORIZATION" in environment else {}
        status, fields, answer = "200 OK", [("Content-Type", "application/json")], b""
        match environment["PATH_INFO"]:
            case "/.well-known/openid-configuration":
                answer = self.ask("provider_config", "", headers)["response"].encode()
            case "/keys":
                answer = self.server.keyjar.export_jwks_as_json().encode()
            case "/token":
                reply = self.ask("token", body, headers)
                status = "400 Bad Request" if '"error"' in reply["response"] else status
                answer = reply["response"].encode()
            case "/userinfo":
                answer = self.ask("userinfo", environment["QUERY_STRING"], headers)["response"].encode()
            case "/authorize" if body:
                self.server.context.authn_broker["form"]["method"].user = parse_qs(body)["sub"][0]
                reply = self.ask("authorization", environment["QUERY_STRING"], headers)
                status, fields = "303 See Other", [("Location", reply["response"])]
            case "/authorize":
                fields, answer = [("Content-Type", "text/html")], FORM
            case _:
                status = "404 Not Found"
        start_response(status, fields)
        return [answer]

    def ask(self, name: str, message: str, headers: dict) -> dict:
        endpoint = self.server.get_endpoint(name)
        information = {"headers": headers}
        request = endpoint.parse_request(message, http_info=information)
        if "error" in request:
            return endpoint.do_response(**request.to_dict())
        return endpoint.do_response(request=request, **endpoint.process_request(request, http_info=information))


def main() -> None:
    port = int(sys.argv[1])
    end_with_input()
    # One thread: the user of a login is a property of the server.
    serve(Application(f"http://127.0.0.1:{port}"), host="127.0.0.1", port=port, threads=1)


if __name__ == "__main__":
    main()
