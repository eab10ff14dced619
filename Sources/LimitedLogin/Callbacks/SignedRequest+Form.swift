// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTokens

extension SignedRequest {
    /// How long the body of a callback may be, in bytes: twice a signed request, of which nothing needs an escape.
    public static let maximumFormBytes = 2 * Limits.tokenBytes

    /// Finds the signed request in what Facebook posts: a form with the field `signed_request`.
    ///
    /// - Parameter body: The body of the request, of the type `application/x-www-form-urlencoded`, as it came.
    /// - Returns: The value of the field, decoded.
    /// - Throws: ``SignedRequestRefusal`` with the code `too-large`, or with `form` where the body is no form, or has
    ///   the field not once.
    public static func field(inFormBody body: some Collection<UInt8>) throws(SignedRequestRefusal) -> String {
        guard body.count <= maximumFormBytes else {
            throw SignedRequestRefusal(.tooLarge, "the body has more than \(maximumFormBytes) bytes")
        }
        guard let form = FormFields(reading: body) else {
            throw SignedRequestRefusal(.form, "the body is not a form of at most 64 fields in UTF-8")
        }
        guard let text = form.only("signed_request") else {
            let found = form.has("signed_request") ? "is there more than once" : "is not there"
            throw SignedRequestRefusal(.form, "the field signed_request \(found)")
        }
        return text
    }
}
