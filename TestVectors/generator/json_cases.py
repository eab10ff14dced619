"""json.json: the JSON reader alone. RFC 8259, with what it leaves open decided strictly."""

import base64

from model import Group

DEPTH_MAX = 16
MEMBERS_MAX = 128


class JSONGroup(Group):
    def __init__(self, name: str):
        super().__init__(f"json: {name}", "json")

    def _add(self, slug: str, text, comment: str, result: str) -> None:
        octets = text.encode("utf-8") if isinstance(text, str) else text
        self.add(f"json-{slug}", comment, result, text=base64.b64encode(octets).decode("ascii"))

    def accepted(self, *cases) -> None:
        for slug, text, comment in cases:
            self._add(slug, text, comment, "accepted")

    def refused(self, *cases) -> None:
        for slug, text, comment in cases:
            self._add(slug, text, comment, "refused")


def values() -> Group:
    g = JSONGroup("values")
    g.accepted(
        ("empty-object", "{}", "The smallest object."),
        ("empty-array", "[]", "The smallest array."),
        ("literals", "[true,false,null]", "The three literals."),
        ("string-alone", '"text"', "Any value may stand alone (RFC 8259 section 2)."),
        ("number-alone", "12", "Any value may stand alone."),
        ("null-alone", "null", "Any value may stand alone."),
        ("white-space", ' \t\r\n{ "a" : [ 1 , 2 ] }\n\r\t ', "The four white-space characters, everywhere."),
        ("odd-names", '{"":0,"__proto__":{},"constructor":1,"a.b":2}', "Names that mean something elsewhere."),
    )
    g.refused(
        ("nothing", b"", "No value."),
        ("only-space", " \n", "No value."),
        ("two-values", "{}{}", "Two values."),
        ("two-values-spaced", "{} {}", "Two values."),
        ("garbage-after", "{}x", "Something after the value."),
        ("nul-after", "{}\0", "A NUL after the value."),
        ("comma-after", "{},", "A comma after the value."),
        ("form-feed", "\f{}", "Form feed is not white space here."),
        ("vertical-tab", "{}\v", "Nor is vertical tab."),
        ("no-break-space", "\u00a0{}", "Nor is the no-break space."),
        ("line-separator", "{}\u2028", "Nor is the line separator."),
        ("literal-upper-case", "[True]", "Literals are lower-case."),
        ("literal-short", "[nul]", "Half a literal."),
        ("literal-long", "[nulll]", "A literal and more."),
        ("undefined", "[undefined]", "Not JSON."),
    )
    return g


def structure() -> Group:
    g = JSONGroup("structure")
    g.refused(
        ("trailing-comma-object", '{"a":1,}', "A comma before the end."),
        ("trailing-comma-array", "[1,]", "A comma before the end."),
        ("leading-comma", "[,1]", "A comma at the start."),
        ("double-comma", "[1,,2]", "Two commas."),
        ("only-comma", "{,}", "Nothing but a comma."),
        ("missing-comma", '{"a":1 "b":2}', "No comma."),
        ("missing-colon", '{"a" 1}', "No colon."),
        ("equals-sign", '{"a"=1}', "No colon."),
        ("missing-value", '{"a":}', "No value."),
        ("name-alone", '{"a"}', "No value."),
        ("unquoted-name", "{a:1}", "Names are strings."),
        ("number-as-name", "{1:1}", "Names are strings."),
        ("single-quotes", "{'a':1}", "Strings have double quotes."),
        ("open-object", '{"a":1', "The end is missing."),
        ("open-array", "[1", "The end is missing."),
        ("crossed-brackets", '{"a":[1}]', "Brackets that cross."),
        ("closing-only", "}", "An end without a start."),
        ("block-comment", '{"a":1/* c */}', "JSON has no comments."),
        ("line-comment", '{"a":1}// c', "JSON has no comments."),
        ("hash-comment", '# c\n{"a":1}', "JSON has no comments."),
    )
    return g


