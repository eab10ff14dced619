// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The scopes of a token.
///
/// Scopes are ASCII (RFC 6749 §3.3), so Swift's comparison of strings compares their bytes.
package enum ScopeList {
    /// Reads the scopes of a claim.
    ///
    /// - Parameters:
    ///   - value: The value of the claim.
    ///   - claim: The form of the claim.
    /// - Returns: The scopes; nil if the claim has another form, or one of them is not a scope.
    static func scopes(in value: JSONValue, as claim: AccessTokenIssuer.ScopeClaim) -> Set<String>? {
        let texts: [String]
        switch claim {
        case .spaceSeparated:
            guard let text = value.string else { return nil }
            texts = text.utf8.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
        case .array:
            guard let elements = value.elements else { return nil }
            texts = elements.compactMap(\.string)
            guard texts.count == elements.count else { return nil }
        }
        return texts.allSatisfy { isScope($0.utf8) } ? Set(texts) : nil
    }

    /// Returns whether the text is one scope (RFC 6749 §3.3, scope-token).
    package static func isScope(_ text: String.UTF8View) -> Bool {
        !text.isEmpty && text.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }
    }
}

extension AccessTokenIssuer.ScopeClaim {
    /// The name of the claim.
    var name: String {
        switch self {
        case .spaceSeparated(let name), .array(let name): name
        }
    }
}
