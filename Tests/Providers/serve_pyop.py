"""Runs a provider that is made with the library pyop, behind waitress.

usage: serve_pyop.py PORT

It makes one key when it starts, and knows the users by their names. Codes and tokens are in memory.
"""

import html
import json
import secrets
import sys
from urllib.parse import parse_qs

import client
from Cryptodome.PublicKey import RSA
from jwkest.jwk import RSAKey
from lifeline import end_with_input
from oic.oic.message import AuthorizationResponse
from pyop.authz_state import AuthorizationState
from pyop.exceptions import InvalidAuthenticationRequest, OAuthError
from pyop.provider import Provider
from pyop.subject_identifier import HashBasedSubjectIdentifierFactory
from pyop.userinfo import Userinfo
from waitress import serve

FORM = '<form method="post"><input name="sub" /><input type="submit" value="Log in" /></form>'


def make_provider(issuer: str) -> Provider:
    configuration = {
        "issuer": issuer,
        "authorization_endpoint": f"{issuer}/authorize",
        "token_endpoint": f"{issuer}/token",
        "userinfo_endpoint": f"{issuer}/userinfo",
        "jwks_uri": f"{issuer}/keys",
        "response_types_supported": ["code"],
        "subject_types_supported": ["pairwise"],
        "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post"],
    }
    clients = {
        client.ID: {
            "client_secret": client.SECRET,
            "redirect_uris": [client.REDIRECT_URI],
            "response_types": ["code"],
            "token_endpoint_auth_method": "client_secret_post",
        }
    }
    key = RSAKey(key=RSA.generate(2048), alg="RS256", use="sig", kid=secrets.token_hex(8))
    state = AuthorizationState(HashBasedSubjectIdentifierFactory(secrets.token_hex(16)))
    # The library accepts an issuer with `https` only when it is created, and uses the issuer that it has later.
    secure = configuration | {"issuer": issuer.replace("http://", "https://")}
    provider = Provider(key, secure, state, clients, Userinfo({name: {"name": name} for name in client.USERS}))
    provider.configuration_information["issuer"] = issuer
    return provider


class Application:
    def __init__(self, issuer: str):
        self.provider = make_provider(issuer)

    def __call__(self, environment: dict, start_response) -> list[bytes]:
        query = environment["QUERY_STRING"]
        body = environment["wsgi.input"].read().decode()
        headers = {"Authorization": environment.get("HTTP_AUTHORIZATION", "")}
        headers = {name: value for name, value in headers.items() if value}
        status, fields, answer = "200 OK", [("Content-Type", "application/json")], ""
        try:
            match environment["PATH_INFO"]:
                case "/.well-known/openid-configuration":
                    answer = self.provider.provider_configuration.to_json()
                case "/keys":
                    answer = json.dumps(self.provider.jwks)
                case "/token":
                    answer = self.provider.handle_token_request(body, headers).to_json()
                case "/userinfo":
                    answer = self.provider.handle_userinfo_request(query, headers).to_json()
                case "/authorize" if body:
                    status, fields = "303 See Other", [("Location", self.callback(query, parse_qs(body)["sub"][0]))]
                case "/authorize":
                    fields, answer = [("Content-Type", "text/html")], FORM
                case _:
                    status = "404 Not Found"
        except InvalidAuthenticationRequest as error:
            status, fields, answer = "400 Bad Request", [("Content-Type", "text/html")], html.escape(str(error))
        except OAuthError as error:
            status, answer = "400 Bad Request", json.dumps({"error": error.oauth_error})
        start_response(status, fields)
        return [answer.encode()]

    def callback(self, query: str, user: str) -> str:
        request = self.provider.parse_authentication_request(query)
        response: AuthorizationResponse = self.provider.authorize(request, user)
        return response.request(request["redirect_uri"])


def main() -> None:
    port = int(sys.argv[1])
    end_with_input()
    serve(Application(f"http://127.0.0.1:{port}"), host="127.0.0.1", port=port, threads=8)


if __name__ == "__main__":
    main()