def numbers() -> Group:
    g = JSONGroup("numbers")
    g.accepted(*[
        (f"number-{slug}", f'{{"a":{text}}}', comment) for slug, text, comment in [
            ("zero", "0", "Zero."), ("minus-zero", "-0", "Zero with a sign."), ("negative", "-12", "Below zero."),
            ("fraction", "0.5", "A fraction."), ("exponent", "1e9", "An exponent."),
            ("exponent-signed", "1E+09", "An exponent with a sign and a leading zero."),
            ("exponent-negative", "1.5e-7", "A negative exponent."),
            ("beyond-64-bits", "9223372036854775808", "More than 63 bits; whether it is of use is for others to say."),
            ("1e300", "1e300", "A large double."), ("1e400", "1e400", "More than a double; the grammar allows it."),
            ("many-digits", "0." + "1" * 100, "More digits than a double holds."),
        ]
    ])
    g.refused(*[
        (f"number-{slug}", f'{{"a":{text}}}', comment) for slug, text, comment in [
            ("nan", "NaN", "Not a JSON number."), ("infinity", "Infinity", "Not a JSON number."),
            ("minus-infinity", "-Infinity", "Not a JSON number."), ("leading-zero", "01", "A leading zero."),
            ("minus-leading-zero", "-01", "A leading zero."), ("two-zeros", "00", "A leading zero."),
            ("plus", "+1", "A plus sign."), ("no-integer-part", ".5", "Nothing before the point."),
            ("no-fraction", "1.", "Nothing after the point."),
            ("no-fraction-exponent", "1.e5", "Nothing after the point."),
            ("no-exponent", "1e", "Nothing after the e."), ("no-exponent-digits", "1e+", "Nothing after the sign."),
            ("fractional-exponent", "1e1.5", "An exponent is an integer."), ("minus-alone", "-", "No digits."),
            ("minus-space", "- 1", "A space inside."), ("double-minus", "--1", "Two signs."),
            ("hexadecimal", "0x1F", "JSON is decimal."), ("underscore", "1_000", "No separators."),
            ("wide-digit", "１", "Only ASCII digits."), ("two-points", "1.2.3", "Two points."),
        ]
    ])
    return g


def strings() -> Group:
    g = JSONGroup("strings")
    g.accepted(
        ("string-escapes", r'["\"\\\/\b\f\n\r\t\u0041"]', "Every escape there is."),
        ("string-nul-escape", r'["a\u0000b"]', "NUL may be escaped, and is kept."),
        ("string-surrogate-pair", r'["\ud83e\udd89"]', "A surrogate pair is one character."),
        ("string-surrogate-pair-last", r'["\uDBFF\uDFFF"]', "The last character of Unicode."),
        ("string-delete", b'["\x7f"]', "DEL need not be escaped."),
        ("string-four-bytes", "[\"\U0001f989\"]", "Four bytes of UTF-8."),
        ("string-last-character", b'["\xf4\x8f\xbf\xbf"]', "U+10FFFF."),
        ("string-noncharacter", b'["\xef\xbf\xbf"]', "U+FFFF is a code point like others to UTF-8."),
        ("string-bom-inside", b'["\xef\xbb\xbf"]', "Within a string, U+FEFF is a character."),
        ("string-separators", '["\u2028\u2029"]', "Line separators need no escape."),
    )
    g.refused(
        ("string-open", '["abc', "The end is missing."),
        ("string-open-escape", '["abc\\', "The escape does not end."),
        ("string-escaped-end", '["abc\\"]', "The end is escaped."),
        ("string-newline", '["a\nb"]', "A raw line feed."),
        ("string-tab", '["a\tb"]', "A raw tab."),
        ("string-nul", b'["a\x00b"]', "A raw NUL."),
        ("string-unit-separator", b'["a\x1fb"]', "The last of the control characters."),
        ("string-control-in-name", b'{"a\x01":1}', "A control character in a name."),
        ("string-escape-x", r'["\x41"]', "No such escape."),
        ("string-escape-quote", r'''["\'"]''', "No such escape."),
        ("string-escape-upper-u", r'["\U0041"]', "No such escape."),
        ("string-escape-short", r'["\u041"]', "Three digits."),
        ("string-escape-not-hex", r'["\u00g1"]', "Not hexadecimal."),
        ("string-escape-sign", r'["\u+041"]', "A sign is no digit."),
        ("string-escape-cut", r'["\u00', "The end of the text within an escape."),
        ("string-lone-high", r'["\ud800"]', "Half a pair."),
        ("string-lone-low", r'["\udc00"]', "Half a pair."),
        ("string-pair-reversed", r'["\udd89\ud83e"]', "The halves in the wrong order."),
        ("string-two-highs", r'["\ud83e\ud83e"]', "Two first halves."),
        ("string-high-then-letter", r'["\ud83ex"]', "Half a pair and a letter."),
        ("string-high-then-escape", r'["\ud83e\u0041"]', "Half a pair and another escape."),
        ("string-lone-in-name", r'{"\ud800":1}', "Half a pair in a name."),
    )
    return g


