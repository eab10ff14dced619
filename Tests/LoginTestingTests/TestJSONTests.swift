// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTesting
internal import LoginTokens
internal import Testing

/// JSON for tests: valid by default, and invalid where a test says so.
@Suite struct TestJSONTests {
    @Test(
        arguments: [
            (.null, "null"), (true, "true"), (.boolean(false), "false"), (0, "0"), (-7, "-7"), (1.5, "1.5"),
            (.number("1e300"), "1e300"), ("text", "\"text\""), ([], "[]"), ([1, "a", .null], "[1,\"a\",null]"),
            ([:], "{}"), (["a": ["b": [true]]], "{\"a\":{\"b\":[true]}}"), (.raw("{,}"), "{,}"),
        ] as [(TestJSON, String)]
    )
    func `JSON values are written without whitespace`(json: TestJSON, text: String) {
        #expect(json.text == text)
    }

    @Test(
        arguments: [
            ("\"", #""\"""#), ("\\", #""\\""#), ("/", #""/""#), ("\n", #""\u000a""#), ("\u{0}", #""\u0000""#),
            ("\u{1F}", #""\u001f""#), ("\u{7F}", "\"\u{7F}\""), ("é😀", "\"é😀\""),
        ]
    )
    func `a string is escaped only as JSON requires, in values and names`(text: String, written: String) {
        #expect(TestJSON.string(text).text == written)
        #expect(TestJSON.object([(name: text, value: 1)]).text == "{\(written):1}")
    }

    /// The strict reader returns the written value.
    @Test(arguments: ["", "\"\\/\n\r\t\u{0}\u{1F}\u{7F}", "é😀\u{2028}", "e\u{301}"])
    func `a string is read back unchanged`(text: String) throws {
        let object: TestJSON = ["a": .string(text)]
        let root = try JSONDocument.read(Array(object.text.utf8)).root
        #expect(root["a"]?.string.map { Array($0.utf8) } == Array(text.utf8))
    }

    @Test func `an object keeps the order of its members`() {
        let json: TestJSON = ["z": 1, "a": 2, "m": 3]
        #expect(json.text == #"{"z":1,"a":2,"m":3}"#)
    }

    @Test func `setting a member replaces it in place`() {
        var json: TestJSON = ["z": 1, "a": 2, "m": 3]
        json["a"] = "new"
        #expect(json.text == #"{"z":1,"a":"new","m":3}"#)
    }

    @Test func `setting a missing member appends it`() {
        var json: TestJSON = ["z": 1]
        json["a"] = .null
        #expect(json.text == #"{"z":1,"a":null}"#)
    }

    @Test func `setting a member to nil removes it, and does nothing if it is missing`() {
        var json: TestJSON = ["z": 1, "a": 2]
        json["z"] = nil
        #expect(json.text == #"{"a":2}"#)
        json["z"] = nil
        #expect(json.text == #"{"a":2}"#)
    }

    @Test(arguments: [.null, 1, "text", [1], .raw("x")] as [TestJSON])
    func `a value that is not an object has no members, and becomes an object when one is set`(json: TestJSON) {
        #expect(json["a"] == nil)
        var changed = json
        changed["a"] = 1
        #expect(changed.text == #"{"a":1}"#)
    }

    @Test func `nested members can be set`() {
        var json: TestJSON = ["a": ["b": 1]]
        json["a"]?["b"] = 2
        json["a"]?["c"] = 3
        json["missing"]?["c"] = 3
        #expect(json.text == #"{"a":{"b":2,"c":3}}"#)
    }

    @Test func `a name can occur twice, and the first member is read and set`() {
        var json = TestJSON.object([(name: "a", value: 1), (name: "a", value: 2)])
        #expect(json.text == #"{"a":1,"a":2}"#)
        #expect(json["a"]?.text == "1")
        json["a"] = 3
        #expect(json.text == #"{"a":3,"a":2}"#)
        json["a"] = nil
        #expect(json.text == #"{"a":2}"#)
    }

    @Test func `a string can be interpolated`() {
        let name = "Ada"
        let json: TestJSON = "Hello \(name)"
        #expect(json.text == #""Hello Ada""#)
    }
}
