// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
public import LoginTokens

/// At whose door people log in, and as which client you ask there.
public struct LoginClient: Sendable {
    enum Kind: Sendable {
        case facebook(FacebookApp)
        case openID(OpenIDClient)
    }

    let kind: Kind

    /// Facebook, in both of its logins: with tracking and without.
    ///
    /// - Parameter app: Your app. Without its secret a code is protected by PKCE alone.
    /// - Returns: The client.
    public static func facebook(_ app: FacebookApp) -> Self { Self(kind: .facebook(app)) }

    /// Any OpenID provider, by the authorization code flow with PKCE (OpenID Connect Core §3.1, RFC 7636).
    ///
    /// - Parameters:
    ///   - provider: Whose tokens are expected.
    ///   - metadata: What the provider says about itself.
    ///   - clientID: Your client ID there.
    ///   - authentication: How you prove at the token endpoint who you are.
    ///   - algorithms: What tokens may be signed with.
    /// - Returns: The client.
    public static func openID(
        provider: Provider,
        metadata: ProviderMetadata,
        clientID: String,
        authentication: ClientAuthentication,
        algorithms: Set<SignatureAlgorithm> = [.rs256]
    ) -> Self {
        Self(
            kind: .openID(
                OpenIDClient(
                    provider: provider,
                    metadata: metadata,
                    clientID: clientID,
                    authentication: authentication,
                    algorithms: algorithms
                )
            )
        )
    }

    /// The provider.
    var provider: Provider {
        switch kind {
        case .facebook: .facebook
        case .openID(let client): client.provider
        }
    }

    /// What an attempt remembers, so that the answer of one provider is never taken to another (RFC 9700 §4.4).
    var name: String {
        switch kind {
        case .facebook(let app): "facebook \(app.id)"
        case .openID(let client): "openid \(client.metadata.issuer) \(client.clientID)"
        }
    }

    /// The issuer that a response must name where it names one.
    func isIssuer(_ issuer: String) -> Bool {
        switch kind {
        case .facebook: Provider.facebook.issuers.contains { isEqual($0, issuer) }
        case .openID(let client): isEqual(client.metadata.issuer, issuer)
        }
    }

    /// Whether a response without an issuer is refused (RFC 9207 §2.4).
    var mustNameIssuer: Bool {
        switch kind {
        case .facebook: false
        case .openID(let client): client.metadata.sendsIssuerInResponse
        }
    }

    /// What tokens must say.
    ///
    /// - Parameter maximumAuthenticationAge: How long ago the person may have been authenticated; nil not to ask.
    /// - Returns: The policy.
    /// - Throws: `PolicyError` where the client has no ID, or no algorithm.
    func policy(maximumAuthenticationAge: Duration? = nil) throws(PolicyError) -> TokenPolicy {
        switch kind {
        case .facebook(let app):
            try TokenPolicy(provider: .facebook, audiences: [app.id], maximumAge: .seconds(600))
        case .openID(let client):
            try TokenPolicy(
                provider: client.provider,
                audiences: [client.clientID],
                algorithms: client.algorithms,
                maximumAuthenticationAge: maximumAuthenticationAge
            )
        }
    }
}

/// A client of an OpenID provider.
struct OpenIDClient: Sendable {
    let provider: Provider
    let metadata: ProviderMetadata
    let clientID: String
    let authentication: ClientAuthentication
    let algorithms: Set<SignatureAlgorithm>
}

extension LoginClient: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Whose client it is, without a secret.
    public var description: String { "client: \(name)" }
    /// As ``description``.
    public var debugDescription: String { description }
    /// No children: a dump must not show a secret.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
