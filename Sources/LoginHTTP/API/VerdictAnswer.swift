// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import LoginTokens

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The result of a token verification.
enum VerdictAnswer {
    fileprivate static let times = Date.ISO8601FormatStyle()

    static func json(of token: VerifiedToken, policy: String, profile: (any Encodable)?) -> [UInt8] {
        JSONWriter.object {
            $0.add(verified: token.claims, by: policy, token.issuer, token.audience, token.subject)
            if let profile { $0.add("profile", json: encodedJSON(profile)) }
        }
    }

    static func json(of token: VerifiedAccessToken, policy: String, proofNonce: String?) -> [UInt8] {
        JSONWriter.object {
            $0.add(verified: token.claims, by: policy, token.issuer, token.audience, token.subject)
            $0.add("clientID", token.clientID)
            $0.add(name: "scopes")
            $0.addArray { array in
                for scope in token.scopes.sorted() { array.add(scope) }
            }
            $0.add("dpopNonce", proofNonce)
        }
    }

    static func json(of refused: RefusedToken, policy: String, proofNonce: String? = nil) -> [UInt8] {
        JSONWriter.object {
            $0.add("verdict", "refused")
            $0.add("policy", policy)
            $0.add("code", refused.code)
            $0.add("message", refused.message)
            $0.add("recognizedAs", refused.recognizedAs)
            $0.add("dpopNonce", proofNonce)
        }
    }

    static let schema = Schema.named(
        "Verdict",
        .object([
            .required("verdict", .choice(["verified", "refused"]), "The verdict."),
            .required("policy", .text(1...64), "The name of the policy."),
            .optional("code", .text(1...64), "The stable code of the refusal."),
            .optional("message", .text(0...10_000), "The reason for the refusal, for the sender of the token."),
            .optional(
                "recognizedAs",
                .text(1...64),
                "The kind of the text that was sent instead of the token, if it is recognized."
            ),
            .optional("issuer", .text(0...10_000), "The issuer."),
            .optional("audience", .text(0...10_000), "The audience."),
            .optional(
                "subject",
                .text(0...10_000),
                "The user's ID at the issuer; of an access token, also that of a client that acts for itself."
            ),
            .optional("clientID", .text(0...10_000), "The client of an access token, if the issuer's tokens name one."),
            .optional(
                "scopes",
                .array(.text(1...16_384), most: 16_384),
                "The scopes of an access token."
            ),
            .optional(
                "dpopNonce",
                .text(1...64),
                "If the request has `dpop`, and proofs need a nonce: the current one, which the API sends to the client in "
                    + "`DPoP-Nonce`. With the code `proof-nonce`, the client then makes another proof with it."
            ),
            .optional("issuedAt", .time, "When the token was issued."),
            .optional("expiresAt", .time, "When it expires."),
            .optional("claims", .anyObject, "The claims."),
            .optional("profile", .anyObject, "The profile that the user shared, of a token of Facebook."),
        ])
    )
}

extension JSONWriter {
    /// Writes the members of a verified token of any kind.
    fileprivate mutating func add(
        verified claims: Claims,
        by policy: String,
        _ issuer: String,
        _ audience: String,
        _ subject: String
    ) {
        add("verdict", "verified")
        add("policy", policy)
        add("issuer", issuer)
        add("audience", audience)
        add("subject", subject)
        add("issuedAt", claims.issuedAt.map { VerdictAnswer.times.format($0) })
        add("expiresAt", claims.expiresAt.map { VerdictAnswer.times.format($0) })
        // The claims are copied as the issuer wrote them. They were parsed strictly, so they are valid JSON, and
        // numbers keep their precision.
        add("claims", json: claims.value.source)
    }
}

/// The reason for the refusal of a token.
struct RefusedToken: Error {
    let code, message: String
    let recognizedAs: String?

    init(_ refusal: TokenRefusal) {
        code = refusal.code.rawValue
        message = refusal.publicMessage
        recognizedAs = refusal.recognizedAs?.rawValue
    }

    private init(code: VerificationCode, message: String) {
        self.code = code.rawValue
        self.message = message
        recognizedAs = nil
    }

    /// The attempt is unknown, expired, used, or of another provider.
    ///
    /// The response does not distinguish these cases.
    static let attempt = Self(
        code: .nonce,
        message: "nonce: The attempt is unknown, over, used before, or began for something else. Sign in again."
    )
}
#endif
