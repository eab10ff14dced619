"""Which characters of a Swift file are code, and where do its functions begin and end?

Enough of a lexer for checks by line: comments, strings with interpolation, raw and multi-line strings, and names in
backticks. A regular expression between slashes is not recognised.
"""

from __future__ import annotations

import re

DECLARATION = re.compile(r"(?<![\w.])(?:func\s+(\S+?)(?=\s*[(<])|(init)\b|(deinit)\b|(subscript)\b)")
NEXT_DECLARATION = re.compile(
    r"(?<![\w.])(?:func|init|deinit|subscript|var|let|case|static|class|struct|enum|extension)\b|(?m:^)[ \t]*[@#]"
)
STRING_OPENING = re.compile(r'(#*)("""|")')


def without_comments_and_strings(text: str) -> str:
    """The text with comments, strings and names in backticks blanked, so that lines and columns stay."""
    out = list(text)

    def blank(begin: int, end: int) -> None:
        for index in range(begin, end):
            if out[index] != "\n":
                out[index] = " "

    at = 0
    while at < len(text):
        if text.startswith("//", at):
            end = line_end(text, at)
            blank(at, end)
        elif text.startswith("/*", at):
            end = comment_end(text, at)
            blank(at, end)
        elif match := STRING_OPENING.match(text, at):
            end = string_end(text, match)
            blank(at, end)
        elif text[at] == "`":
            close = text.find("`", at + 1)
            end = close + 1 if 0 <= close < line_end(text, at) else at + 1
            # A word in the place of the name, so that a declaration still reads as one.
            blank(at, end)
            out[at] = "_"
        else:
            end = at + 1
        at = end
    return "".join(out)


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
    """The end of a string literal; what is interpolated counts as part of it."""
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
    """Name, first and last line of each function with a body, in text without comments and strings."""
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
    """Where the body begins, or None for a requirement of a protocol."""
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