def encodings() -> Group:
    g = JSONGroup("UTF-8")
    g.refused(*[
        (f"utf8-{slug}", b'["' + octets + b'"]', comment) for slug, octets, comment in [
            ("overlong-nul", b"\xc0\x80", "NUL in two bytes."),
            ("overlong-solidus", b"\xc0\xaf", "A solidus in two bytes."),
            ("overlong-two", b"\xc1\xbf", "U+007F in two bytes."),
            ("overlong-three", b"\xe0\x80\xaf", "A solidus in three bytes."),
            ("overlong-three-edge", b"\xe0\x9f\xbf", "U+07FF in three bytes."),
            ("overlong-four", b"\xf0\x80\x80\xaf", "A solidus in four bytes."),
            ("overlong-four-edge", b"\xf0\x8f\xbf\xbf", "U+FFFF in four bytes."),
            ("surrogate-first", b"\xed\xa0\x80", "U+D800."),
            ("surrogate-last", b"\xed\xbf\xbf", "U+DFFF."),
            ("surrogate-pair", b"\xed\xa0\xbe\xed\xb6\x89", "A pair of surrogates, as CESU-8 writes it."),
            ("above-unicode", b"\xf4\x90\x80\x80", "U+110000."),
            ("f5", b"\xf5\x80\x80\x80", "A byte that UTF-8 never has."),
            ("fe", b"\xfe", "A byte that UTF-8 never has."),
            ("ff", b"\xff", "A byte that UTF-8 never has."),
            ("five-bytes", b"\xf8\x88\x80\x80\x80", "A sequence of five bytes."),
            ("continuation-alone", b"\x80", "A continuation without a start."),
            ("continuation-too-many", b"\xc3\xa9\xa9", "A continuation too many."),
            ("truncated-two", b"\xc3", "The second byte is missing."),
            ("truncated-three", b"\xe2\x82", "The third byte is missing."),
            ("truncated-four", b"\xf0\x9f\xa6", "The fourth byte is missing."),
            ("latin-1", b"caf\xe9", "Another encoding."),
        ]
    ])
    text = '{"a":"b"}'
    g.refused(
        ("utf8-invalid-in-name", b'{"\xff":1}', "Names are UTF-8 as well."),
        ("utf8-cut-at-end", b'["\xe2\x82', "The text ends within a character."),
        ("utf8-byte-order-mark", b"\xef\xbb\xbf{}", "A byte order mark (RFC 8259 section 8.1)."),
        ("utf8-byte-order-mark-only", b"\xef\xbb\xbf", "A byte order mark and nothing else."),
        ("utf16-little", text.encode("utf-16-le"), "UTF-16."),
        ("utf16-big", text.encode("utf-16-be"), "UTF-16."),
        ("utf16-little-marked", b"\xff\xfe" + text.encode("utf-16-le"), "UTF-16 with its mark."),
        ("utf16-big-marked", b"\xfe\xff" + text.encode("utf-16-be"), "UTF-16 with its mark."),
        ("utf32-little", text.encode("utf-32-le"), "UTF-32."),
        ("utf32-big", text.encode("utf-32-be"), "UTF-32."),
    )
    return g


