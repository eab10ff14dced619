// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTokens
internal import Testing

/// Forms are parsed strictly, and the parser accepts the encoder's output.
@Suite struct FormFieldsTests {
    @Test func `form fields are parsed in order and percent-decoded`() throws {
        let form = try #require(FormFields(reading: "a=1&b%3D=x+y%2b&&c&d=&a=%C3%A9".utf8))
        #expect(form.all.map(\.name) == ["a", "b=", "c", "d", "a"])
        #expect(form.all.map(\.value) == ["1", "x y+", "", "", "é"])
        #expect(form.only("b=") == "x y+" && form.only("d") == "" && form.only("z") == nil)
        // A repeated name is ambiguous.
        #expect(form.has("a") && form.only("a") == nil && !form.has("z"))
    }

    @Test(arguments: ["a=%", "a=%4", "%4g=1", "a=%FF", "a=%C3", "a=%ED%A0%80"])
    func `a truncated percent escape or invalid UTF-8 is refused`(text: String) {
        #expect(FormFields(reading: text.utf8) == nil)
    }

    @Test func `more form fields than the limit are refused`() {
        #expect(FormFields(reading: "a&b&c".utf8, atMost: 3)?.all.count == 3)
        #expect(FormFields(reading: "a&b&c&d".utf8, atMost: 3) == nil)
        #expect(FormFields(reading: "".utf8)?.all.isEmpty == true)
    }

    @Test func `an encoded form decodes to the same fields`() throws {
        let text = String(String.UnicodeScalarView((1...0x2FF).compactMap(Unicode.Scalar.init)))
        let form = FormFields([(text, "1"), ("b", text), ("c d", "e+f")])
        let read = try #require(FormFields(reading: form.encoded.utf8))
        #expect(read.all.map(\.name) == [text, "b", "c d"] && read.all.map(\.value) == ["1", text, "e+f"])
        #expect(form.encoded.hasSuffix("&c%20d=e%2Bf"))
        #expect("\(form)" == "3 fields" && Mirror(reflecting: form).children.isEmpty)
    }
}
