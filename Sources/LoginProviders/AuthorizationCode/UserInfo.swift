// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginText
internal import LoginTokens

extension OpenIDClient {
    /// Asks the UserInfo endpoint for the claims that an ID token lacks (OpenID Connect Core §5.3).
    ///
    /// The request is never retried.
    ///
    /// - Parameters:
    ///   - token: The verified ID token.
    ///   - accessToken: The access token of the same token response.
    ///   - transport: The transport for the request.
    /// - Returns: The claims of the ID token with those of the response; nil if the endpoint is not used, or the ID token
    ///   lacks none of them.
    /// - Throws: ``LoginFailure``: `unavailable`; `user-mismatch` if the response is about another subject.
    func completedClaims(
        of token: VerifiedToken,
        accessToken: String,
        transport: any HTTPTransport
    ) async throws(LoginFailure) -> Claims? {
        let missing = MissingClaims(of: token.claims)
        guard userInfo == .used, !missing.names.isEmpty else { return nil }
        guard let endpoint = metadata.userInfoEndpoint else {
            throw LoginFailure(.unavailable, "the provider has no UserInfo endpoint")
        }
        let response: TransportResponse
        do throws(TransportFailure) {
            response = try await transport.send(
                TransportRequest(
                    url: endpoint,
                    headers: [("Accept", "application/json"), ("Authorization", "Bearer \(accessToken)")],
                    responseLimit: Limits.userInfoBytes,
                    deadline: Limits.userInfoDeadline
                )
            )
        } catch {
            throw Self.unavailable("\(error)")
        }
        return try missing.completed(by: Self.read(response, of: token.subject))
    }

    /// Reads a UserInfo response (OpenID Connect Core §5.3.2), which must be about the subject of the ID token.
    ///
    /// Another subject's response to this access token is a substituted token (§16.11).
    private static func read(_ response: TransportResponse, of subject: String) throws(LoginFailure) -> JSONValue {
        do throws(ResponseFault) {
            try response.check(limit: Limits.userInfoBytes)
        } catch {
            let type = response.values(of: "Content-Type").first ?? ""
            guard error.code == .contentType, type.lowercased().hasPrefix("application/jwt") else {
                throw unavailable(error.detail)
            }
            throw unavailable(
                "the response is a JWT, which is not supported: register the client without userinfo_signed_response_alg and userinfo_encrypted_response_alg"
            )
        }
        let json: JSONValue
        do throws(JSONError) {
            let limits = JSONLimits(
                bytes: Limits.userInfoBytes,
                depth: Limits.jsonDepth,
                members: Limits.jsonMembers
            )
            json = try JSONDocument.read(response.body.withoutByteOrderMark, limits: limits).root
        } catch {
            throw unavailable("not strict JSON: \(error)")
        }
        guard let named = json["sub"]?.string else { throw unavailable("sub is missing, or is not a string") }
        guard isEqual(named, subject) else {
            throw LoginFailure(.userMismatch, "the UserInfo response is about another subject than the ID token")
        }
        return json
    }

    private static func unavailable(_ detail: String) -> LoginFailure {
        LoginFailure(.unavailable, "the UserInfo endpoint: \(detail)")
    }
}

/// The claims that an ID token lacks, and that a UserInfo response may add.
struct MissingClaims {
    /// The names of the claims.
    let names: [String]

    private let claims: Claims

    /// The maximum size of a claim: 1 KiB, more than any name or address that an account can have.
    private static let bytes = 1024

    /// Finds what an ID token lacks.
    ///
    /// An `email_verified` is about the address beside it, so the two are never mixed.
    ///
    /// - Parameter claims: The claims of the ID token.
    init(of claims: Claims) {
        func lacks(_ name: String) -> Bool { claims[name].map { $0.kind == .null } ?? true }
        self.claims = claims
        names =
            (lacks("name") ? ["name"] : [])
            + (lacks("email") && lacks("email_verified") ? ["email", "email_verified"] : [])
    }

    /// Returns the claims of the ID token with those of a response.
    ///
    /// - Parameter response: The UserInfo response about the same subject.
    /// - Returns: The claims.
    /// - Throws: ``LoginFailure`` with the code `unavailable` if they are too many for one set of claims.
    func completed(by response: JSONValue) throws(LoginFailure) -> Claims {
        var added: [(name: String, value: JSONValue)] = []
        for name in names {
            // A flag without its address is about none.
            if name == "email_verified", added.last?.name != "email" { continue }
            guard let value = response[name], value.kind != .null, value.source.count <= Self.bytes else { continue }
            added.append((name, value))
        }
        let kept = (claims.value.members ?? []).filter { member in !added.contains { isEqual($0.name, member.name) } }
        do throws(TokenRefusal) {
            return try Claims(members: kept + added)
        } catch {
            throw LoginFailure(
                .unavailable,
                "the UserInfo endpoint: the claims of the ID token leave no space for more"
            )
        }
    }
}
