// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine && HTTPClient
internal import LoginKeys
internal import LoginTokens

extension IssuerDiagnosis {
    /// The findings about the discovery document; empty if it was not requested.
    var discoveryFindings: [Finding] {
        guard let fetch = documents.discovery else { return [] }
        let fetched = Finding(
            .discoveryDocument,
            .ok,
            "The discovery document was fetched \(fetch.exchange?.summary ?? "")."
        )
        switch fetch.result {
        case .success(let metadata):
            let expected = policy.provider.documents.discoveryIssuer == nil ? "this issuer" : "an expected issuer"
            let issuer = Finding(.discoveryIssuer, .ok, "The document has \(expected), byte for byte.")
            return [fetched, issuer] + keySetURLFindings(metadata) + loginFindings(metadata)
        case .failure(let failure) where failure.code == .discoveryIssuer:
            let issuer = Finding(
                .discoveryIssuer,
                needsDiscovery ? .failed : .warning,
                "The document has another issuer: \(failure.detail).\(consequence)",
                advice: documentIsOfTenants
                    ? Self.tenantAdvice
                    : "Configure the issuer byte for byte as the provider's document and tokens have it; "
                        + "a slash at the end makes another issuer. If only the document differs from the tokens, state its "
                        + "issuer: --discovery-issuer, discovery-issuer of the service."
            )
            return [fetched, issuer]
        case .failure(let failure):
            let outcome = needsDiscovery ? Outcome.failed : .warning
            return [unusable(.discoveryDocument, failure, fetch.exchange, outcome: outcome)]
        }
    }

    /// Returns the finding about a document that cannot be used.
    func unusable(
        _ check: Check,
        _ failure: KeyFetchFailure,
        _ exchange: RecordedExchange?,
        outcome: Outcome = .failed
    ) -> Finding {
        let target = exchange?.redirectTarget.map { "; it redirects to \($0)" } ?? ""
        var finding = Finding(
            check,
            outcome,
            "The \(failure.document.rawValue) cannot be used (\(failure.code)): \(failure.detail)\(target)."
                + (failure.document == .discovery ? consequence : ""),
            advice: Self.advice[failure.code]
        )
        finding.isTemporary = failure.isTemporary(status: exchange?.response?.status)
        return finding
    }

    /// Whether tokens cannot be verified without the discovery document, because it names the URL of the keys.
    private var needsDiscovery: Bool { policy.provider.keySetURL == nil }

    /// The consequence of an unusable discovery document, where tokens are verified without it.
    private var consequence: String { needsDiscovery ? "" : " Only logins in browsers need the document." }

    /// Returns the finding about the `jwks_uri`; none if the URL of the keys is known without it.
    private func keySetURLFindings(_ metadata: ProviderMetadata) -> [Finding] {
        guard needsDiscovery, let source = documents.source else { return [] }
        let url = metadata.keySetURL
        guard source.mayHaveKeys(at: url, documents.configuration) else {
            return [
                Finding(
                    .keySetURL,
                    .failed,
                    "The keys are on another host than the issuer, \(quoted(url.origin)) (key-set-host).",
                    advice: "If that host is the provider's, allow it by name: --keys-host, keys-hosts of the service, "
                        + "keySetHosts of KeyCacheConfiguration."
                )
            ]
        }
        return [Finding(.keySetURL, .ok, "The keys are at \(quoted(url.withoutQuery)), on an allowed host.")]
    }

    /// Returns the findings about what logins in browsers need; ID tokens are verified without it.
    private func loginFindings(_ metadata: ProviderMetadata) -> [Finding] {
        [
            responseTypeFinding(metadata.responseTypes), endpointFinding(metadata),
            codeChallengeFinding(metadata.codeChallengeMethods), clientAuthenticationFinding(metadata),
        ]
    }

    private func responseTypeFinding(_ types: [String]?) -> Finding {
        guard let types else {
            return Finding(.responseTypes, .ok, "The document lists no response types; logins request code.")
        }
        guard types.contains("code") else {
            return Finding(
                .responseTypes,
                .warning,
                "The document lists the response types \(quoted(types)), not code: logins in browsers fail.",
                advice: "Enable the authorization code flow at the provider, if browsers are to log in there."
            )
        }
        return Finding(.responseTypes, .ok, "The document lists the response type code.")
    }

    private func endpointFinding(_ metadata: ProviderMetadata) -> Finding {
        let missing = [
            metadata.authorizationEndpoint == nil ? "authorization endpoint" : nil,
            metadata.tokenEndpoint == nil ? "token endpoint" : nil,
        ].compactMap(\.self)
        guard missing.isEmpty else {
            return Finding(
                .endpoints,
                .warning,
                "The document has no usable \(missing.joined(separator: " and no usable ")): logins in browsers fail.",
                advice: "If browsers are to log in there, the provider must publish them; "
                    + "SignInProvider.metadata can take the place of the document."
            )
        }
        return Finding(.endpoints, .ok, "The document has an authorization endpoint and a token endpoint.")
    }

    private func codeChallengeFinding(_ methods: [String]?) -> Finding {
        guard let methods else {
            return Finding(.pkce, .ok, "The document lists no code challenge methods; logins use S256 all the same.")
        }
        guard methods.contains("S256") else {
            return Finding(
                .pkce,
                .warning,
                "The document lists the code challenge methods \(quoted(methods)), not S256: logins in browsers fail.",
                advice:
                    "Enable PKCE with S256 at the provider, if browsers are to log in there. If it refuses PKCE, a client with a secret can declare pkce: off."
            )
        }
        return Finding(.pkce, .ok, "The document lists the code challenge method S256 (PKCE).")
    }

}

// MARK: Failures

extension IssuerDiagnosis {
    /// The advice for each reason why a document cannot be used.
    private static let advice: [KeyFetchFailure.Code: String] = [
        .transport(.url): "Correct the URL.",
        .transport(.name): "Check the spelling of the host, and DNS.",
        .transport(.address):
            "If the host is yours, allow its network (--allow-network); if not, do not trust its name.",
        .transport(.connection): "Check the network, and the rules for outgoing connections.",
        .transport(.tls): "If the authority is yours, name its file (--ca-file); if not, somebody may intercept.",
        .transport(.deadline): "Check the network, and the rules for outgoing connections.",
        .transport(.tooLarge): "Check the URL: another server may answer there.",
        .transport(.interrupted): "Check the URL: another server may answer there.",
        .redirect: "Configure the target, if it is the provider's; often only a slash at the end is missing. "
            + "--follow-redirects, follow-redirects of the service, follow it within the host.",
        .status: "Check the URL; if it is right, the provider is out of order.",
        .contentType:
            "Look for the page of a proxy or a login screen at the URL. If the document is right, allow its type: "
            + "--content-type, content-types of the service.",
        .contentEncoding: "Make the server, or its proxy, honour Accept-Encoding: identity.",
        .keySet: "Tell the provider.",
        .file: "Check the path and the mode of the file.",
        .discoveryDocument: "Compare the issuer with the one that the provider documents.",
    ]
}

extension KeyFetchFailure {
    /// Returns whether a later attempt may succeed without any change.
    ///
    /// - Parameter status: The status of the response; nil without one.
    /// - Returns: True if the server could not be reached, is overloaded, or has an internal error (RFC 9110 §15.6).
    fileprivate func isTemporary(status: Int?) -> Bool {
        if code == .status, let status { return status >= 500 || [408, 429].contains(status) }
        return [.transport(.name), .transport(.connection), .transport(.deadline), .transport(.interrupted)]
            .contains(code)
    }
}
#endif
