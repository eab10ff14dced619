"""Domains in many scripts, with the ASCII form that the package idna gives them: the judge of our conversion by libidn2.

usage: domains.py [--check]

Writes domains.txt, which the suite DomainNameTests reads, or with --check compares it. Each line has the code points of a name,
and its ASCII form by UTS 46 and RFC 5891, or "-" if the name is refused. Only characters of Unicode 3.2 are drawn, without those
whose mapping has changed since, so that the result does not depend on the version of libidn2.
"""

import random
import sys
from pathlib import Path
from unicodedata import ucd_3_2_0

import idna

FILE = Path(__file__).resolve().parent / "domains.txt"
CHOSEN = """
    bücher BÜCHER Bücher b\u0075\u0308cher straße STRASSE stra\u1E9Ee faß fass ςa σa Σa ıstanbul İstanbul i̇stanbul ｅｘａｍｐｌｅ
    exam\u212Aple ſite ﬁ ① ⅳ 𝐞xample 例え テスト 例え。テスト a。b a．b a｡b 納豆 ヶ ー ・ あ・ 한국 ᄒ 中国 рф пример mañana man\u0303ana
    аррӏе xn--80ak6aa92e xn--bcher-kva XN--BCHER-KVA xn--bcher-kvA xn--strae-oqa xn--a xn-- xn--- xn--0 xn--ls8h xn--e-ufa
    xn--99zt52a xn--xn---epa xn--xn--a xn--1ch xn--zn7c xn--fi-pla xn--bcher-KVA-ü ü.xn--bcher-kva xn--bcher-kva.ü xn--ü
    ab--ü ü--a -ü ü- ü_ ex_ample.ü ü.ex_ample a@b.ü ａ＠ｂ %.ü ％.ü ü/ ü:80 ü? ü# http://ü ü..a .ü ü. ü+ ≠ ☕ ☺ ♥ ™ © ü™ l·l a·b
    \u00ADü \u200Bü ü\u200Cü a\u200Db क्\u200Dष क्\u200Cष नी\u200Dक ب\u200Cة אב א1 1א אבa aאב ا١ ا۱ ا١۱ ١ ٠١ ۰۱ \u0301e e\u0301 é
    ü\u202Ea \uFEFFü ü\uFEFF ü\u3000 ü\u2028 \uFFFD \uE000 １２７.０.０.１ ü.1 1.ü \u0E01\u0E33 \u0E01\u0E4D\u0E32 ㎏ ﷺ ĳ ŉ ΐ Ω
""".split()
SCRIPTS = [range(0x61, 0x7B), range(0x21, 0x7F), range(0xA1, 0x250), range(0x370, 0x530), range(0x590, 0x660), range(0x900, 0xA00),
           range(0xE00, 0xE80), range(0x1E00, 0x2000), range(0x2000, 0x2300), range(0x3000, 0x3200), range(0x4E00, 0x4F00),
           range(0xAC00, 0xAD00), range(0xFB00, 0xFE00), range(0xFF00, 0xFFF0), range(0x1D400, 0x1D500)]
# Older tables refuse them.
CHANGED = "\u04C0\u115F\u1160\u2132\u2183\u3164\uFFA0"


def drawn() -> list[str]:
    """Names of characters that are drawn from one or two scripts, the same at each run; one in six is already encoded."""
    numbers = random.Random("domains")
    scripts = [map(chr, script) for script in SCRIPTS]
    assigned = [[each for each in script if ucd_3_2_0.category(each) != "Cn" and each not in CHANGED] for script in scripts]
    names = []
    for number in range(500):
        pools = numbers.choices(assigned, k=2)
        name = "".join(numbers.choice(numbers.choice(pools)) for _ in range(numbers.randint(1, 6)))
        names.append("xn--" + name.encode("punycode").decode("ascii") if number % 6 == 0 else name)
    return names


def ascii_form(domain: str) -> str:
    try:
        found = idna.encode(domain, uts46=True, std3_rules=True, transitional=False).decode("ascii")
    except (idna.IDNAError, UnicodeError):
        return "-"
    # No address has an absolute name, or an IP address.
    return "-" if found.endswith(".") or found.rpartition(".")[2].isdigit() else found


def main() -> int:
    domains = [f"{name}.example" for name in CHOSEN + drawn()] + ["bücher.рф", "a.１", "ü.１２", "例え。テスト"]
    lines = [f"{' '.join(f'{ord(each):04X}' for each in domain)}\t{ascii_form(domain)}\n" for domain in domains]
    if sys.argv[1:] == ["--check"]:
        if FILE.read_text() != "".join(lines):
            sys.exit(f"domains: {FILE.name} is not what idna {idna.__version__} says: run domains.py, and review the changes")
        print(f"domains: {len(lines)} names, judged by idna {idna.__version__}")
    else:
        FILE.write_text("".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
