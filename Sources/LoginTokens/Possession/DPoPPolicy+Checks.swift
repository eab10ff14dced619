// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
internal import LoginText

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A token that a request presents together with a proof.
struct PresentedToken: Sendable {
    let text: String
    let confirmation: TokenConfirmation
}

/// A proof that passed all checks, before its use is recorded.
struct UnusedProof: Sendable {
    let proof: DPoPProof
    let digest: ProofDigest
    /// The time from which the proof is too old, in seconds since 1970.
    let expiry: Double
}

/// The checks of a proof, except that it is used once.
extension DPoPPolicy {
    /// Checks a proof, in the order of ``Check/inProofOrder``.
    func check(
        _ request: DPoPRequest,
        token: PresentedToken?,
        now: Double,
        knownKeys: KnownProofKeys,
        log: inout CheckLog
    ) throws(TokenRefusal) -> UnusedProof {
        let jws = try parse(request, log: &log)
        let algorithm = try checkHeader(jws, log: &log)
        let claims = try Self.proofRefusing { () throws(TokenRefusal) in try Claims(jws.payload) }
        log.pass(.payload, "a JSON object with \(claims.names.count) claims")

        let content = try ProofContent(claims, log: &log)
        try checkTarget(content, of: request, log: &log)
        let expiry = try checkTime(content, now: now, log: &log)
        try checkTokenHash(claims, token, log: &log)

        guard let value = jws.header["jwk"] else { throw TokenRefusal(.proofKey, "jwk is missing", member: "jwk") }
        let known = knownKeys.key(value, algorithm)
        let key = if let known { known } else { try readKey(value, algorithm: algorithm) }
        log.pass(.key, "\(key), thumbprint \(key.thumbprint)")
        if let token {
            try token.confirmation.check(
                keyThumbprint: key.thumbprint,
                certificate: request.certificate,
                isRequired: requiresBoundTokens
            )
            log.pass(.binding, token.confirmation.description)
        } else {
            log.skip(.binding, "no token was sent with the proof")
        }
        guard jws.isSigned(by: key, algorithm: algorithm) else {
            throw TokenRefusal(.proofSignature, "not a valid \(algorithm.rawValue) signature by the key in jwk")
        }
        log.pass(.signature, "valid")
        if known == nil, token != nil { knownKeys.remember(key, as: value, algorithm) }
        return UnusedProof(
            proof: DPoPProof(
                key: key,
                algorithm: algorithm,
                issuedAt: Date(timeIntervalSince1970: content.issued),
                claims: claims,
                isForToken: token != nil
            ),
            digest: ProofDigest(keyThumbprint: key.thumbprint, id: content.id),
            expiry: expiry
        )
    }

    /// Parses the only proof of a request (RFC 9449 §4.3, items 1 and 2).
    private func parse(_ request: DPoPRequest, log: inout CheckLog) throws(TokenRefusal) -> CompactJWS {
        guard let text = request.proofs.first else {
            throw TokenRefusal(.proofRequired, "the request has no DPoP header field")
        }
        let count = request.proofs.count
        guard count == 1 else {
            throw TokenRefusal(.proofMalformed, "the request has \(count) DPoP header fields, not one")
        }
        log.pass(.proof, "one")
        do throws(TokenRefusal) { return try CompactJWS(text, limits: .fixed, log: &log) } catch { throw error.ofProof }
    }

    /// Checks the type and the algorithm (items 4 and 5).
    ///
    /// The type is compared exactly: RFC 9449 §4.2 names no other spelling.
    private func checkHeader(_ jws: CompactJWS, log: inout CheckLog) throws(TokenRefusal) -> SignatureAlgorithm {
        let header = jws.header
        guard let type = header["typ"], type.isString("dpop+jwt") else {
            let seen = header["typ"].map { quoted($0) } ?? "missing"
            throw TokenRefusal(.proofType, "typ is \(seen), expected \"dpop+jwt\"", member: "typ")
        }
        log.pass(.tokenType, "\"dpop+jwt\"")
        let algorithm = try Self.proofRefusing { () throws(TokenRefusal) in
            try header.checkAlgorithm(allowed: algorithmList)
        }
        log.pass(.algorithm, algorithm.rawValue)
        return algorithm
    }

    /// Checks that the proof is for this method and this URL (items 8 and 9).
    private func checkTarget(
        _ content: ProofContent,
        of request: DPoPRequest,
        log: inout CheckLog
    ) throws(TokenRefusal) {
        let method = request.method
        guard isEqual(content.method, method) else {
            throw TokenRefusal(
                .proofMethod,
                "htm is \(quoted(content.method)), expected \(quoted(method))",
                member: "htm"
            )
        }
        log.pass(.httpMethod, quoted(method))

        let expected: TargetURI
        do throws(TransportFailure) { expected = try TargetURI(request.url) } catch {
            throw TokenRefusal(.proofURL, "the URL of the request cannot be compared: \(error.detail)", member: "htu")
        }
        let seen: TargetURI
        do throws(TransportFailure) { seen = try TargetURI(content.url) } catch {
            throw TokenRefusal(.proofURL, "htu: \(error.detail)", member: "htu")
        }
        guard seen == expected else {
            throw TokenRefusal(
                .proofURL,
                "htu is \(quoted(seen.description)), expected \(quoted(expected.description))",
                member: "htu"
            )
        }
        log.pass(.httpURL, quoted(expected.description))
    }

