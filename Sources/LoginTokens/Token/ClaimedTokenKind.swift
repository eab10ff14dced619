// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The kind of token that a claim names, as `typ` in the header may say no more than `JWT`.
///
/// Keycloak names it in `typ`, Amazon Cognito and Ory Hydra in `token_use`, and others in `token_type`. The words are
/// compared without case and separators, as are the URNs of RFC 8693 §3. A media type is a value of the header; in a claim
/// it names nothing.
enum ClaimedTokenKind {
    case id, access, refresh, logout
    /// An access token that is bound to a key (RFC 9449 §5).
    case dpop

    /// The claims that name the kind of a token.
    static let claims: [StandardClaim] = [.typ, .tokenUse, .tokenType]

    /// Returns the kinds that the value of such a claim names: a word, or each word of an array.
    static func kinds(_ value: JSONValue) -> [Self] { (value.elements ?? [value]).compactMap(Self.init) }

    /// Reads one word.
    ///
    /// Nil if it is no string, or a word that names none of these kinds, such as `JWT`.
    init?(_ value: JSONValue) {
        switch value.utf8.flatMap(Self.word) {
        case "id": self = .id
        case "access", "bearer": self = .access
        case "dpop": self = .dpop
        case "refresh", "offline": self = .refresh
        case "logout": self = .logout
        default: return nil
        }
    }

    /// Whether this is an access token.
    var isAccess: Bool { self == .access || self == .dpop }

    /// Returns the letters of a name, or of the last part of a URN, in lower case and without `token` at the end; nil if
    /// it has other characters than letters and separators.
    private static func word(_ name: ArraySlice<UInt8>) -> String? {
        let last = name.lastIndex(of: UInt8(ascii: ":")).map { name[($0 + 1)...] } ?? name
        var word = ""
        for byte in last {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"):
                word.unicodeScalars.append(Unicode.Scalar(byte | 0x20))
            case UInt8(ascii: " "), UInt8(ascii: "-"), UInt8(ascii: "_"): continue
            default: return nil
            }
        }
        if word.hasSuffix("token") { word.removeLast(5) }
        return word
    }
}
