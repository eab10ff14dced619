"""Runs django-oauth-toolkit behind waitress.

usage: serve_toolkit.py prepare|announce|retire|serve DIRECTORY [PORT]
       serve_toolkit.py register DIRECTORY REDIRECT_URI

`prepare` makes the database with a client and two users, and a key. `register` adds a public client for a native app, with
its redirect URI. `announce` adds a key, which is published while the older one still signs; `retire` removes the older
one. Both take effect when it serves again: the keys are settings.
"""

import os
import sys
from pathlib import Path

import client
from lifeline import end_with_input


def make_key(path: Path) -> None:
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import rsa

    key = rsa.generate_private_key(public_exponent=65_537, key_size=2048)
    pem = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    path.write_bytes(key.private_bytes(*pem))


def add_client(kind: str, name: str, redirect_uri: str, **further: str) -> None:
    from oauth2_provider.models import Application

    Application.objects.create(
        client_type=kind,
        authorization_grant_type=Application.GRANT_AUTHORIZATION_CODE,
        client_id=name,
        redirect_uris=redirect_uri,
        algorithm=Application.RS256_ALGORITHM,
        **further,
    )


def register() -> None:
    from oauth2_provider.models import Application

    add_client(Application.CLIENT_PUBLIC, client.NATIVE_ID, sys.argv[3])


def prepare() -> None:
    from django.contrib.auth.models import User
    from django.core.management import call_command
    from oauth2_provider.models import Application

    call_command("migrate", verbosity=0)
    add_client(Application.CLIENT_CONFIDENTIAL, client.ID, client.REDIRECT_URI, client_secret=client.SECRET)
    for name in client.USERS:
        User.objects.create_user(username=name, password=client.PASSWORD)


def serve() -> None:
    from django.core.wsgi import get_wsgi_application
    from waitress import serve

    end_with_input()
    serve(get_wsgi_application(), host="127.0.0.1", port=int(sys.argv[3]), threads=8)


def main() -> None:
    folder = Path(sys.argv[2])
    signing, announced = folder / "signing.pem", folder / "announced.pem"
    match sys.argv[1]:
        case "announce":
            return make_key(announced)
        case "retire":
            announced.replace(signing)
            return
        case "prepare":
            make_key(signing)
    import django

    os.environ["PROVIDER_DIRECTORY"] = sys.argv[2]
    os.environ["DJANGO_SETTINGS_MODULE"] = "toolkit_project.settings"
    django.setup()
    {"prepare": prepare, "register": register, "serve": serve}[sys.argv[1]]()


if __name__ == "__main__":
    main()
