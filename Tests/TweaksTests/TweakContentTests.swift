// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Testing

@testable import Tweaks

/// The texts of values, and the values that a constraint permits.
@Suite struct TweakContentTests {
    @Test(arguments: [
        ("true", TweakContent.boolean(true)), ("false", .boolean(false)), ("0", .integer(0)), ("-17", .integer(-17)),
        ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
        ("0.25", .decimal(0.25)), ("-3", .decimal(-3)), ("30", .seconds(.seconds(30))),
        ("0.5", .seconds(.milliseconds(500))), ("1.005", .seconds(.milliseconds(1005))),
        ("-0.25", .seconds(.milliseconds(-250))), ("info", .text("info")), ("", .text("")),
    ])
    func `each value has one text, which is read as that value`(_ text: String, _ content: TweakContent) {
        #expect(content.text == text)
        #expect(TweakContent(text, as: content.kind) == content)
    }

    @Test(arguments: [
        (TweakContent.Kind.boolean, ["", "1", "0", "yes", "True", " true", "true "]),
        (
            .integer,
            [
                "", " 1", "1 ", "+1", "1.0", "1e3", "0x10", "--1", "-", "9223372036854775808", "-9223372036854775809",
                "１",
            ]
        ),
        (.decimal, ["", "nan", "inf", "1e3", "0x1p3", ".5", "5.", "1,5", "1.2.3", "+1"]),
        (.seconds, ["", "30s", "1.0005", ".5", "5.", "nan", "1e3", "9999999999999999999", "1:30"]),
    ])
    func `text that is not a value of its kind is refused`(_ kind: TweakContent.Kind, _ texts: [String]) {
        for text in texts { #expect(TweakContent(text, as: kind) == nil, "\(kind) \(text)") }
    }

    @Test func `numbers are normalized when they are read`() {
        #expect(TweakContent("007", as: .integer)?.text == "7")
        #expect(TweakContent("30.500", as: .seconds)?.text == "30.5")
        #expect(TweakContent("2.0", as: .decimal)?.text == "2")
    }

    @Test(arguments: [
        0.0001, 0.00001, -1.5e-9, 0.00012345678901234567, 0.1 + 0.2, 1e15, 9_007_199_254_740_994, -1e16,
        .leastNonzeroMagnitude, .greatestFiniteMagnitude,
    ])
    func `every decimal is read back from its text, and other notations of exponents are refused`(_ value: Double) {
        let content = TweakContent.decimal(value)
        #expect(TweakContent(content.text, as: .decimal) == content)
        for text in ["0\(content.text)", "+\(content.text)", content.text.replacing("e", with: "E0"), "1e-5", "1e0"]
        where text.utf8.contains(where: { "eE+".utf8.contains($0) }) {
            #expect(TweakContent(text, as: .decimal) == nil, "\(text)")
        }
    }

    @Test func `a range permits only its ends and the steps between them`() {
        let whole = TweakConstraint.range(TweakRange(10...100, step: 10))
        for value in [10, 20, 100] { #expect(whole.refusal(of: .integer(value)) == nil) }
        for value in [Int.min, 0, 9, 11, 101, 110, .max] { #expect(whole.refusal(of: .integer(value)) != nil) }
        #expect(whole.refusal(of: .decimal(10)) != nil)
        let times = TweakConstraint.range(TweakRange(Duration.seconds(1) ... .seconds(2), step: .milliseconds(250)))
        for time in [1000, 1250, 2000] { #expect(times.refusal(of: .seconds(.milliseconds(time))) == nil) }
        for time in [999, 1001, 2250] { #expect(times.refusal(of: .seconds(.milliseconds(time))) != nil) }
        let decimals = TweakConstraint.range(TweakRange(0.1...0.9, step: 0.1))
        for value in [0.1, 0.3, 0.7, 0.9] { #expect(decimals.refusal(of: .decimal(value)) == nil) }
        for value in [0.0, 0.05, 0.35, 1.0] { #expect(decimals.refusal(of: .decimal(value)) != nil) }
        let all = TweakConstraint.range(TweakRange(Int.min...Int.max, step: nil))
        for value in [Int.min, 0, .max] { #expect(all.refusal(of: .integer(value)) == nil) }
    }

    private static let refusals: [(TweakConstraint, TweakContent, String)] = [
        (.range(TweakRange(0...600, step: 5)), .integer(601), "it must be between 0 and 600"),
        (.range(TweakRange(0...600, step: 5)), .integer(7), "it must be 0 plus a multiple of 5"),
        (.choices(["debug", "info"]), .text("trace"), "it must be one of: debug, info"),
        (.text(bytes: 1024), .text("a\nb"), "it must be a single line of at most 1024 bytes"),
    ]

    @Test(arguments: refusals)
    func `the reason for a refusal names the constraint`(
        _ constraint: TweakConstraint,
        _ content: TweakContent,
        _ reason: String
    ) {
        #expect(constraint.refusal(of: content) == reason)
    }

    @Test func `steps of a range from Int.min to Int.max are counted without overflow`() {
        // From Int.min to Int.max it is 2^64 - 1, a multiple of 3; to 0 it is 2^63, which is not.
        let threes = TweakConstraint.range(TweakRange(Int.min...Int.max, step: 3))
        for value in [Int.min, .min + 3, -2, 1, .max - 3, .max] { #expect(threes.refusal(of: .integer(value)) == nil) }
        for value in [Int.min + 1, -1, 0, 2, .max - 1] { #expect(threes.refusal(of: .integer(value)) != nil) }
    }

    @Test func `a choice is compared byte for byte, and a text must be a single line within its limit`() {
        let choices = TweakConstraint.choices(["info", "\u{E9}"])
        #expect(choices.refusal(of: .text("info")) == nil && choices.refusal(of: .text("\u{E9}")) == nil)
        for text in ["Info", "", "e\u{301}", "info "] { #expect(choices.refusal(of: .text(text)) != nil) }
        let text = TweakConstraint.text(bytes: 4)
        for good in ["", "abcd", "\u{E9}\u{E9}"] { #expect(text.refusal(of: .text(good)) == nil) }
        for bad in ["abcde", "\u{E9}\u{E9}a", "a\nb", "a\u{0}", "\u{7F}"] {
            #expect(text.refusal(of: .text(bad)) != nil)
        }
    }
}
