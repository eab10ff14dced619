"""Runs django-oidc-provider behind waitress.

usage: serve_django.py prepare|announce|retire|serve DIRECTORY [PORT]
       serve_django.py register DIRECTORY REDIRECT_URI

`prepare` makes the database with a client, two users and a key. `announce` adds a key, which is published while the
older one still signs; `retire` removes all keys but the newest. `register` adds a public client for a native app, with its
redirect URI. All three work while it serves.
"""

import os
import sys

import client
from lifeline import end_with_input


def prepare() -> None:
    from django.contrib.auth.models import User
    from django.core.management import call_command
    from oidc_provider.models import Client, ResponseType

    call_command("migrate", verbosity=0)
    relying_party = Client.objects.create(
        name="A relying party",
        client_type="confidential",
        client_id=client.ID,
        client_secret=client.SECRET,
        jwt_alg="RS256",
    )
    relying_party.redirect_uris = [client.REDIRECT_URI]
    relying_party.save()
    relying_party.response_types.add(ResponseType.objects.get(value="code"))
    for name in client.USERS:
        User.objects.create_user(username=name, password=client.PASSWORD)
    announce()


def register() -> None:
    from oidc_provider.models import Client, ResponseType

    app = Client.objects.create(name="A native app", client_type="public", client_id=client.NATIVE_ID, jwt_alg="RS256")
    app.redirect_uris = [sys.argv[3]]
    app.save()
    app.response_types.add(ResponseType.objects.get(value="code"))


def announce() -> None:
    from django.core.management import call_command
    from oidc_provider.models import RSAKey

    before = RSAKey.objects.count()
    call_command("creatersakey", verbosity=0, stdout=open(os.devnull, "w"))
    # The command prints errors, but its exit status is 0.
    if RSAKey.objects.count() != before + 1:
        sys.exit("serve_django: no key was made")


def retire() -> None:
    from oidc_provider.models import RSAKey

    newest = RSAKey.objects.last()
    RSAKey.objects.exclude(pk=newest.pk).delete()


def serve() -> None:
    from django.core.wsgi import get_wsgi_application
    from waitress import serve

    end_with_input()
    serve(get_wsgi_application(), host="127.0.0.1", port=int(sys.argv[3]), threads=8)


def main() -> None:
    import django

    os.environ["PROVIDER_DIRECTORY"] = sys.argv[2]
    os.environ["DJANGO_SETTINGS_MODULE"] = "django_project.settings"
    django.setup()
    commands = {"prepare": prepare, "register": register, "announce": announce, "retire": retire, "serve": serve}
    commands[sys.argv[1]]()


if __name__ == "__main__":
    main()
