// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
package import HTTPTypes
internal import LoginTokens

extension ProtectedResource {
    /// The authentication schemes whose tokens are verified.
    var acceptedSchemes: [AuthorizationField.Scheme] { dpop == nil ? [.bearer] : [.bearer, .dpop] }

    /// The authentication schemes that a client can succeed with.
    private var offeredSchemes: [AuthorizationField.Scheme] { requiresProofs ? [.dpop] : acceptedSchemes }

    /// Whether every token must be bound to a key; with client certificates, it may be bound to one instead.
    var requiresProofs: Bool { dpop?.policy.requiresBoundTokens == true && certificateField == nil }

    /// The signature algorithms of proofs, in alphabetical order.
    var proofAlgorithms: [String] { dpop?.policy.algorithms.map(\.rawValue).sorted() ?? [] }

    /// Returns the problem for a token or a proof that was not accepted.
    func problem(
        for error: VerificationError,
        scheme: AuthorizationField.Scheme,
        route: RouteRequirements
    ) -> Problem {
        switch error {
        case .undecided(let unavailable):
            switch unavailable.code {
            case .proofUndecided: return Problem(.proofUndecided, headers: [.retryAfter: "1"])
            case .introspectionUnavailable: return Problem(.introspectionUnavailable, headers: [.retryAfter: "1"])
            default: return .keysUnavailable(lookupIn: unavailable.retryAfter)
            }
        case .refused(let refusal):
            let fault = Challenge.Fault(refusal)
            return Problem(
                ProblemCode(refusal.code, status: fault == .insufficientScope ? .forbidden : .unauthorized),
                refusal.recognizedAs?.explanation,
                headers: challenges(fault, refusal.code, scheme: scheme, route: route)
            )
        }
    }

    /// Returns the header fields with the challenges, one for each scheme.
    ///
    /// - Parameters:
    ///   - fault: The fault of the credentials; nil if there are none.
    ///   - code: The code of the refusal.
    ///   - used: The scheme of the credentials, whose challenge has the fault; nil if there are none. A client that
    ///     has used the scheme `DPoP` gets no challenge for `Bearer`, so that it does not fall back to that.
    ///   - route: The requirements of the route.
    /// - Returns: The header fields, with a server nonce if a proof needs one (RFC 9449 §9).
    func challenges(
        _ fault: Challenge.Fault?,
        _ code: VerificationCode?,
        scheme used: AuthorizationField.Scheme?,
        route: RouteRequirements = .none
    ) -> HTTPFields {
        let schemes: [AuthorizationField.Scheme] =
            switch used {
            case nil: offeredSchemes
            case .bearer?: acceptedSchemes
            case .dpop?: [.dpop]
            }
        var fields = HTTPFields()
        for (index, scheme) in schemes.enumerated() {
            var parameters = index == 0 ? requirements(fault, route) : []
            if scheme == .dpop { parameters.append((name: "algs", value: proofAlgorithms.joined(separator: " "))) }
            parameters.append((name: "resource_metadata", value: metadataURL))
            let challenge = Challenge(
                index == 0 ? fault : nil,
                code?.rawValue,
                scheme: scheme,
                parameters: parameters
            )
            fields.append(HTTPField(name: .wwwAuthenticate, value: challenge.text))
        }
        if used == .dpop, let nonce = dpop?.nonce { fields[.dpopNonce] = nonce }
        return fields
    }

    /// Returns the parameters that tell a client which token it needs: the scopes (RFC 6750 §3), and how the user must
    /// be authenticated (RFC 9470 §3).
    private func requirements(
        _ fault: Challenge.Fault?,
        _ route: RouteRequirements
    ) -> [(name: String, value: String)] {
        let policy = verifier.requirements
        let scopes = policy.requiredScopes + route.scopes.filter { !policy.requiredScopes.contains($0) }
        var parameters: [(name: String, value: String)] = []
        switch fault {
        case nil, .insufficientScope?: break
        case .insufficientAuthentication?:
            let classes = acceptedClasses(of: route)
            if !classes.isEmpty { parameters.append((name: "acr_values", value: classes.joined(separator: " "))) }
            if let age = route.maximumAuthenticationAge {
                parameters.append((name: "max_age", value: "\(age.components.seconds)"))
            }
        default: return []
        }
        if !scopes.isEmpty { parameters.append((name: "scope", value: scopes.joined(separator: " "))) }
        return parameters
    }

    /// Returns the authentication context classes that both a route and the policy accept.
    private func acceptedClasses(of route: RouteRequirements) -> [String] {
        guard let accepted = verifier.requirements.requiredValues["acr"] else { return route.acceptedACRs }
        return route.acceptedACRs.isEmpty ? accepted : route.acceptedACRs.filter { accepted.contains($0) }
    }
}

extension ProblemCode {
    /// The proof cannot be checked, because the ledger of used proofs is full or unavailable.
    static var proofUndecided: Self { Self(VerificationCode.proofUndecided, status: .serviceUnavailable) }

    /// The token cannot be checked, because the introspection endpoint does not respond properly.
    static var introspectionUnavailable: Self {
        Self(VerificationCode.introspectionUnavailable, status: .serviceUnavailable)
    }
}

extension HTTPField.Name {
    /// The header field with a DPoP proof (RFC 9449 §4.1).
    package static let dpop = known("DPoP")
    /// The header field with a server nonce for proofs (RFC 9449 §8).
    static let dpopNonce = known("DPoP-Nonce")
}
#endif
