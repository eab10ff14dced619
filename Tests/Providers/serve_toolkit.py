"""Runs django-oauth-toolkit behind waitress.

usage: serve_toolkit.py prepare|announce|retire|serve DIRECTORY [PORT]

`prepare` makes the database with a client and two users, and a key. `announce` adds a key, which is published while the
older one still signs; `retire` removes the older one. Both take effect when it serves again: the keys are settings.
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


def prepare() -> None:
    from django.contrib.auth.models import User
    from django.core.management import call_command
    from oauth2_provider.models import Application

    call_command("migrate", verbosity=0)
    Application.objects.create(
        name="A relying party",
        client_type=Application.CLIENT_CONFIDENTIAL,
        authorization_grant_type=Application.GRANT_AUTHORIZATION_CODE,
        client_id=client.ID,
        client_secret=client.SECRET,
        redirect_uris=client.REDIRECT_URI,
        algorithm=Application.RS256_ALGORITHM,
    )
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
    {"prepare": prepare, "serve": serve}[sys.argv[1]]()


if __name__ == "__main__":
    main()
