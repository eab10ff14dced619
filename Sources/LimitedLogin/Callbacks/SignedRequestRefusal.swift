// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginTokens

/// Why a signed request was refused.
///
/// The sender is Facebook, or somebody who pretends to be: answer 400, and keep the description, which shows neither
/// the signed request nor the secret nor whom it is about.
public struct SignedRequestRefusal: Error, Sendable, Hashable {
    /// The stable name of the reason.
    public let code: Code

    /// The member of the payload that was at fault, where it was one.
    public let member: String?

    /// What was sent in place of a signed request, where it has not the form of one and can be told.
    public let recognizedAs: RecognizedInput?

    /// What was seen and expected, in a few words, for the operator.
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
    /// Where a token is refused for the same reason, the name is the same.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The name, for example `signature`.
        public let rawValue: String

        private init(_ rawValue: String) { self.rawValue = rawValue }

        /// The name, as in ``rawValue``.
        public var description: String { rawValue }

        /// There is no form with exactly one field `signed_request`.
        public static let form = Self("form")
        /// The app was made without its secret, and so nothing can be verified.
        public static let noSecret = Self("no-secret")
        /// It is longer than any real one.
        public static let tooLarge = Self("too-large")
        /// There are not exactly two parts, or one is empty.
        public static let segments = Self("segments")
        /// A part is not canonical base64url.
        public static let encoding = Self("encoding")
        /// The payload is not a JSON object.
        public static let payload = Self("payload")
        /// The algorithm is not HMAC-SHA256.
        public static let algorithm = Self("algorithm")
        /// The signature is not valid with the app's secret.
        public static let signature = Self("signature")
        /// `issued_at` is not there.
        public static let missingClaim = Self("missing-claim")
        /// `issued_at` is no time, or `user_id` is no string.
        public static let claimType = Self("claim-type")
        /// `user_id` is empty, too long, or not ASCII.
        public static let subject = Self("subject")
        /// It was signed later than now.
        public static let issuedInFuture = Self("issued-in-future")
        /// It was signed longer ago than is accepted.
        public static let tooOld = Self("too-old")

        /// All of them, in the order of the checks.
        public static let all: [Self] = [
            .form, .noSecret, .tooLarge, .segments, .encoding, .payload, .algorithm, .signature, .missingClaim,
            .claimType, .subject, .issuedInFuture, .tooOld,
        ]
    }
}

extension SignedRequestRefusal: CustomStringConvertible {
    /// The code, what was seen and what was expected, for the operator.
    public var description: String {
        let recognized = recognizedAs.map { ". \($0.explanation)" } ?? ""
        return "signed request refused: \(code.rawValue): \(detail)\(recognized)"
    }
}
