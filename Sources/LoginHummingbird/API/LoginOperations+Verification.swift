// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import HTTPTypes
internal import Hummingbird
internal import LoginAccounts
internal import LoginProviders
internal import LoginTokens

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension LoginOperations {
    /// The operations that verify a token or a session, and change no account.
    var verification: [Operation<Context>] { [verify, forwardAuth] }

    private var verify: Operation<Context> {
        Operation(
            name: "verify",
            method: .post,
            path: "/v1/verify",
            summary:
                "Verifies an ID token by a configured policy. The verdict has status 200 even if the token is refused.",
            tag: "Verification",
            body: .json(
                .object([
                    .required("token", Self.token, "The ID token, as the app received it."),
                    .required("policy", .text(1...64), "The name of the policy."),
                    .optional(
                        "nonce",
                        .text(1...256),
                        "The expected nonce. The caller must ensure that it is used only once."
                    ),
                    .optional(
                        "attempt",
                        Self.secret,
                        "Instead of a nonce: the attempt from `/v1/attempts`, which can be used only once."
                    ),
                ])
            ),
            answer: .init(summary: "The verdict.", schema: VerdictAnswer.schema),
            problems: [.unknownPolicy, .keysUnavailable, ProblemCode(.storeUnavailable), ProblemCode(.conflictRetry)]
        ) { call in
            guard let (policy, verifier) = auth.providers.policy(named: call.text("policy")) else {
                throw Problem(.unknownPolicy)
            }
            switch try await verdict(call, policy, verifier) {
            case .success(let token):
                let profile = auth.providers.profile(in: VerifiedIdentity(providerID: policy.provider, token: token))
                return jsonResponse(
                    json: VerdictAnswer.json(of: token, policy: call.text("policy"), profile: profile)
                )
            case .failure(let refusal):
                return jsonResponse(json: VerdictAnswer.json(of: refusal, policy: call.text("policy")))
            }
        }
    }

    private func verdict(_ call: Call<Context>, _ policy: VerificationPolicy, _ verifier: TokenVerifier) async throws
        -> Result<VerifiedToken, Refused>
    {
        let (nonce, attempt) = (call.optionalText("nonce"), call.optionalText("attempt"))
        let token = call.text("token")
        do {
            switch (policy.nonce, nonce, attempt) {
            case (.required, let nonce?, nil):
                return .success(try await verifier.verify(token, nonce: .exactly(nonce)))
            case (.required, nil, let attempt?):
                return .success(try await auth.verify(token, attempt: attempt, of: policy.provider, by: verifier))
            case (.absent, nil, nil):
                return .success(try await verifier.verify(token, nonce: .mustBeAbsent))
            case (.unchecked, nil, nil):
                return .success(try await verifier.verify(token, nonce: .notChecked(because: "the policy says so")))
            case (.required, _, _):
                throw Problem(.invalidRequest, "This policy requires either `nonce` or `attempt`.")
            case (.absent, _, _), (.unchecked, _, _):
                throw Problem(.invalidRequest, "This policy accepts neither `nonce` nor `attempt`.")
            }
        } catch let error as VerificationError {
            switch error {
            case .refused(let refusal): return .failure(Refused(refusal))
            case .undecided: throw Problem.keysUnavailable
            }
        } catch let error as AuthError {
            switch error.reason {
            case .tokenRefused(let refusal): return .failure(Refused(refusal))
            case .missingOrInvalidNonce: return .failure(.attempt)
            case .providerUnavailable: throw Problem.keysUnavailable
            default: throw error
            }
        }
    }

    private var forwardAuth: Operation<Context> {
        Operation(
            name: "forwardAuth",
            method: .get,
            path: "/v1/forward-auth",
            summary: "Authorizes a request for a reverse proxy, and returns the user's identity.",
            tag: "Verification",
            session: .required,
            query: [.optional("level", .choice(["1", "2"]), "2 where only a session with a second factor may pass.")],
            answer: .init(summary: "The request is authorized.", headers: ForwardedIdentity.described),
            problems: [ProblemCode(.secondFactorRequired)]
        ) { call in
            let session = try call.session()
            if try Self.level(call) == 2 { try session.requireLevel(2) }
            var response = Response.noContent
            response.status = .ok
            ForwardedIdentity(session, try await session.owner()).write(to: &response)
            return response
        }
    }

    private static func level(_ call: Call<Context>) throws -> Int {
        guard let query = call.request.uri.query else { return 1 }
        guard let fields = FormFields(reading: query.utf8), fields.all.allSatisfy({ $0.name == "level" }) else {
            throw Problem(.invalidRequest, "The only query parameter is level.")
        }
        switch fields.only("level") {
        case "1": return 1
        case "2": return 2
        default: throw Problem(.invalidRequest, "The parameter level must be 1 or 2, and present at most once.")
        }
    }
}

extension Problem {
    /// The token cannot be verified, because the provider's keys are unavailable.
    static var keysUnavailable: Problem { Problem(.keysUnavailable, headers: [.retryAfter: "1"]) }
}

/// The reason for the refusal of a token.
private struct Refused: Error {
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

/// The result of a token verification.
private enum VerdictAnswer {
    private static let times = Date.ISO8601FormatStyle()

    static func json(of token: VerifiedToken, policy: String, profile: (any Encodable)?) -> [UInt8] {
        JSONWriter.object {
            $0.add("verdict", "verified")
            $0.add("policy", policy)
            $0.add("issuer", token.issuer)
            $0.add("audience", token.audience)
            $0.add("subject", token.subject)
            $0.add("issuedAt", times.format(token.issuedAt))
            $0.add("expiresAt", times.format(token.expiresAt))
            // The claims are copied as the issuer wrote them. They were parsed strictly, so they are valid JSON, and
            // numbers keep their precision.
            $0.add("claims", json: token.claims.value.source)
            if let profile { $0.add("profile", json: encodedJSON(profile)) }
        }
    }

    static func json(of refused: Refused, policy: String) -> [UInt8] {
        JSONWriter.object {
            $0.add("verdict", "refused")
            $0.add("policy", policy)
            $0.add("code", refused.code)
            $0.add("message", refused.message)
            $0.add("recognizedAs", refused.recognizedAs)
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
                "The kind of the text that was sent instead of an ID token, if it is recognized."
            ),
            .optional("issuer", .text(0...10_000), "The issuer."),
            .optional("audience", .text(0...10_000), "The audience."),
            .optional("subject", .text(0...10_000), "The user's ID at the issuer."),
            .optional("issuedAt", .time, "When the token was issued."),
            .optional("expiresAt", .time, "When it expires."),
            .optional("claims", .anyObject, "The claims."),
            .optional("profile", .anyObject, "The profile that the user shared, of a token of Facebook."),
        ])
    )
}
#endif
