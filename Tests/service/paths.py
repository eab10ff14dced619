"""Spellings of paths that may bypass a proxy's rule, and the paths that applications may parse from a request target."""

import posixpath
import re
from urllib.parse import unquote

# Paths below /app/admin, and spellings that some application resolves to one. A session without a second factor reaches none.
ADMINISTRATION = (
    "/app/admin",
    "/app/admin/",
    "/app/admin?x=1",
    "/app/admin?",
    "/app/admin/users",
    "https://login.example.com/app/admin",
    # Letter case.
    "/app/ADMIN",
    "/app/ADMIN/users",
    "/app/Admin?x",
    "/app/%41dmin/users",
    # Encoded letters.
    "/app/%61dmin",
    "/app/%61dmin/",
    "/app/%61%64%6d%69%6e/users",
    # Dot segments and slashes.
    "/app/x/../admin",
    "/app/x/../admin/",
    "/app/admin/../admin",
    "/app/admin/../admin/",
    "/app/admin/../users",
    "/app/admin//../users",
    "/app/admin/%2e%2e/users",
    "/app/admin/.",
    "/app/admin/%2e/",
    "/app//admin",
    "/app//admin/",
    "/app/./admin",
    "/app/./admin/",
    "/app/x/%2e%2e/admin/",
    "/app/x/%2E./admin/",
    "/./app/admin/",
    "//app/admin",
    "//app/admin/",
    "/login/../app/admin/",
    "/assets/%2e%2e/app/admin/",
    "/app/../app/admin/",
    # Encoded slashes.
    "/app%2fadmin/",
    "/app%2Fadmin",
    "/app/admin%2f",
    "/app/admin%2fusers",
    "/app/x/..%2fadmin/",
    "/app/x%2f..%2fadmin",
    "/app/x%2f..%2fadmin/",
    "/app/admin/x%2f..%2f..%2fusers",
    # Path parameters, which Java servers remove.
    "/app/admin;",
    "/app/admin;x/",
    "/app/admin;x/users",
    "/app/admin;/users",
    "/app/admin;x=1?y",
    "/app/x/..;/admin/users",
    "/app/..;/app/admin/users",
    "/app;x/admin/users",
    "/app/;/admin/users",
    "/app/admin%3bx/users",
    "/app/x/..%3B/admin/users",
    # Backslashes, which Windows treats as slashes.
    "/app/admin\\users",
    "/app/admin\\",
    "/app\\admin\\users",
    "/app/x\\..\\admin\\users",
    "/app/admin%5cusers",
    "/app/x%5C..%5Cadmin/users",
    # Terminators of strings, and characters that are stripped from names.
    "/app/admin%00",
    "/app/admin%00/users",
    "/app/admin%00x/users",
    "/app/admin%0a",
    "/app/admin%0d%0a/users",
    "/app/admin%09/users",
    "/app/admin%7f/users",
    "/app/ad%0amin/users",
    "/app/admin%20",
    "/app/admin%20/users",
    "/app/admin+/users",
    "/app/admin.",
    "/app/admin./users",
    "/app/admin%2e/users",
    "/app/admin::$INDEX_ALLOCATION/users",
    "/app/admin:x",
    "/app/admin~1/users",
    "/app/admin.json",
    "/app/admin,x",
    "/app/admin#x",
    "/app/#/../admin/users",
    "/app/admin%23x",
    "/app/admin%3fx",
    "/app/admin%3Fx/users",
    # Encoded twice.
    "/app/%2561dmin/users",
    "/app/x/%252e%252e/admin/users",
    "/app/x/..%252fadmin/users",
    "/app/admin%253bx/users",
    "/app/admin%255cusers",
    "/app/admin%2500",
    # Slashes, dots and letters that are not UTF-8.
    "/app/admin%c0%afusers",
    "/app/x%c0%af..%c0%afadmin",
    "/app/%c1%a1dmin/users",
    "/app/admin%e0%80%afusers",
    "/app/admin%f0%80%80%afusers",
    "/app/%u0061dmin/users",
)

