// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The scopes of a token, which are read in its claim, because most requests need no list of them.
///
/// Scopes are ASCII (RFC 6749 §3.3), so Swift's comparison of strings compares their bytes.
package struct ScopeList: Sendable {
    /// A string of scopes separated by spaces, or an array of scopes; nil if the token has no scopes.
    private let claim: JSONValue?

    /// The list of a token without scopes.
    static let empty = Self(claim: nil)

    /// Reads the scopes of a claim.
    ///
    /// Nil if the claim has another form, or one of its texts is not a scope.
    ///
    /// - Parameters:
    ///   - value: The value of the claim.
    ///   - form: The form of the claim.
    init?(_ value: JSONValue, as form: AccessTokenIssuer.ScopeClaim) {
        let isValid =
            switch form {
            case .spaceSeparated: Self.isText(value)
            case .array: Self.isArray(value)
            case .stringOrArray: Self.isText(value) || Self.isArray(value)
            }
        guard isValid else { return nil }
        self.init(claim: value)
    }

    private init(claim: JSONValue?) {
        self.claim = claim
    }

    private static func isText(_ value: JSONValue) -> Bool {
        value.utf8?.allSatisfy { $0 == space || isScopeByte($0) } ?? false
    }

    private static func isArray(_ value: JSONValue) -> Bool { value.isArray { $0.utf8.map(isScope) ?? false } }

    /// All scopes.
    var all: Set<String> {
        guard let claim else { return [] }
        if let elements = claim.elements { return Set(elements.compactMap(\.string)) }
        let texts = claim.utf8?.split(separator: Self.space) ?? []
        return Set(texts.map { String(decoding: $0, as: UTF8.self) })
    }

    /// Returns whether a scope is in the list.
    func contains(_ scope: String) -> Bool {
        guard let claim else { return false }
        guard var rest = claim.utf8 else { return !claim.isArray { !$0.isString(scope) } }
        while !rest.isEmpty {
            let end = rest.firstIndex(of: Self.space) ?? rest.endIndex
            if rest[..<end].elementsEqual(scope.utf8) { return true }
            rest = rest[end...].dropFirst()
        }
        return false
    }

    /// Returns whether a text is one scope (RFC 6749 §3.3, scope-token).
    package static func isScope(_ text: some Collection<UInt8>) -> Bool {
        !text.isEmpty && text.allSatisfy(isScopeByte)
    }

    private static func isScopeByte(_ byte: UInt8) -> Bool {
        (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    private static var space: UInt8 { UInt8(ascii: " ") }
}

extension AccessTokenIssuer.ScopeClaim {
    /// The name of the claim.
    var name: String {
        switch self {
        case .spaceSeparated(let name), .array(let name), .stringOrArray(let name): name
        }
    }
}
