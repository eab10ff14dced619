"""Separates code from comments and strings in Swift files, and finds the extents of types and functions.

A lexer that is sufficient for checks by line: comments, strings with interpolation, raw and multi-line strings, and names in
backticks. It does not recognise regular expression literals.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

DECLARATION = re.compile(r"(?<![\w.])(?:func\s+(\S+?)(?=\s*[(<])|(init)\b|(deinit)\b|(subscript)\b)")
NEXT_DECLARATION = re.compile(
    r"(?<![\w.])(?:func|init|deinit|subscript|var|let|case|static|class|struct|enum|extension)\b|(?m:^)[ \t]*[@#]"
)
# Three quotation marks open a multi-line string only at the end of a line: `#""""#` is a string of two.
STRING_OPENING = re.compile(r'(#*)("""(?=[ \t]*\n)|")')
OPENING = re.compile(r'//|/\*|`|#*"')
BLANKED = re.compile(r"[^\n]")
ARGUMENTS = r"\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"
TYPE = re.compile(
    rf"^[ \t]*((?:(?:@\w+(?:{ARGUMENTS})?|public|open|package|internal|private|fileprivate|final|indirect|nonisolated)\s+)*)"
    r"(struct|class|enum|actor|protocol|extension)\s+((?!(?:func|var|let|subscript)\b)\w[\w.]*)",
    re.MULTILINE,
)
IMPORT = re.compile(
    rf"^[ \t]*(?:(?:@\w+(?:{ARGUMENTS})?|public|package|internal|private|fileprivate)\s+)*"
    r"import[ \t]+(?:(?:struct|class|enum|actor|protocol|typealias|func|var|let)[ \t]+)?(\w+)",
    re.MULTILINE,
)
STRUCTURE = re.compile(r"[{}]|(?<![\w.])func\b")


@dataclass
class Type:
    """The declaration of a type, or an extension of one, in a text without comments and strings."""

    keyword: str
    # Includes the names of the enclosing types: `Outer.Inner`.
    name: str
    attributes: str
    begin: int
    opening: int
    closing: int
    # The offset of `func` of each function that is a direct member.
    functions: list[int] = field(default_factory=list)


def tokens(text: str) -> Iterator[tuple[str, int, int]]:
    """Yields the comments, strings and names in backticks: the opening characters, begin and end."""
    at = 0
    while match := OPENING.search(text, at):
        begin = match.start()
        if match[0] == "//":
            at = line_end(text, begin)
        elif match[0] == "/*":
            at = comment_end(text, begin)
        elif match[0] == "`":
            close = text.find("`", begin + 1)
            at = close + 1 if 0 <= close < line_end(text, begin) else begin + 1
        else:
            at = string_end(text, STRING_OPENING.match(text, begin))
        yield match[0].lstrip("#"), begin, at


def without_comments_and_strings(text: str) -> str:
    """Replaces comments, strings and names in backticks by spaces, which preserves lines and columns."""
    out: list[str] = []
    at = 0
    for kind, begin, end in tokens(text):
        out.append(text[at:begin])
        if kind == "`":
            # An identifier in the place of the name keeps the declaration recognisable.
            out.append("_")
            begin += 1
        out.append(BLANKED.sub(" ", text[begin:end]))
        at = end
    out.append(text[at:])
    return "".join(out)


def code_lines(text: str) -> int:
    """Returns the number of lines that are neither empty nor only a comment."""
    out: list[str] = []
    at = 0
    for kind, begin, end in tokens(text):
        if kind in ("//", "/*"):
            out.append(text[at:begin])
            at = end
    out.append(text[at:])
    return sum(not line.isspace() and line != "" for line in "".join(out).split("\n"))


def imports(bare: str) -> list[tuple[int, str]]:
    """Returns the imported modules of a text without comments and strings, each with its line."""
    return [(bare.count("\n", 0, match.start(1)) + 1, match[1]) for match in IMPORT.finditer(bare)]


def types(bare: str) -> list[Type]:
    """Returns the types and extensions of a text without comments and strings, in order."""
    found = []
    for match in TYPE.finditer(bare):
        opening = bare.find("{", match.end())
        if opening >= 0:
            found.append(Type(match[2], match[3], match[1], match.start(), opening, len(bare)))
    by_opening = {type_.opening: type_ for type_ in found}
    around: list[Type | None] = []
    for match in STRUCTURE.finditer(bare):
        if match[0] == "{":
            type_ = by_opening.get(match.start())
            outer = next((type_.name for type_ in reversed(around) if type_), None)
            if type_ and outer:
                type_.name = f"{outer}.{type_.name}"
            around.append(type_)
        elif match[0] == "}":
            if around and (type_ := around.pop()):
                type_.closing = match.start()
        elif around and (type_ := around[-1]):
            type_.functions.append(match.start())
    return found


def line_end(text: str, at: int) -> int:
    found = text.find("\n", at)
    return len(text) if found < 0 else found


def comment_end(text: str, at: int) -> int:
    depth = 0
    for match in re.compile(r"/\*|\*/").finditer(text, at):
        depth += 1 if match[0] == "/*" else -1
        if depth == 0:
            return match.end()
    return len(text)


def string_end(text: str, opening: re.Match[str]) -> int:
    """Returns the end of a string literal, including its interpolations."""
    hashes, quotes = opening[1], opening[2]
    at = opening.end()
    while at < len(text):
        if text.startswith(quotes + hashes, at):
            return at + len(quotes) + len(hashes)
        if text.startswith("\\" + hashes + "(", at):
            at = interpolation_end(text, at + len(hashes) + 2)
        elif text.startswith("\\" + hashes, at):
            at += len(hashes) + 2
        elif text[at] == "\n" and quotes == '"':
            return at
        else:
            at += 1
    return len(text)


def interpolation_end(text: str, at: int) -> int:
    depth = 1
    while at < len(text) and depth:
        if match := STRING_OPENING.match(text, at):
            at = string_end(text, match)
            continue
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        at += 1
    return at


def functions(bare: str) -> list[tuple[str, int, int]]:
    """Returns the name, first and last line of each function with a body, in a text without comments and strings."""
    found = []
    for match in DECLARATION.finditer(bare):
        opening = body_opening(bare, match.end())
        if opening is None:
            continue
        first = bare.count("\n", 0, match.start()) + 1
        last = bare.count("\n", 0, closing(bare, opening)) + 1
        found.append((next(filter(None, match.groups())), first, last))
    return found


def body_opening(bare: str, at: int) -> int | None:
    """Returns the offset of the body, or None for a protocol requirement."""
    depth = 0
    while at < len(bare):
        character = bare[at]
        if character in "([":
            depth += 1
        elif character in ")]":
            depth -= 1
        elif depth == 0 and character == "{":
            return at
        elif depth == 0 and (character == "}" or NEXT_DECLARATION.match(bare, at)):
            return None
        if depth < 0:
            return None
        at += 1
    return None


def closing(bare: str, opening: int) -> int:
    depth = 0
    for match in re.compile(r"[{}]").finditer(bare, opening):
        depth += 1 if match[0] == "{" else -1
        if depth == 0:
            return match.start()
    return len(bare)
