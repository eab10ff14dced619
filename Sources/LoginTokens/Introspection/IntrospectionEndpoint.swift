// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// An introspection endpoint: sends requests to it, and reads its responses.
struct IntrospectionEndpoint: Sendable {
    let url: EndpointURL

    /// The value of the header field `Authorization`.
    let authorization: String

    /// The maximum size of a response: that of a token.
    let responseBytes: Int

    /// The path of signed responses; nil if responses are plain JSON.
    let signed: TokenPipeline<SignedIntrospectionRules>?

    let transport: any HTTPTransport

    /// Asks about a token.
    func answer(about token: String) async -> IntrospectionAnswer {
        do throws(VerificationUnavailable) {
            let response = try await response(about: token)
            guard let signed else { return try Self.answer(in: Self.members(of: response, upTo: responseBytes)) }
            return try Self.answer(in: await Self.members(of: response, upTo: responseBytes, signed))
        } catch {
            return .unavailable(error)
        }
    }

    /// Sends the request (RFC 7662 §2.1).
    private func response(about token: String) async throws(VerificationUnavailable) -> TransportResponse {
        let form = FormFields([(name: "token", value: token), (name: "token_type_hint", value: "access_token")])
        let request = TransportRequest.form(
            form.encoded,
            to: url,
            headers: [
                (name: "Accept", value: signed == nil ? "application/json" : Self.signedType),
                (name: "Authorization", value: authorization),
            ],
            responseLimit: responseBytes,
            deadline: Limits.introspectionDeadline
        )
        do throws(TransportFailure) {
            return try await transport.send(request)
        } catch {
            throw Self.unavailable("\(error)")
        }
    }

    /// The media type of a signed response (RFC 9701 §4).
    static let signedType = "application/token-introspection+jwt"

    static func unavailable(_ detail: String) -> VerificationUnavailable {
        VerificationUnavailable(.introspectionUnavailable, detail: "the introspection endpoint: \(detail)")
    }
}

// MARK: Responses

extension IntrospectionEndpoint {
    /// Reads a plain response (RFC 7662 §2.2).
    static func members(of response: TransportResponse, upTo limit: Int) throws(VerificationUnavailable) -> Claims {
        try check(response, contentTypes: ResponseFault.json, upTo: limit)
        do throws(TokenRefusal) {
            return try Claims(response.body.withoutByteOrderMark)
        } catch {
            throw unavailable("the response is \(error.detail)")
        }
    }

    /// Reads and verifies a signed response (RFC 9701 §5).
    private static func members(
        of response: TransportResponse,
        upTo limit: Int,
        _ signed: TokenPipeline<SignedIntrospectionRules>
    ) async throws(VerificationUnavailable) -> Claims {
        try check(response, contentTypes: [signedType], upTo: limit)
        guard let text = String(validating: response.body, as: UTF8.self) else {
            throw unavailable("the signed response is not UTF-8")
        }
        var log = CheckLog(observer: nil)
        do throws(VerificationError) {
            return try await signed.verify(text, (), log: &log)
        } catch {
            switch error {
            case .refused(let refusal): throw unavailable("the signed response: \(refusal.code): \(refusal.detail)")
            case .undecided(let reason): throw reason
            }
        }
    }

    /// Returns the answer in the members of a response.
    ///
    /// Other members of an answer about an inactive token are ignored.
    static func answer(in members: Claims) throws(VerificationUnavailable) -> IntrospectionAnswer {
        switch members["active"]?.boolean {
        case true?: return .active(members)
        case false?: return .inactive
        case nil: throw unavailable("active is missing, or not true or false")
        }
    }

    /// Checks status, media type and size.
    ///
    /// The details quote nothing that the server sent, because it could repeat the token.
    private static func check(
        _ response: TransportResponse,
        contentTypes: Set<String>,
        upTo limit: Int
    ) throws(VerificationUnavailable) {
        do throws(ResponseFault) {
            try response.check(contentTypes: contentTypes, limit: limit)
        } catch {
            switch error.code {
            case .status where response.status == 401: throw unavailable("it rejects the client ID or the secret (401)")
            case .contentType:
                throw unavailable("the Content-Type is not \(contentTypes.sorted().joined(separator: " or "))")
            default: throw unavailable(error.detail)
            }
        }
    }
}

/// The answer of an introspection endpoint about a token.
enum IntrospectionAnswer: Sendable {
    /// The token is active; its members are still to be checked.
    case active(Claims)
    /// The token is not active.
    case inactive
    /// There is no answer.
    case unavailable(VerificationUnavailable)
}
