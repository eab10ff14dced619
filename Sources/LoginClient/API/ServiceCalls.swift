// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The operations of the API that a session uses.
struct ServiceCalls: Sendable {
    let transport: any LoginClientTransport

    /// The URL of the service in its normal form, as it is stored with tokens.
    let url: String

    init(transport: any LoginClientTransport) {
        self.transport = transport
        url = Self.normalized(transport.service)
    }

    /// Returns the normal form of the URL of a service.
    ///
    /// Scheme and host are in lower case, and the default port and a slash at the end are omitted (RFC 3986 §6.2.2.1,
    /// §6.2.3). A URL without a host is returned unchanged.
    static func normalized(_ url: String) -> String {
        let parts = url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count >= 3, parts[1].isEmpty else { return url }
        let scheme = parts[0].lowercased()
        var host = parts[2].lowercased()
        if let port = ["https:": ":443", "http:": ":80"][scheme], host.hasSuffix(port) { host.removeLast(port.count) }
        let path = parts.count > 3 && !parts[3].isEmpty ? "/\(parts[3])" : ""
        return "\(scheme)//\(host)\(path.hasSuffix("/") ? String(path.dropLast()) : path)"
    }

    /// The result of a request for a session.
    enum SignInAnswer {
        case signedIn(Opened)
        case secondFactorRequired(ClientResolver)
        case accountExists(ClientPendingCredential)
    }

    /// A response that opens a session: its tokens, and the result for the application.
    struct Opened {
        let signedIn: SignedIn
        let result: ClientAuthResult
    }

    /// The body of a response with a session.
    struct SignedIn: Decodable {
        let account: ClientAccount?
        let session: Session
        let tokens: Tokens

        struct Session: Decodable {
            let account: String
        }

        struct Tokens: Decodable {
            let sessionToken, refreshToken: Token
            let expiresAt: Date
        }

