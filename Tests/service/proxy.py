"""The proxies of share/proxies.

Each runs with its shipped configuration, and with the lines that docs/guides/proxies.md adds for an API. Only addresses, ports
and file paths are replaced.
"""

import re
import ssl
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import rig
from echo import Echo
from relay import Relay

HOST, API_HOST = "login.example.com", "api.example.com"
PROXIES = rig.ROOT / "share" / "proxies"
GUIDE = rig.ROOT / "docs" / "guides" / "proxies.md"


@dataclass
class Place:
    """Where a block of the guide belongs: before each occurrence of a text in a file, or at the end of the file."""

    file: str
    text: str | None = None
    # Whether the block replaces the text.
    replaces: bool = False


@dataclass
class Guided:
    """The lines that the guide adds to the shipped files for an API."""

    # The place of each block, in the order of the page.
    places: tuple[Place, ...]
    # The name of the API in the service, which is the form of the certificates.
    api: str = "escaped-pem"
    passes_certificates: bool = True


@dataclass
class Proxy:
    """A proxy: its configuration files, the replacements in them, and its command."""

    name: str
    files: tuple[str, ...]
    # Text in the files → its replacement; <…> are values of this run. Each text must occur.
    changes: dict[str, str]
    command: list[str]
    # Whether the application receives its own cookies.
    passes_cookies: bool = True
    # The status with which the service refuses navigations, so that the proxy redirects them.
    redirects: int = 303
    # Whether it also listens on ::1 in this run.
    hears_ipv6: bool = rig.has_ipv6()
    # The lines of the guide for an API; None if it has none to copy.
    guided: Guided | None = None


def at(address: str, port: object) -> str:
    """Returns an address in Envoy's configuration syntax."""
    return f"address: {{ socket_address: {{ address: {address}, port_value: {port} }} }}"


def also_at(address: str, port: object) -> str:
    """Returns an additional address in Envoy's configuration syntax."""
    return f"additional_addresses: [{{ {at(address, port)} }}]"


def ipv6_too(line: str, here: str) -> dict[str, str]:
    """Returns the replacement of an IPv6 line: empty if this machine has no IPv6."""
    return {line: here if rig.has_ipv6() else ""}


