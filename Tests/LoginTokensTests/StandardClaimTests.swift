// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
internal import TestSupport
internal import Testing

@testable internal import LoginTokens

/// The standard claims are found in one pass, wherever they are.
@Suite struct StandardClaimTests {
    private func claims(_ json: String) throws -> Claims {
        try Claims(Array(json.utf8))
    }

    @Test(.rule("T-093"))
    func `each standard claim is found, whatever precedes and follows it`() throws {
        let names = StandardClaim.allCases.map(\.rawValue)
        for turn in names.indices {
            let turned = names[turn...] + names[..<turn]
            let text = "{" + turned.map { "\"\($0)\":\"\($0) is here\"" }.joined(separator: ",") + "}"
            let claims = try claims(text)
            for claim in StandardClaim.allCases {
                #expect(claims.has(claim) && claims[claim]?.string == "\(claim.rawValue) is here")
                #expect(claims[claim.rawValue]?.string == "\(claim.rawValue) is here")
            }
        }
    }

    @Test(.rule("T-093"), arguments: StandardClaim.allCases.map(\.rawValue))
    func `a name with the same prefix, or in a nested object, is another claim`(name: String) throws {
        let claim = try #require(StandardClaim(rawValue: name))
        let first = try #require(name.first)
        let others = [
            "{}", "{\"\(name)x\":1}", "{\"\(name.dropLast())_\":1}", "{\"x\":{\"\(name)\":1}}", "{\"x\":\"\(name)\"}",
            "{\"\(first)\":1}", "{\"\(name.uppercased())\":1}",
        ]
        for text in others {
            #expect(try !claims(text).has(claim) && claims(text)[claim] == nil, "\(text)")
            #expect(try claims(text)[name] == nil, "\(text)")
        }
        #expect(try claims("{\"\(name)x\":1}")["\(name)x"]?.integer == 1)
        #expect(
            try claims("{\"\\u00\(hexadecimal([first.asciiValue ?? 0]))\(name.dropFirst())\":2}")[claim]?.integer == 2
        )
        #expect(try claims("{\"\(name)\":2}")["\0\(name)"] == nil)
    }
}
