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
    static let described: [Field] = headers.map { .required($0.name.rawName, .text(0...49_152), $0.summary) }

    /// Creates the fields.
    ///
    /// - Parameter token: The verified token.
    init(_ token: VerifiedAccessToken) {
        // Scopes have no spaces (RFC 6749 §3.3), but may contain commas.
        let scopes = token.scopes.sorted().map(ForwardedIdentity.encode).joined(separator: " ")
        let ids = [token.issuer, token.subject, token.clientID ?? ""].map(ForwardedIdentity.encode)
        fields = zip(Self.headers, ids + [scopes]).map { header, value in HTTPField(name: header.name, value: value) }
    }
}
#endif
