// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import HTTPTypes
internal import LoginTokens

/// The subject and the client of an access token in the header fields for a proxy with forward authentication.
///
/// As for ``ForwardedIdentity``, every response that authorizes a request has all of these fields, in ASCII.
struct ForwardedAccessToken: Sendable {
    let fields: [HTTPField]

    /// The names and descriptions of the header fields, in order.
    static let headers: [(name: HTTPField.Name, summary: String)] = [
        (.known("X-Auth-Issuer"), "The issuer of the access token, within which the subject is unique."),
        (.known("X-Auth-Subject"), "The subject: a user of the issuer, or the client itself."),
        (.known("X-Auth-Client"), "The client's ID; empty if the issuer's tokens name none."),
        (.known("X-Auth-Scopes"), "The scopes, separated by spaces."),
    ]

    /// The header fields in the OpenAPI document.
    static let described: [Field] = headers.map { .required($0.name.rawName, .text(0...16_384), $0.summary) }

    /// Creates the fields.
    ///
    /// - Parameter token: The verified token.
    /// - Throws: `TokenRefusal` with the code `claim-value` if an ID has other characters than printable ASCII. Without
    ///   them it would be another ID, and an empty one would be that of many users.
    init(_ token: VerifiedAccessToken) throws(TokenRefusal) {
        let client = token.clientID ?? ""
        for (member, id) in [("iss", token.issuer), ("sub", token.subject), ("client_id", client)] {
            guard id.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
                throw TokenRefusal(.claimValue, "\(member) cannot be a header field", member: member)
            }
        }
        // Scopes are ASCII without spaces (RFC 6749 §3.3), but may contain commas.
        let values = [token.issuer, token.subject, client, token.scopes.sorted().joined(separator: " ")]
        fields = zip(Self.headers, values).map { header, value in HTTPField(name: header.name, value: value) }
    }
}
#endif
