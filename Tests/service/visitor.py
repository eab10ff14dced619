"""An HTTP client for the pages: stores cookies, follows redirects, submits forms, and records each step."""

from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import urlencode, urljoin, urlsplit

import rig

REDIRECTS_MAX = 10


class Forms(HTMLParser):
    """The forms of a page: the action and the hidden fields of each."""

    def __init__(self, page: str):
        super().__init__()
        self.all: list[tuple[str, dict[str, str]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        of = dict(attrs)
        if tag == "form":
            self.all.append((of.get("action") or "", {}))
        elif tag == "input" and self.all and of.get("type") == "hidden":
            self.all[-1][1][of["name"]] = of.get("value") or ""


@dataclass
class Page:
    """The response at the end of a redirect chain, and its address."""

    address: str
    answer: rig.Answer

    def form(self, action: str | None = None) -> tuple[str, dict[str, str]]:
        """Returns the form with an action, or the first form."""
        for leads_to, fields in Forms(self.answer.body.decode()).all:
            if action is None or leads_to == action:
                return urljoin(self.address, leads_to), fields
        raise LookupError(f"{self.address} has no form {action or ''}: {self.answer.status}")


@dataclass
class Visitor:
    """A client that stores cookies by host and port; all servers are on loopback."""

    steps: list[str] = field(default_factory=list)
    cookies: dict[str, dict[str, str]] = field(default_factory=dict)

    def get(self, address: str) -> Page:
        return self.follow("GET", address)

    def submit(self, page: Page, action: str | None = None, **values: str) -> Page:
        address, fields = page.form(action)
        return self.follow("POST", address, fields | values)

    def ask(self, method: str, address: str, form: dict[str, str] | None = None) -> rig.Answer:
        to = urlsplit(address)
        kept = self.cookies.setdefault(to.netloc, {})
        headers = [("Cookie", "; ".join(f"{name}={value}" for name, value in kept.items()))] if kept else []
        body = None
        if form is not None:
            headers += [("Content-Type", "application/x-www-form-urlencoded"), ("Origin", f"{to.scheme}://{to.netloc}")]
            body = urlencode(form).encode()
        target = (to.path or "/") + (f"?{to.query}" if to.query else "")
        answer = rig.ask(to.port, method, target, headers, body, host=to.netloc)
        for name, value in answer.headers:
            if name.lower() == "set-cookie":
                name, _, rest = value.partition("=")
                kept[name] = rest.partition(";")[0]
        # Query strings are omitted: they contain authorization codes and states.
        self.steps.append(f"{method:<4} {to.netloc}{to.path or '/'}  {answer.status}")
        return answer

    def follow(self, method: str, address: str, form: dict[str, str] | None = None) -> Page:
        for _ in range(REDIRECTS_MAX):
            answer = self.ask(method, address, form)
            location = answer.header("Location")
            if answer.status not in (302, 303) or location is None:
                return Page(address, answer)
            method, address, form = "GET", urljoin(address, location), None
        raise RuntimeError(f"more than {REDIRECTS_MAX} redirects, the last to {urlsplit(address).path}")