    /// Checks the time of the proof: that of its nonce, or else that of `iat` (items 10 and 11).
    ///
    /// - Returns: The time from which the proof is too old, in seconds since 1970.
    private func checkTime(_ content: ProofContent, now: Double, log: inout CheckLog) throws(TokenRefusal) -> Double {
        if let nonces {
            guard let nonce = content.nonce else {
                throw TokenRefusal(.proofNonce, "nonce is missing and required", member: "nonce")
            }
            guard let expiry = nonces.expiry(of: nonce, now: now) else {
                throw TokenRefusal(.proofNonce, "the nonce is not a current one of this server", member: "nonce")
            }
            log.pass(.nonce, "expires in \(TimeRules.span(expiry - now))")
            log.skip(.issuedAt, "the nonce determines the time")
            log.skip(.age, "the nonce determines the time")
            return expiry
        }
        log.skip(.nonce, "not required")
        let (issued, ahead) = (content.issued, leeway.seconds)
        guard issued <= now + ahead else {
            let detail = "iat is \(timestamp(issued)), in \(TimeRules.span(issued - now))"
            throw TokenRefusal(.proofInFuture, "\(detail) (leeway \(TimeRules.span(ahead)))", member: "iat")
        }
        log.pass(.issuedAt, "\(timestamp(issued)), \(TimeRules.span(now - issued)) ago")
        let age = maximumAge.seconds
        guard now < issued + age else {
            let detail = "made \(TimeRules.span(now - issued)) ago; the maximum age is \(TimeRules.span(age))"
            throw TokenRefusal(.proofTooOld, detail, member: "iat")
        }
        log.pass(.age, "at most \(TimeRules.span(age))")
        return issued + age
    }

    /// Checks that the proof was made for the token that was sent with it (item 12a).
    private func checkTokenHash(
        _ claims: Claims,
        _ token: PresentedToken?,
        log: inout CheckLog
    ) throws(TokenRefusal) {
        guard let token else {
            log.skip(.accessTokenHash, "no token was sent with the proof")
            return
        }
        guard let seen = claims["ath"] else {
            throw TokenRefusal(.proofTokenHash, "ath is missing and required", member: "ath")
        }
        guard seen.isString(Base64URL.encode(Digest.sha256.hash(token.text.utf8))) else {
            throw TokenRefusal(.proofTokenHash, "ath is not the hash of the token sent with the proof", member: "ath")
        }
        log.pass(.accessTokenHash, "ath matches")
    }

    /// Reads the public key in the header (items 6 and 7).
    private func readKey(
        _ value: JSONValue,
        algorithm: SignatureAlgorithm
    ) throws(TokenRefusal) -> JSONWebKey {
        let key: JSONWebKey
        do throws(UnusableKey) {
            key = try JSONWebKey(
                inHeader: value,
                algorithm: algorithm,
                allowPublishedTestKeys: allowsPublishedTestKeys
            )
        } catch {
            throw TokenRefusal(.proofKey, "jwk is unusable: \(error.reason): \(error.detail)", member: "jwk")
        }
        guard key.canVerify(algorithm) else {
            throw TokenRefusal(.proofKey, "libcrypto cannot verify \(algorithm.rawValue)", member: "jwk")
        }
        return key
    }

    /// Runs a check of the common parser, and throws its refusals with the codes of proofs.
    private static func proofRefusing<Value>(
        _ body: () throws(TokenRefusal) -> Value
    ) throws(TokenRefusal) -> Value {
        do throws(TokenRefusal) { return try body() } catch { throw error.ofProof }
    }
}

/// The claims that every proof has, with their types checked (item 3).
private struct ProofContent {
    let id: String
    let method: String
    let url: String
    /// The value of `iat`, in seconds since 1970.
    let issued: Double
    let nonce: String?

    init(_ claims: Claims, log: inout CheckLog) throws(TokenRefusal) {
        for name in ["jti", "htm", "htu", "iat"] where claims[name] == nil {
            throw TokenRefusal(.proofClaim, "\(name) is missing", member: name)
        }
        log.pass(.requiredClaims, "jti, htm, htu, iat")
        for name in ["jti", "htm", "htu", "ath", "nonce"] {
            guard claims[name].map({ $0.kind == .string }) ?? true else {
                throw TokenRefusal(.proofClaim, "\(name) is not a string", member: name)
            }
        }
        id = claims["jti"]?.string ?? ""
        guard (1...Limits.proofIDBytes).contains(id.utf8.count) else {
            throw TokenRefusal(.proofClaim, "jti does not have 1 to \(Limits.proofIDBytes) bytes", member: "jti")
        }
        guard let issued = claims["iat"].flatMap(Claims.seconds) else {
            let detail = "iat is not a number of seconds in the years 1970 to 9999"
            throw TokenRefusal(.proofClaim, detail, member: "iat")
        }
        self.issued = issued
        method = claims["htm"]?.string ?? ""
        url = claims["htu"]?.string ?? ""
        nonce = claims["nonce"]?.string
        log.pass(.claimTypes, "all types are valid")
    }
}

extension TokenRefusal {
    /// The same refusal by the common parser, with the code of a proof.
    fileprivate var ofProof: TokenRefusal {
        TokenRefusal(code == .algorithm ? .proofAlgorithm : .proofMalformed, "\(code): \(detail)", member: member)
    }
}