def duplicates() -> Group:
    g = JSONGroup("member names")
    g.accepted(
        ("names-case", '{"a":1,"A":2}', "Names are compared with case."),
        ("names-normal-forms", '{"\u00e9":1,"e\u0301":2}', "Names are compared by their bytes."),
        ("names-in-different-objects", '{"a":{"a":1},"b":{"a":2},"c":[{"a":3},{"a":4}]}', "Each object is on its own."),
        ("names-nul", r'{"a":1,"a\u0000":2}', "A NUL does not end a name."),
    )
    g.refused(
        ("names-twice", '{"a":1,"a":2}', "The same name twice."),
        ("names-twice-same-value", '{"a":1,"a":1}', "With the same value, too."),
        ("names-twice-apart", '{"a":1,"b":2,"c":3,"a":4}', "With others between."),
        ("names-twice-empty", '{"":1,"":2}', "The empty name."),
        ("names-twice-escaped", r'{"a":1,"\u0061":2}', "The same after unescaping."),
        ("names-twice-escaped-both", r'{"\u006B":1,"\u006b":2}', "Two ways to write the same escape."),
        ("names-twice-solidus", r'{"a/b":1,"a\/b":2}', "An escaped solidus is a solidus."),
        ("names-twice-pair", '{"\U0001f989":1,"\\ud83e\\udd89":2}', "A surrogate pair and the character itself."),
        ("names-twice-nested", '{"x":{"y":{"a":1,"a":2}}}', "Further down."),
        ("names-twice-in-array", '[{"b":1},{"a":1,"a":2}]', "Within an array."),
    )
    return g


def limits() -> Group:
    g = JSONGroup("limits")

    def arrays(depth):
        return "[" * depth + "]" * depth

    def objects(depth):
        return '{"a":' * (depth - 1) + "{}" + "}" * (depth - 1)

    def members(count):
        return "{" + ",".join(f'"m{number}":{number}' for number in range(count)) + "}"

    g.accepted(
        ("depth-16-arrays", arrays(DEPTH_MAX), "Sixteen levels."),
        ("depth-16-objects", objects(DEPTH_MAX), "Sixteen levels."),
        ("depth-16-mixed", '[{"a":' * 8 + "1" + "}]" * 8, "Sixteen levels."),
        ("depth-16-twice", "[" + ",".join([arrays(DEPTH_MAX - 1)] * 3) + "]", "Levels that were left do not count."),
        ("members-128", members(MEMBERS_MAX), "128 members."),
        ("members-128-twice", f'{{"a":{members(MEMBERS_MAX)},"b":{members(MEMBERS_MAX)}}}',
         "Each object is on its own."),
        ("array-of-1000", "[" + ",".join(["0"] * 1000) + "]", "Elements of an array are not counted."),
    )
    g.refused(
        ("depth-17-arrays", arrays(DEPTH_MAX + 1), "Seventeen levels."),
        ("depth-17-objects", objects(DEPTH_MAX + 1), "Seventeen levels."),
        ("depth-17-mixed", '[{"a":' * 8 + "[]" + "}]" * 8, "Seventeen levels."),
        ("depth-4000-open", "[" * 4000, "Refused long before the missing end is noticed."),
        ("members-129", members(MEMBERS_MAX + 1), "129 members."),
        ("members-129-nested", f'{{"a":{members(MEMBERS_MAX + 1)}}}', "129 members further down."),
    )
    return g


def groups() -> list[Group]:
    return [values(), structure(), numbers(), strings(), encodings(), duplicates(), limits()]