CERTIFICATE = {
    "/etc/ssl/login.example.com.pem": "<folder>/cert.pem",
    "/etc/ssl/private/login.example.com.key": "<folder>/key.pem",
}
API_CERTIFICATE = {
    "/etc/ssl/api.example.com.pem": "<folder>/api-cert.pem",
    "/etc/ssl/private/api.example.com.key": "<folder>/api-key.pem",
}
BACKENDS = {"127.0.0.1:8080": "127.0.0.1:<relay>", "127.0.0.1:3000": "127.0.0.1:<echo>"}
KNOWN = [
    Proxy(
        "nginx",
        ("login.conf", "login-question.conf", "login-answer.conf", "login-errors.conf"),
        CERTIFICATE
        | BACKENDS
        | {
            "listen 443 ": "listen 127.0.0.1:<https> ",
            "listen 80;": "listen 127.0.0.1:<http>;",
            "/etc/nginx/": "<folder>/",
        }
        | ipv6_too("listen [::]:443 ssl http2;", "listen [::1]:<https> ssl http2;")
        | ipv6_too("listen [::]:443 ssl http2 default_server;", "listen [::1]:<https> ssl http2 default_server;")
        | ipv6_too("listen [::]:80;", "listen [::1]:<http>;"),
        ["nginx", "-p", "<folder>", "-c", "<folder>/nginx.conf", "-e", "stderr"],
        redirects=401,
        guided=Guided(
            (
                Place("orders.conf"),
                Place("orders.conf", "    # The metadata"),
                Place("orders.conf", "    ssl_protocols "),
                Place("orders.conf", "        proxy_set_header X-Forwarded-Method "),
                Place("orders.conf", "        auth_request /_api/orders"),
                Place("orders.conf", "    # The metadata"),
            )
        ),
    ),
    Proxy(
        "caddy",
        ("Caddyfile",),
        CERTIFICATE | BACKENDS | {"http_port 80": "http_port <http>", "https_port 443": "https_port <https>"},
        ["caddy", "run", "--config", "<folder>/Caddyfile", "--adapter", "caddyfile"],
        guided=Guided(
            (
                Place("Caddyfile"),
                Place("Caddyfile", "\t\thandle {\n\t\t\tforward_auth 127.0.0.1:8080 {\n\t\t\t\turi /v1/forward-auth/orders?"),
                Place("Caddyfile", f"\ttls {' '.join(API_CERTIFICATE)}\n", replaces=True),
                Place("Caddyfile", "\t\t\t\tcopy_headers X-Auth-Issuer "),
                Place("Caddyfile", "\t\t@pay path_regexp "),
                Place("Caddyfile", "\thandle /orders/* {\n"),
            ),
            "client-cert",
        ),
    ),
    Proxy(
        "traefik",
        ("traefik.yml", "routes.yml"),
        CERTIFICATE
        | BACKENDS
        | {
            '":80"': '"127.0.0.1:<http>"',
            '":443"': '"127.0.0.1:<https>"',
            "127.0.0.1:8090": "127.0.0.1:<question>",
            "/etc/traefik/": "<folder>/",
        },
        ["<venv>/traefik", "--configFile=<folder>/traefik.yml"],
        passes_cookies=False,
        # The shipped ":443" covers both families; its replacement is an IPv4 address.
        hears_ipv6=False,
        guided=Guided(
            (
                Place("routes.yml", "  options:\n"),
                Place("routes.yml", "\n  middlewares:\n"),
                Place("routes.yml", "\n  services:\n"),
                Place("routes.yml", "\n  middlewares:\n"),
                Place("routes.yml", "\n  services:\n"),
                Place("routes.yml", "\n  services:\n"),
                Place("routes.yml", "      middlewares: [no-identity, orders, no-credentials]\n", replaces=True),
                Place("routes.yml", "      middlewares: [no-identity, orders-pay, no-credentials]\n", replaces=True),
            ),
            passes_certificates=False,
        ),
    ),
    Proxy(
        "envoy",
        ("envoy.yaml",),
        CERTIFICATE
        | {
            at("0.0.0.0", 443): at("127.0.0.1", "<https>"),
            at("0.0.0.0", 80): at("127.0.0.1", "<http>"),
            "http://127.0.0.1:8080": "http://127.0.0.1:<relay>",
            at("127.0.0.1", 8080): at("127.0.0.1", "<relay>"),
            at("127.0.0.1", 3000): at("127.0.0.1", "<echo>"),
        }
        | ipv6_too(also_at('"::"', 443), also_at('"::1"', "<https>"))
        | ipv6_too(also_at('"::"', 80), also_at('"::1"', "<http>")),
        ["<venv>/envoy", "-c", "<folder>/envoy.yaml", "--disable-hot-restart", "--concurrency", "1", "-l", "warning"],
        guided=Guided(
            (
                Place("envoy.yaml", "\n    - name: http\n"),
                Place("envoy.yaml", "                        - match: { prefix: /orders/ }\n"),
                Place("envoy.yaml", "          filters: *filters\n"),
                Place("envoy.yaml", "                        - remove: x-request-id\n"),
                Place("envoy.yaml", "                        - match: { safe_regex: { regex: '/orders/(?i:pay)"),
            )
        ),
    ),
]

# The part of Debian's nginx.conf that includes conf.d, with paths in the temporary folder, in the foreground.
NGINX_AROUND = """
daemon off;
pid <folder>/nginx.pid;
worker_processes 1;
# More than the connections of the service, so that those of the proxy itself are not the limit.
events { worker_connections 4096; }
http {
    access_log off;
    client_body_temp_path <folder>/body;
    proxy_temp_path <folder>/proxy;
    fastcgi_temp_path <folder>/fastcgi;
    uwsgi_temp_path <folder>/uwsgi;
    scgi_temp_path <folder>/scgi;
    include <folder>/login.conf;
    include <folder>/orders.conf;
}
"""