# Unambiguous paths below /app/admin: a session with a second factor reaches them.
PLAIN_ADMINISTRATION = (
    "/app/admin",
    "/app/admin/",
    "/app/admin?x=1",
    "/app/admin/users",
    "/app/admin/users?x=;%2f%5c%00/../",
    "/app/admin/users/%C3%A9%20%C3%A4",
    "/app/ADMIN/users",
    "/app/admin.json",
)

# Paths of the application outside /app/admin: any session reaches them.
ORDINARY = (
    "/app/",
    "/app/?admin/",
    "/app/users",
    "/app/users/admin",
    "/app/users/admin/",
    "/app/administration",
    "/app/administrators/1",
    "/app/admin-guide",
    "/app/admin_guide",
    "/app/admin2",
    "/app/badmin/",
    "/app/a.b/...c/d..",
    "/app/.well-known/x",
    "/app/a:b@c,d=e+f!$&'()*~_-",
    "/app/caf%C3%A9/%E2%82%AC%20x",
    "/app/users?next=/app/admin/../x;y\\z%2f%5c%00%25",
)

# The path of the proxy's forward-auth request, and spellings that the service or the proxy may resolve to it.
QUESTION = (
    "/v1/forward-auth",
    "/v1/forward-auth/",
    "/v1/forward-auth//",
    "/v1/forward-auth?level=2",
    "/v1/forward-auth/?level=2",
    "/v1//forward-auth",
    "/v1//forward-auth/",
    "//v1/forward-auth",
    "//v1//forward-auth//",
    "/v1/./forward-auth",
    "/v1/forward-auth/.",
    "/v1/x/../forward-auth/",
    "/v1/%66orward-auth",
    "/v1/forward%2dauth/",
    "/v1/forward-auth%2f",
    "/v1%2fforward-auth",
    "/v1/forward-auth%5c",
    "/v1/forward-auth\\",
    "/v1/forward-auth;x",
    "/V1/Forward-Auth/",
    "/app/../v1/forward-auth/",
    "/app/%2e%2e/v1/forward-auth",
    "https://login.example.com/v1/forward-auth/",
)


def overlong(path: str) -> str:
    """Decodes overlong UTF-8 sequences, as lenient decoders do."""
    path = re.sub("%(?:c0|e0%80|f0%80%80)%([89ab][0-9a-f])", lambda found: chr(int(found[1], 16) & 0x3F), path, flags=re.I)
    return re.sub("%c1%([89ab][0-9a-f])", lambda found: chr(int(found[1], 16) & 0x3F | 0x40), path, flags=re.I)


# Transformations that some application applies to a path before it compares it. None lengthens a path, so repetition ends.
STEPS = (
    unquote,
    lambda path: unquote(path.replace("+", "%20")),
    overlong,
    lambda path: re.sub("%u00([0-9a-f]{2})", lambda found: chr(int(found[1], 16)), path, flags=re.I),
    lambda path: path.replace("\\", "/"),
    # Path parameters, and text after a terminator.
    lambda path: re.sub(r";[^/]*", "", path),
    lambda path: re.sub(r"[\x00?#].*", "", path, flags=re.DOTALL),
    lambda path: re.sub(r"[\x00-\x20\x7f]", "", path),
    # Extensions, and the streams and short names of Windows.
    lambda path: path if "/.." in path else re.sub(r"[. :,][^/]*(?=/|$)|~\d(?=/|$)", "", path),
    # Dot segments (RFC 3986 section 5.2.4), with a double slash either collapsed or taken as an empty segment.
    posixpath.normpath,
    lambda path: re.sub(r"//+", "/", path),
    lambda path: re.sub(r"/(?!\.\./)[^/]*/\.\.(?=/|$)", "", path, count=1),
    str.lower,
)


def readings(target: str) -> set[str]:
    """Returns all paths that an application may derive from a request target, including the target's own path."""
    seen: set[str] = set()
    new = {re.sub(r"^https?://[^/]*", "", target).split("?")[0]}
    while new:
        seen |= new
        new = {step(path) for path in new for step in STEPS} - seen
    return seen


def is_administration(target: str) -> bool:
    """Whether some application resolves the request target to /app/admin or a path below it."""
    return any(re.match(r"/+app/+admin(/|$)", path) for path in readings(target))
