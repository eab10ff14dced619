// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine && HTTPClient
internal import LoginText
internal import LoginTokens

/// A request that shows whether a provider accepts a client secret: the exchange of a code that no provider has issued.
///
/// The secret goes only to a token endpoint with `https`, which a discovery document names that was fetched by `https`
/// and has the issuer. The request is sent once, and no redirect is followed.
struct SecretTrial: Sendable {
    /// The token endpoint.
    let endpoint: EndpointURL
    /// The client authentication, which sends a secret.
    let method: ClientAuthenticationMethod
    let clientID: String
    /// The redirect URI of the service; nil if it is not known.
    let redirectURI: String?

    /// Creates a trial.
    ///
    /// - Parameters:
    ///   - diagnosis: The findings about the issuer.
    ///   - clientID: The client ID.
    /// - Throws: ``Obstacle`` if the secret must not be sent.
    init(_ diagnosis: IssuerDiagnosis, clientID: String) throws(Obstacle) {
        guard let discovery = diagnosis.documents.discovery, let metadata = discovery.document else {
            throw Obstacle("there is no discovery document with the issuer")
        }
        guard discovery.exchange?.url.scheme == .https else {
            throw Obstacle("the discovery document was not fetched by https")
        }
        guard let endpoint = metadata.tokenEndpoint else { throw Obstacle("the document has no usable token endpoint") }
        guard endpoint.scheme == .https else { throw Obstacle("the token endpoint is not reached by https") }
        let listed = metadata.tokenEndpointAuthenticationMethods
        guard let method = diagnosis.client.authentication ?? .ofSecret(listed: listed), method.sendsSecret,
            method.isOffered(by: listed)
        else {
            throw Obstacle("the document lists no client authentication that sends a secret, or not the stated one")
        }
        self.endpoint = endpoint
        self.method = method
        self.clientID = clientID
        redirectURI = diagnosis.redirectURI
    }

    /// The reason why the secret is not sent.
    struct Obstacle: Error {
        let reason: String

        init(_ reason: String) { self.reason = reason }

        /// The finding about a secret that was not sent.
        var finding: IssuerDiagnosis.Finding {
            IssuerDiagnosis.Finding(
                .clientSecret,
                .warning,
                "The client secret was not sent: \(reason). It is not proven.",
                advice: "Correct that first."
            )
        }
    }

    /// The announcement of the request, which names the server.
    var announcement: String {
        "sending the client secret once to \(quoted(endpoint.withoutQuery)), by \(method.registeredName)"
    }

    /// Returns the request.
    ///
    /// - Parameter secret: The client secret.
    /// - Returns: The request, with limits of size and time.
    func request(with secret: String) -> TransportRequest {
        var fields = [
            (name: "grant_type", value: "authorization_code"), (name: "code", value: "verify-token-doctor"),
            // No user can be sent to a name below .invalid (RFC 2606 §2).
            (name: "redirect_uri", value: redirectURI ?? "https://verify-token.invalid/callback"),
            (name: "code_verifier", value: String(repeating: "verify-token-doctor-", count: 3)),
        ]
        var headers = [(name: "Accept", value: "application/json")]
        if method == .basic {
            headers.append((name: "Authorization", value: basicCredentials(clientID: clientID, secret: secret)))
        } else {
            fields += [(name: "client_id", value: clientID), (name: "client_secret", value: secret)]
        }
        return .form(
            FormFields(fields).encoded,
            to: endpoint,
            headers: headers,
            responseLimit: Limits.tokenResponseBytes,
            deadline: Limits.tokenResponseDeadline
        )
    }

    /// Returns the finding about the answer.
    ///
    /// Only `invalid_grant` proves a secret: the client is authenticated before its code is looked up (RFC 6749 §5.2).
    func finding(about answer: Result<TransportResponse, TransportFailure>) -> IssuerDiagnosis.Finding {
        switch answer {
        case .failure(let failure): return unproven("there was no answer (\(failure.code))")
        case .success(let response):
            let error = Self.error(in: response)
            switch error {
            case "invalid_grant":
                return IssuerDiagnosis.Finding(
                    .clientSecret,
                    .ok,
                    "The client secret is proven: the token endpoint accepted it and refused the code (invalid_grant), by "
                        + "\(method.registeredName)."
                )
            case "invalid_client":
                return IssuerDiagnosis.Finding(
                    .clientSecret,
                    .failed,
                    "The token endpoint refused the client (invalid_client), by \(method.registeredName).",
                    advice:
                        "Compare the client ID and the client secret with those at the provider, and whether the secret "
                        + "has expired. If they are right, the client may be registered for another authentication: "
                        + "--client-authentication, client-authentication of the service."
                )
            default: return unproven("the token endpoint answered \(response.status)\(error.map { ": \($0)" } ?? "")")
            }
        }
    }

    private func unproven(_ reason: String) -> IssuerDiagnosis.Finding {
        IssuerDiagnosis.Finding(
            .clientSecret,
            .warning,
            "The client secret is not proven, and not refuted: \(reason).",
            advice: "Log in once to prove it; some providers look at the code or the redirect URI first (--public-url)."
        )
    }

    /// The errors of RFC 6749 §5.2.
    private static let errors = [
        "invalid_request", "invalid_client", "invalid_grant", "unauthorized_client", "unsupported_grant_type",
        "invalid_scope",
    ]

    /// Returns the error of a refusal; nil for any other text, which could contain the secret.
    private static func error(in response: TransportResponse) -> String? {
        let limits = JSONLimits(
            bytes: Limits.tokenResponseBytes,
            depth: Limits.jsonDepth,
            members: Limits.jsonMembers
        )
        guard (400...499).contains(response.status),
            (try? response.check(statuses: 400...499, limit: Limits.tokenResponseBytes)) != nil,
            let root = try? JSONDocument.read(response.body.withoutByteOrderMark, limits: limits).root,
            let error = root["error"]?.string
        else { return nil }
        return errors.first { isEqual($0, error) }
    }
}
#endif
