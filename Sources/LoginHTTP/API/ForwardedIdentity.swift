// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import HTTPTypes
internal import LoginAccounts

/// The identity of the caller in the header fields for a proxy with forward authentication.
///
/// Every response that authorizes a request has all of these fields: if one were missing, the proxy would forward the
/// client's own value. Values are ASCII, so that every upstream reads them correctly.
struct ForwardedIdentity: Sendable {
    let fields: [HTTPField]

    /// The names and descriptions of the header fields, in order.
    static let headers: [(name: HTTPField.Name, summary: String)] = [
        (.known("X-Auth-Account"), "The account's ID."),
        (.known("X-Auth-Session"), "The session's ID. It is not a credential."),
        (.known("X-Auth-Level"), "2 if a second factor was confirmed recently enough, otherwise 1."),
        (.known("X-Auth-Methods"), "The authentication methods, separated by commas."),
        (.known("X-Auth-Email"), "The account's e-mail address if it is verified and ASCII, otherwise empty."),
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
            HTTPField(name: header.name, value: Self.isPlain(value) ? value : "")
        }
    }

    private static func isPlain(_ text: String) -> Bool { text.utf8.allSatisfy { (0x21...0x7E).contains($0) } }
}

extension HTTPField.Name {
    /// The header field with the code of a rejected request, which a proxy can forward.
    static let xAuthError = known("X-Auth-Error")
}
#endif
