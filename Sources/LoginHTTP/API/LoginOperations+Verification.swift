// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import HTTPTypes
internal import LoginAccounts
internal import LoginProviders
internal import LoginTokens

extension LoginOperations {
    /// The operations that verify a token or a session, and change no account.
    var verification: [Operation] { [verify, forwardAuth] + protectedResources }

    private var verify: Operation {
        Operation(
            name: "verify",
            method: .post,
            path: "/v1/verify",
            summary:
                "Verifies a token by a configured policy. The verdict has status 200 even if the token is refused.",
            tag: "Verification",
            body: .json(.object(Self.tokenMembers + proofMembers)),
            answer: .init(summary: "The verdict.", schema: VerdictAnswer.schema),
            problems: verificationProblems
        ) { call in
            if let resource = options.resources.resource(named: call.text("policy")) {
                return try await verdict(call, of: resource)
            }
            guard let (policy, verifier) = auth.providers.policy(named: call.text("policy")) else {
                throw Problem(.unknownPolicy)
            }
            guard Self.possession.allSatisfy({ call.optionalText($0) == nil }) else {
                let detail = "Only the policy of an API accepts `dpop`, `method`, `url` and `certificate`."
                throw Problem(.invalidRequest, detail)
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

    private var verificationProblems: [ProblemCode] {
        var problems: [ProblemCode] = [
            .unknownPolicy, .keysUnavailable, ProblemCode(.storeUnavailable), ProblemCode(.conflictRetry),
        ]
        if !options.resources.isEmpty { problems += [.proofUndecided, .introspectionUnavailable] }
        return problems
    }

    private static var tokenMembers: [Field] {
        [
            .required("token", token, "The ID token as the app received it, or the access token."),
            .required("policy", .text(1...64), "The name of the policy, or of the API."),
            .optional(
                "nonce",
                .text(1...256),
                "The expected nonce. The caller must ensure that it is used only once."
            ),
            .optional(
                "attempt",
                secret,
                "Instead of a nonce: the attempt from `/v1/attempts`, which can be used only once."
            ),
        ]
    }

    /// The names of the members with the proof of possession of an access token.
    private static let possession = ["dpop", "method", "url", "certificate"]

    /// The members with the proof of possession of an access token; none without an API.
    private var proofMembers: [Field] {
        guard !options.resources.isEmpty else { return [] }
        return [
            .optional(
                "dpop",
                Self.shortToken,
                "The header field `DPoP` of the request that had the access token with the scheme `DPoP`."
            ),
            .optional("method", .text(1...64), "With `dpop`: the method of that request."),
            .optional(
                "url",
                .text(1...8192),
                "With `dpop`: the URL of that request, with the origin of the API's `resource` and never one from `Host`; "
                    + "another origin is refused with `proof-url`."
            ),
            .optional(
                "certificate",
                .text(1...32_768),
                "The client certificate of the TLS connection that had the access token, in PEM. The API, or the proxy "
                    + "before it, has checked that the client has its private key."
            ),
        ]
    }

    private func verdict(_ call: Call, _ policy: VerificationPolicy, _ verifier: TokenVerifier) async throws
        -> Result<VerifiedToken, RefusedToken>
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
            case .refused(let refusal): return .failure(RefusedToken(refusal))
            case .undecided(let unavailable): throw Problem.keysUnavailable(lookupIn: unavailable.retryAfter)
            }
        } catch let error as AuthError {
            switch error.reason {
            case .tokenRefused(let refusal): return .failure(RefusedToken(refusal))
            case .missingOrInvalidNonce: return .failure(.attempt)
            case .providerUnavailable: throw Problem.keysUnavailable()
            case .keyLookupPostponed(let wait): throw Problem.keysUnavailable(lookupIn: wait)
            default: throw error
            }
        }
    }

    private var forwardAuth: Operation {
        Operation(
            name: "forwardAuth",
            method: .get,
            path: "/v1/forward-auth",
            summary: "Authorizes a request for a reverse proxy, and returns the user's identity.",
            tag: "Verification",
            session: .required,
            query: [
                .optional("level", .choice(["1", "2"]), "2 where only a session with a second factor may pass."),
                .optional(
                    "navigation",
                    .choice(ForwardedNavigation.Refusal.allCases.map(\.rawValue)),
                    "The status with which a browser's navigation is refused, and sent to the sign-in page by `Location`: 303, "
                        + "or 401 for a proxy that can pass on no other. Without it, the refusal is that of any request."
                ),
            ],
            headers: [
                .optional(
                    HTTPField.Name.xForwardedMethod.rawName,
                    .text(0 ... .max),
                    "The method of the client's request. With `navigation`, a trusted proxy must set it."
                ),
                .optional(
                    HTTPField.Name.xForwardedURI.rawName,
                    .text(0 ... .max),
                    "The path and the query of the client's request, likewise."
                ),
            ],
            answer: .init(summary: "The request is authorized.", headers: ForwardedIdentity.described),
            problems: [ProblemCode(.secondFactorRequired)]
        ) { call in
            let session = try call.session()
            if try Self.level(call) == 2 { try session.requireLevel(2) }
            var response = ServerResponse.noContent
            response.status = .ok
            response.headers.append(contentsOf: ForwardedIdentity(session, try await session.owner()).fields)
            return response
        }
    }

    private static func level(_ call: Call) throws -> Int {
        guard let query = call.request.query else { return 1 }
        guard let fields = FormFields(reading: query.utf8),
            fields.all.allSatisfy({ ["level", ForwardedNavigation.parameter].contains($0.name) })
        else { throw Problem(.invalidRequest, "The only query parameters are level and navigation.") }
        if fields.has(ForwardedNavigation.parameter) {
            let refusal = fields.only(ForwardedNavigation.parameter).flatMap {
                ForwardedNavigation.Refusal(rawValue: $0)
            }
            guard refusal != nil else {
                let detail = "The parameter navigation must be 303 or 401, and present at most once."
                throw Problem(.invalidRequest, detail)
            }
        }
        guard fields.has("level") else { return 1 }
        switch fields.only("level") {
        case "1": return 1
        case "2": return 2
        default: throw Problem(.invalidRequest, "The parameter level must be 1 or 2, and present at most once.")
        }
    }
}

extension Problem {
    /// Returns the problem of a token that cannot be verified, because its key is unavailable.
    ///
    /// - Parameter wait: The time after which the unknown key can be looked up; nil if the provider's keys are unavailable.
    /// - Returns: The problem.
    static func keysUnavailable(lookupIn wait: Duration? = nil) -> Problem {
        var problem = Problem(
            .keysUnavailable,
            wait.map { _ in "The key of the token is unknown, and was not looked up. Try again after `Retry-After`." },
            headers: [.retryAfter: wait.map { String(seconds($0)) } ?? "1"]
        )
        problem.isPostponed = wait != nil
        return problem
    }
}
#endif
