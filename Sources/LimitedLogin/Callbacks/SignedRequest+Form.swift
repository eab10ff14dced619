// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTokens

extension SignedRequest {
    /// The maximum length of the body of a callback, in bytes: twice that of a signed request, which needs no escapes.
    public static let maximumFormBytes = 2 * Limits.tokenBytes

    /// Returns the signed request in a callback of Facebook: a form with the field `signed_request`.
    ///
    /// - Parameter body: The unchanged body of the request, of the type `application/x-www-form-urlencoded`.
    /// - Returns: The decoded value of the field.
    /// - Throws: ``SignedRequestRefusal`` with the code `too-large`, or with `form` if the body is not a form or does
    ///   not have the field exactly once.
    public static func field(inFormBody body: some Collection<UInt8>) throws(SignedRequestRefusal) -> String {
        guard body.count <= maximumFormBytes else {
            throw SignedRequestRefusal(.tooLarge, "the body has more than \(maximumFormBytes) bytes")
        }
        guard let form = FormFields(reading: body) else {
            throw SignedRequestRefusal(.form, "the body is not a UTF-8 form with at most 64 fields")
        }
        guard let text = form.only("signed_request") else {
            let found = form.has("signed_request") ? "occurs more than once" : "is missing"
            throw SignedRequestRefusal(.form, "the field signed_request \(found)")
        }
        return text
    }
}
