// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import HTTPTypes
internal import LoginAccounts
internal import LoginText

/// The identity of the caller in the header fields for a proxy with forward authentication.
///
/// Every response that authorizes a request has all of these fields: if one were missing, the proxy would forward the
/// client's own value. Values are ASCII, so that every upstream reads them correctly: all other
/// characters are percent-encoded.
struct ForwardedIdentity: Sendable {
    let fields: [HTTPField]

    /// The names and descriptions of the header fields, in order.
    static let headers: [(name: HTTPField.Name, summary: String)] = [
        (.known("X-Auth-Account"), "The account's ID."),
        (.known("X-Auth-Session"), "The session's ID. It is not a credential."),
        (.known("X-Auth-Level"), "2 if a second factor was confirmed recently enough, otherwise 1."),
        (.known("X-Auth-Methods"), "The authentication methods, separated by commas."),
        (.known("X-Auth-Email"), "The account's e-mail address if it is verified, otherwise empty."),
        (.known("X-Auth-Anonymous"), "Whether the account is anonymous: true or false."),
    ]

    /// The header fields in the OpenAPI document.
    static let described: [Field] = headers.map { .required($0.name.rawName, .text(0...1000), $0.summary) }

    init(_ session: Session, _ owner: SessionOwner) {
        let values = [
            session.accountID.rawValue, session.id.rawValue, String(session.level),
            session.methods.map(\.name).joined(separator: ","), owner.verifiedEmail ?? "", String(owner.isAnonymous),
        ]
        fields = zip(Self.headers, values).map { header, value in
            HTTPField(name: header.name, value: Self.encode(value))
        }
    }

    /// Returns the value of a field: printable ASCII unchanged, except `%`; every other byte of UTF-8, and `%`, in
    /// percent-encoding (RFC 3986 §2.1).
    ///
    /// Decoded once, the value is the text. Different texts never have the same value, since `%` is always encoded.
    static func encode(_ text: String) -> String {
        PercentEncoding.encode(text) { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "%") }
    }
}

extension HTTPField.Name {
    /// The header field with the code of a rejected request, which a proxy can forward.
    static let xAuthError = known("X-Auth-Error")
}
#endif
