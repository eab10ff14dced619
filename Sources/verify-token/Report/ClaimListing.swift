// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import Foundation
internal import LoginServer
internal import LoginTokens

/// The claims of a token for a report: in full if requested, otherwise by name and type.
///
/// Of the subject and the nonce, part of the SHA-256 is shown, so that two people can compare the values in one
/// token.
struct ClaimListing {
    let claims: Claims
    let showsClaims: Bool

    /// A line for each claim, in the order of the token.
    var lines: [String] {
        claims.names.map { name in
            "  \(padded(printable(name), to: 18)) \(text(name))"
        }
    }

    private func text(_ name: String) -> String {
        guard let value = claims[name] else { return "" }
        guard showsClaims else { return summary(name, value) }
        return printable((try? encodedJSON(value, pretty: false)) ?? "")
    }

    private func summary(_ name: String, _ value: JSONValue) -> String {
        guard name == "sub" || name == "nonce", let text = value.string else { return value.kind.rawValue }
        return fingerprint(text)
    }
}

/// The name of any claim or header parameter.
struct MemberName: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

extension ClaimListing: Encodable {
    /// Encodes an object with a member for each claim.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: MemberName.self)
        for name in claims.names {
            guard let value = claims[name] else { continue }
            if showsClaims {
                try container.encode(value, forKey: MemberName(stringValue: name))
            } else {
                try container.encode(summary(name, value), forKey: MemberName(stringValue: name))
            }
        }
    }
}

#endif
