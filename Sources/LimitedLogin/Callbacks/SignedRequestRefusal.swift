// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginTokens

/// The reason why a signed request was refused.
///
/// The sender is Facebook or an impostor. Respond with status 400, and log the description, which contains neither the
/// signed request nor the secret nor the user's ID.
public struct SignedRequestRefusal: Error, Sendable, Hashable {
    /// The stable name of the reason.
    public let code: Code

    /// The member of the payload that caused the refusal; nil if there is none.
    public let member: String?

    /// The kind of input that was sent instead of a signed request, if it was recognized.
    public let recognizedAs: RecognizedInput?

    /// The finding and the expectation, for the operator.
    package let detail: String

    init(_ code: Code, _ detail: String, member: String? = nil, recognizedAs: RecognizedInput? = nil) {
        self.code = code
        self.member = member
        self.recognizedAs = recognizedAs
        self.detail = oneLine(detail, limit: 4 * Limits.quotedCharacters)
    }
}

extension SignedRequestRefusal {
    /// The stable name of a reason to refuse a signed request.
    ///
    /// A token that is refused for the same reason has the same code.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The name, for example `signature`.
        public let rawValue: String

        private init(_ rawValue: String) { self.rawValue = rawValue }

        /// The name, as in ``rawValue``.
        public var description: String { rawValue }

        /// There is no form with exactly one field `signed_request`.
        public static let form = Self("form")
        /// The app was created without its secret, so nothing can be verified.
        public static let noSecret = Self("no-secret")
        /// The request or the body exceeds the maximum length.
        public static let tooLarge = Self("too-large")
        /// There are not exactly two segments, or one is empty.
        public static let segments = Self("segments")
        /// A segment is not canonical base64url.
        public static let encoding = Self("encoding")
        /// The payload is not a JSON object.
        public static let payload = Self("payload")
        /// The algorithm is not HMAC-SHA256.
        public static let algorithm = Self("algorithm")
        /// The signature is not valid with the app's secret.
        public static let signature = Self("signature")
        /// `issued_at` is missing.
        public static let missingClaim = Self("missing-claim")
        /// `issued_at` is not a time, or `user_id` is not a string.
        public static let claimType = Self("claim-type")
        /// `user_id` is empty, too long, or not ASCII.
        public static let subject = Self("subject")
        /// `issued_at` is in the future.
        public static let issuedInFuture = Self("issued-in-future")
        /// The request is older than the maximum age.
        public static let tooOld = Self("too-old")

        /// All codes, in the order of the checks.
        public static let all: [Self] = [
            .form, .noSecret, .tooLarge, .segments, .encoding, .payload, .algorithm, .signature, .missingClaim,
            .claimType, .subject, .issuedInFuture, .tooOld,
        ]
    }
}

extension SignedRequestRefusal: CustomStringConvertible {
    /// The code, the finding and the expectation, for the operator.
    public var description: String {
        let recognized = recognizedAs.map { ". \($0.explanation)" } ?? ""
        return "signed request refused: \(code.rawValue): \(detail)\(recognized)"
    }
}