        /// A token that a header field can carry: printable ASCII without spaces (RFC 6750 §2.1).
        struct Token: Decodable {
            let text: String

            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                text = try container.decode(String.self)
                guard !text.isEmpty, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
                    throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a token")
                }
            }
        }

        /// Returns the tokens that replace earlier ones of the session.
        func renewed(_ old: CachedTokens, at time: Date) -> CachedTokens {
            let permissions = account.map { $0.permissions(of: old.provider) } ?? old.permissions
            var new = cached(by: old.service, provider: old.provider, permissions: permissions, at: time)
            new.providerTokens = old.providerTokens
            return new
        }

        /// Returns the tokens as they are cached.
        func cached(
            by service: String,
            provider: String,
            permissions: [String]?,
            at time: Date
        ) -> CachedTokens {
            CachedTokens(
                sessionToken: tokens.sessionToken.text,
                refreshToken: tokens.refreshToken.text,
                service: service,
                accountID: session.account,
                expiresAt: tokens.expiresAt,
                provider: provider,
                permissions: permissions,
                refreshDate: time
            )
        }
    }

    func beginAttempt(provider: String) async throws -> ClientAttempt {
        let request = try post("/v1/attempts", ["provider": provider])
        return try attempt(in: await send(request), provider: provider)
    }

    /// Returns the attempt that a response contains.
    func attempt(in response: LoginClientResponse, provider: String) throws -> ClientAttempt {
        struct Answer: Decodable {
            let attempt, nonce: String
            let expiresAt: Date
            let configuration: ClientAttempt.Configuration?
        }
        let answer: Answer = try content(of: response)
        return ClientAttempt(
            nonce: answer.nonce,
            expiresAt: answer.expiresAt,
            provider: provider,
            configuration: answer.configuration,
            secret: answer.attempt
        )
    }

    func signIn(with credential: ClientCredential) async throws -> SignInAnswer {
        let response = try await send(post("/v1/sign-in", ["credential": credential]))
        if let problem = try? decode(ProblemBody.self, from: response) {
            let code = LoginClientError.Code(rawValue: problem.code)
            if code == .secondFactorRequired, let resolver = problem.resolver { return .secondFactorRequired(resolver) }
            if code == .accountExists, let pending = problem.pendingCredential { return .accountExists(pending) }
        }
        return .signedIn(try opened(by: response))
    }

    func signInAnonymously() async throws -> Opened {
        try opened(by: await send(post("/v1/sign-in/anonymous", [:] as [String: String])))
    }

    func signUp(email: String, password: String) async throws -> Opened {
        try opened(by: await send(post("/v1/sign-up", ["email": email, "password": password])))
    }

    func sendPhoneCode(to number: String) async throws -> ClientChallenge {
        try await answer(to: post("/v1/phone-codes", ["number": number]))
    }

    func sendPasswordReset(to email: String) async throws {
        try check(await send(post("/v1/password-resets", ["email": email])))
    }

    func resetPassword(token: String, to password: String) async throws {
        try check(await send(post("/v1/password-resets/confirm", ["token": token, "password": password])))
    }

    private func opened(by response: LoginClientResponse) throws(LoginClientError) -> Opened {
        Opened(signedIn: try content(of: response), result: try content(of: response))
    }

    func challenge(_ resolver: ClientResolver, uid: String) async throws -> ClientChallenge {
        try await answer(to: post("/v1/second-factors/challenge", ["resolver": resolver.token, "uid": uid]))
    }

    func resolve(_ resolver: ClientResolver, with factor: ClientSecondFactor) async throws -> Opened {
        struct Body: Encodable {
            let resolver: String
            let assertion: ClientSecondFactor
        }
        let body = Body(resolver: resolver.token, assertion: factor)
        return try opened(by: await send(post("/v1/second-factors/resolve", body)))
    }

    /// Obtains new tokens.
    ///
    /// `/v1/resume` also opens another session if the service has closed the last one and kept the device signed in.
    func resume(_ refreshToken: String) async throws -> SignedIn {
        try await answer(to: post("/v1/resume", ["refreshToken": refreshToken]))
    }

    func signOut(_ sessionToken: String) async throws {
        try check(await send(LoginClientRequest("POST", "/v1/sign-out").authorized(by: sessionToken)))
    }

    /// Revokes the tokens of a session.
    ///
    /// A refused session token may have expired, or may have been replaced by another client, while the refresh token
    /// is still accepted. It is refreshed for that purpose.
    ///
    /// - Throws: ``LoginClientError``: `service-unreachable` or the code of a refusal. A session that is closed or has
    ///   expired already is no error.
    func revoke(_ tokens: CachedTokens) async throws {
        do {
            try await signOut(tokens.sessionToken)
        } catch let error as LoginClientError where error.endsSession {
            do {
                try await signOut(resume(tokens.refreshToken).tokens.sessionToken.text)
            } catch let error as LoginClientError where error.endsSession {
                // The session is closed, or has expired.
            }
        }
    }

    /// Sends a request, and returns the response, whatever its status is.
    ///
    /// - Throws: ``LoginClientError`` with the code `service-unreachable`, or an error of its own that the transport
    ///   throws; `CancellationError`.
    func send(_ request: LoginClientRequest) async throws -> LoginClientResponse {
        do {
            return try await transport.send(request)
        } catch let error as LoginClientError {
            throw error
        } catch let error as CancellationError {
            throw error
        } catch {
            throw LoginClientError(.serviceUnreachable, underlying: error)
        }
    }

    /// The operations that may issue new tokens for the session of the request, by method and path.
    ///
    /// The responses of other routes never change the tokens of a session: users may determine the content of an
    /// application's routes, and a body with tokens could replace the session by one of another user.
    static let tokenOperations: Set<String> = [
        "POST /v1/link", "POST /v1/unlink", "POST /v1/reauthenticate", "POST /v1/merge", "PUT /v1/account/password",
        "POST /v1/account/email-verification/confirm", "POST /v1/second-factors/confirm", "POST /v1/step-up",
    ]

    /// Returns the tokens that an operation of the API has issued for the session of the request.
    ///
    /// None of these operations changes the account of the session: a merge keeps the account of its request.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - request: The request.
    ///   - used: The tokens of the request.
    ///   - time: The current time.
    /// - Returns: The new tokens; nil if there are none, or if they belong to another account.
    func newTokens(
        in response: LoginClientResponse,
        to request: LoginClientRequest,
        replacing used: CachedTokens,
        at time: Date
    ) -> CachedTokens? {
        let path = request.path.prefix { $0 != "?" }
        guard Self.tokenOperations.contains("\(request.method) \(path)"), (200..<300).contains(response.status),
            let answer = try? decode(SignedIn.self, from: response), answer.session.account == used.accountID
        else { return nil }
        return answer.renewed(used, at: time)
    }

    /// Checks that a response is successful.
    ///
    /// - Throws: ``LoginClientError`` with the code of the refusal, or `invalid-response`.
    func check(_ response: LoginClientResponse) throws(LoginClientError) {
        guard (200..<300).contains(response.status) else { throw refusal(in: response) }
    }

    /// Returns the body of a successful response.
    ///
    /// - Throws: ``LoginClientError`` with the code of the refusal, or `invalid-response`.
    func content<Content: Decodable>(of response: LoginClientResponse) throws(LoginClientError) -> Content {
        try check(response)
        guard let content = try? decode(Content.self, from: response) else {
            throw LoginClientError(.invalidResponse, status: response.status)
        }
        return content
    }

    private func answer<Content: Decodable>(to request: LoginClientRequest) async throws -> Content {
        try content(of: await send(request))
    }

    /// Returns a request with a JSON body.
    func post(_ path: String, _ body: some Encodable, as method: String = "POST") throws -> LoginClientRequest {
        let bytes = Array(try JSONEncoder().encode(body))
        return LoginClientRequest(method, path, headers: ["Content-Type": "application/json"], body: bytes)
    }

    private func decode<Content: Decodable>(_ type: Content.Type, from response: LoginClientResponse) throws -> Content
    {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return try decoder.decode(type, from: Data(response.body))
    }

    /// Returns the error of a response: its members are text of the service, so their form is checked.
    private func refusal(in response: LoginClientResponse) -> LoginClientError {
        guard let problem = try? decode(ProblemBody.self, from: response), (1...64).contains(problem.code.utf8.count),
            problem.code.utf8.allSatisfy({
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || $0 == UInt8(ascii: "-")
            })
        else { return LoginClientError(.invalidResponse, status: response.status, retryAfter: response.retryAfter) }
        var error = LoginClientError(
            LoginClientError.Code(rawValue: problem.code),
            status: response.status,
            retryAfter: problem.retryAfter.flatMap(LoginClientResponse.delay) ?? response.retryAfter,
            title: problem.title.map(Self.line),
            requestID: problem.requestID.map(Self.line)
        )
        error.pendingCredential = problem.pendingCredential
        error.providers = problem.providers ?? []
        error.mergedInto = problem.mergedInto
        return error
    }

    /// Returns the beginning of a text as one line for a terminal or a log.
    ///
    /// It has at most 200 characters, and spaces in the place of control and format characters.
    private static func line(_ text: String) -> String {
        var line = String.UnicodeScalarView()
        for scalar in text.unicodeScalars.prefix(200) {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: line.append(" ")
            default: line.append(scalar)
            }
        }
        return String(line)
    }

    /// The body of a refusal (RFC 9457).
    private struct ProblemBody: Decodable {
        let code: String
        let title: String?
        let requestID: String?
        let retryAfter: Int?
        let resolver: ClientResolver?
        let pendingCredential: ClientPendingCredential?
        let providers: [String]?
        let mergedInto: String?
    }
}
