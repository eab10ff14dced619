"""Finds the test suites in Swift files, with the tests of each suite and the rules that the tests are marked with.

A suite is a type that has the attribute `@Suite` or a test. The tests of its extensions and of nested types belong to the
outermost type, which is the name that the log of a test run and the documents use.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from swift_text import types, without_comments_and_strings

TEST = re.compile(r"@Test\b")
FUNCTION = re.compile(r"\bfunc\s+(?:`([^`]+)`|(\w+))")
MARK = re.compile(r"\.rule\(([^)]*)\)")
RULE = re.compile(r'"([^"]+)"')


@dataclass
class Suite:
    # The declarations of suites with this name; more than one is a fault.
    places: list[str] = field(default_factory=list)
    # The names of the tests, each with the rules of its mark.
    tests: dict[str, set[str]] = field(default_factory=dict)
    # The rules of the suite's own mark, which apply to all its tests.
    rules: set[str] = field(default_factory=set)


def note_suites(suites: dict[str, Suite], name: str, text: str, bare: str | None = None) -> None:
    """Adds the suites of a file to `suites`. `bare` is the text without comments and strings; computed by default."""
    if "@Test" not in text and "@Suite" not in text:
        return
    bare = without_comments_and_strings(text) if bare is None else bare
    found = types(bare)
    owners = {begin: type_ for type_ in found for begin in type_.functions}
    tests = []
    for match in TEST.finditer(bare):
        function = FUNCTION.search(text, match.end())
        if function and function.start() in owners:
            tests.append((owners[function.start()], function, marked(text[match.start():function.start()])))
    with_tests = {id(owner) for owner, _, _ in tests}
    for type_ in found:
        if type_.keyword != "extension" and ("@Suite" in type_.attributes or id(type_) in with_tests):
            suite = suites.setdefault(type_.name.split(".")[-1], Suite())
            suite.places.append(f"{name}:{bare.count(chr(10), 0, type_.opening) + 1}")
            suite.rules |= marked(text[type_.begin:type_.opening])
    for owner, function, rules in tests:
        suite = suites.setdefault(owner.name.split(".")[0], Suite())
        suite.tests.setdefault(function[1] or function[2], set()).update(rules)


def marked(attributes: str) -> set[str]:
    """Returns the rules in the attributes of a test or a suite."""
    return {rule for mark in MARK.findall(attributes) for rule in RULE.findall(mark)}