def certificate(folder: Path, host: str = HOST, prefix: str = "") -> None:
    """Writes a new certificate and its key to `cert.pem` and `key.pem`, after a prefix."""
    subprocess.run(
        [
            "openssl",
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:P-256",
            "-nodes",
            "-days",
            "2",
            "-subj",
            f"/CN={host}",
            "-addext",
            f"subjectAltName=DNS:{host}",
            "-keyout",
            folder / f"{prefix}key.pem",
            "-out",
            folder / f"{prefix}cert.pem",
        ],
        check=True,
        capture_output=True,
    )


def filled(text: str, values: dict) -> str:
    for name, value in values.items():
        text = text.replace(f"<{name}>", str(value))
    return text


def with_api(proxy: Proxy, texts: dict[str, str]) -> dict[str, str]:
    """Returns the files with the lines that the guide adds for an API, with a stricter route and client certificates."""
    guided, page = proxy.guided, GUIDE.read_text()
    paragraphs = re.findall(rf"(?msi)^\*\*{proxy.name}\b.*?(?=^\*\*|^##)", page)
    blocks = re.findall(r"(?ms)^```\w+\n(.*?)^```", "".join(paragraphs))
    if len(blocks) != len(guided.places):
        raise RuntimeError(f"docs/guides/proxies.md has other blocks for {proxy.name}; update its places in proxy.py")
    for block, place in zip(blocks, guided.places):
        whole = texts.get(place.file, "")
        if place.text is None:
            whole += block
        elif place.text in whole:
            whole = whole.replace(place.text, block if place.replaces else block + place.text)
        else:
            raise RuntimeError(f"{place.file} no longer contains {place.text!r}; update the places of {proxy.name} in proxy.py")
        texts = texts | {place.file: whole}
    path = re.compile(r"/v1/(forward-auth|protected-resources)/orders\b")
    return {name: path.sub(rf"/v1/\1/{guided.api}", text) for name, text in texts.items()}


def changed(proxy: Proxy, values: dict) -> dict[str, str]:
    """Returns the shipped files with the values of this run. A text that no longer occurs is an error."""
    texts = {name: (PROXIES / proxy.name / name).read_text() for name in proxy.files}
    changes = proxy.changes
    if proxy.guided is not None:
        texts, changes = with_api(proxy, texts), changes | API_CERTIFICATE
    for old, new in changes.items():
        if not any(old in text for text in texts.values()):
            raise RuntimeError(
                f"share/proxies/{proxy.name} no longer contains {old!r}; update the changes of this proxy in proxy.py"
            )
        texts = {name: text.replace(old, filled(new, values)) for name, text in texts.items()}
    return texts


@contextmanager
def running(proxy: Proxy, folder: Path, relay: Relay, echo: Echo) -> Iterator[tuple[dict, ssl.SSLContext]]:
    """Starts the proxy. Yields its ports, and a TLS context that trusts its certificate."""
    folder.mkdir()
    certificate(folder)
    certificate(folder, API_HOST, "api-")
    certificate(folder, "client.example.com", "client-")
    trusted = folder / "trusted.pem"
    trusted.write_text((folder / "cert.pem").read_text() + (folder / "api-cert.pem").read_text())
    ports = {name: rig.free_port() for name in ("https", "http", "question")}
    values = ports | {"folder": folder, "relay": relay.port, "echo": echo.port, "venv": Path(sys.executable).parent}
    for name, text in changed(proxy, values).items():
        (folder / name).write_text(text)
    (folder / "nginx.conf").write_text(filled(NGINX_AROUND, values))
    # Any files that the proxy writes belong to the temporary folder.
    environment = {
        "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
        "HOME": str(folder),
        "XDG_DATA_HOME": str(folder),
        "XDG_CONFIG_HOME": str(folder),
    }
    program = rig.Program(
        proxy.name, [filled(word, values) for word in proxy.command], folder, env=environment, cwd=folder
    )
    tls = rig.trusting(trusted)

    def ready() -> bool:
        try:
            return rig.ask(ports["https"], "GET", "/healthz", tls=tls, host=HOST).status == 200
        except OSError:
            return False

    with program:
        program.start(ready)
        yield ports, tls
