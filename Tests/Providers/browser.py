"""Logs a user in at an OpenID provider, as a browser and a relying party do: forms, cookies, redirects, a code."""

import base64
import hashlib
import json
import secrets
import urllib.error
import urllib.request
from html.parser import HTMLParser
from http.cookiejar import CookieJar
from urllib.parse import parse_qs, urlencode, urljoin, urlsplit

import client

TIMEOUT = 20
STEPS_MAX = 10


class LoginFailed(Exception):
    """The provider responded unexpectedly."""


class Forms(HTMLParser):
    """The forms of a page, with their actions and hidden fields. No choice of a field is selected."""

    def __init__(self, page: str):
        super().__init__()
        self.found: list[dict] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attributes: list) -> None:
        values = dict(attributes)
        if tag == "form":
            self.found.append({"action": values.get("action", ""), "fields": {}, "names": set()})
        elif tag == "input" and self.found and values.get("name"):
            self.found[-1]["names"].add(values["name"])
            if values.get("type") == "hidden":
                self.found[-1]["fields"][values["name"]] = values.get("value", "")


class NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_) -> None:
        return None


def fetch(url: str) -> dict:
    """Fetches a JSON document."""
    with opener().open(url, timeout=TIMEOUT) as response:
        return json.load(response)


def opener(*handlers) -> urllib.request.OpenerDirector:
    # Without the first handler, a proxy of the environment would receive the requests to this machine.
    return urllib.request.build_opener(urllib.request.ProxyHandler({}), NoRedirects(), *handlers)


class Browser:
    """A browser of one user, which keeps cookies."""

    def __init__(self, user: str):
        self.user = user
        self.opener = opener(urllib.request.HTTPCookieProcessor(CookieJar()))

    def visit(self, url: str, redirect_uri: str = client.REDIRECT_URI) -> str:
        """Fills in forms and follows redirects until the provider redirects to the client; returns that URL."""
        form = None
        for _ in range(STEPS_MAX):
            if url.startswith(redirect_uri + "?"):
                return url
            status, location, page = self.open(url, form)
            if location:
                url, form = urljoin(url, location), None
            else:
                url, form = self.filled(url, page)
        raise LoginFailed(f"no answer after {STEPS_MAX} pages")

    def open(self, url: str, form: dict | None) -> tuple[int, str | None, str]:
        data = urlencode(form).encode() if form is not None else None
        try:
            with self.opener.open(url, data, timeout=TIMEOUT) as response:
                return response.status, None, response.read().decode()
        except urllib.error.HTTPError as answer:
            with answer:
                if answer.code in (301, 302, 303, 307):
                    return answer.code, answer.headers["Location"], ""
                raise LoginFailed(f"{urlsplit(url).path} answers {answer.code}") from None

    def send(self, method: str, url: str, body: dict) -> None:
        """Sends JSON, as the script of a page does."""
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(url, json.dumps(body).encode(), headers, method=method)
        self.opener.open(request, timeout=TIMEOUT).close()

    def continued(self, url: str) -> str | None:
        """Signs in and consents as the script of Glewlwyd's page does. Returns the next URL; None at any other page."""
        query = {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
        if "callback_url" not in query:
            return None
        self.send("POST", urljoin(url, "/api/auth/"), {"username": self.user, "password": client.PASSWORD})
        self.send("PUT", urljoin(url, f"/api/auth/grant/{query['client_id']}/"), {"scope": query["scope"]})
        return query["callback_url"] + "&g_continue"

    def filled(self, url: str, page: str) -> tuple[str, dict | None]:
        if address := self.continued(url):
            return address, None
        for form in Forms(page).found:
            fields, names = form["fields"], form["names"]
            if {"username", "password"} <= names:
                fields |= {"username": self.user, "password": client.PASSWORD}
            elif "sub" in names:
                fields |= {"sub": self.user}
            elif "allow" in names:
                fields |= {"allow": "Authorize"}
            else:
                continue
            return urljoin(url, form["action"]) if form["action"] else url, fields
        raise LoginFailed(f"{urlsplit(url).path} has no form that we know")


def log_in(issuer: str, user: str, nonce: str) -> dict:
    """Returns the ID token of a login by the authorization code flow with PKCE, and the response of the userinfo endpoint."""
    metadata = fetch(f"{issuer}/.well-known/openid-configuration")
    verifier, state = secrets.token_urlsafe(32), secrets.token_urlsafe(16)
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
    query = {
        "response_type": "code", "client_id": client.ID, "redirect_uri": client.REDIRECT_URI, "scope": "openid",
        "state": state, "nonce": nonce, "code_challenge": challenge, "code_challenge_method": "S256",
    }
    callback = Browser(user).visit(f"{metadata['authorization_endpoint']}?{urlencode(query)}")
    answer = parse_qs(urlsplit(callback).query)
    if answer.get("state") != [state] or "code" not in answer:
        raise LoginFailed(f"the provider answers {sorted(answer)}, or with another state")
    exchange = {
        "grant_type": "authorization_code", "code": answer["code"][0], "redirect_uri": client.REDIRECT_URI,
        "client_id": client.ID, "client_secret": client.SECRET, "code_verifier": verifier,
    }
    with opener().open(metadata["token_endpoint"], urlencode(exchange).encode(), timeout=TIMEOUT) as response:
        tokens = json.load(response)
    bearer = {"Authorization": f"Bearer {tokens['access_token']}"}
    request = urllib.request.Request(metadata["userinfo_endpoint"], headers=bearer)
    with opener().open(request, timeout=TIMEOUT) as response:
        about = json.load(response)
    return {"id_token": tokens["id_token"], "access_token": tokens["access_token"], "sub": about["sub"]}
