// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The kind of token that a claim names, at issuers that write no `typ` in the header.
///
/// Keycloak names it in `typ`, Amazon Cognito and Ory Hydra in `token_use`, and others in `token_type`. The words are
/// compared without case and separators, and without the beginning of a media type or of a URN of RFC 8693 §3.
enum ClaimedTokenKind {
    case id, access, refresh, logout

    /// The claims that name the kind of a token.
    static let claims: [StandardClaim] = [.typ, .tokenUse, .tokenType]

    /// Reads the value of such a claim.
    ///
    /// Nil if it is no string, or a word that names none of these kinds, such as `JWT`.
    init?(_ value: JSONValue) {
        switch value.utf8.map(Self.word) {
        case "id": self = .id
        case "access", "at", "bearer", "dpop": self = .access
        case "refresh", "offline": self = .refresh
        case "logout": self = .logout
        default: return nil
        }
    }

    /// Returns the letters of the last part of a name in lower case, without `token` or `jwt` at the end.
    private static func word(_ name: some BidirectionalCollection<UInt8>) -> String {
        let prefix = name.lastIndex { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "/") }
        let last = prefix.map { name[name.index(after: $0)...] } ?? name[...]
        let letters = last.map { $0 | 0x20 }.filter { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
        var word = String(decoding: letters, as: UTF8.self)
        for ending in ["jwt", "token"] where word.hasSuffix(ending) && word != ending {
            word.removeLast(ending.utf8.count)
        }
        return word
    }
}
