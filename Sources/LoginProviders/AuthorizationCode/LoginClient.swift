// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginTokens

/// A client registration at an identity provider.
public struct LoginClient: Sendable {
    let flow: any AuthorizationFlow

    /// Creates a client of a flow.
    package init(flow: some AuthorizationFlow) {
        self.flow = flow
    }

    /// Returns a client of any OpenID provider, which uses the authorization code flow with PKCE (OpenID Connect Core §3.1,
    /// RFC 7636).
    ///
    /// - Parameters:
    ///   - provider: The provider whose tokens are expected.
    ///   - metadata: The provider's metadata, as discovery returns it.
    ///   - clientID: The client ID.
    ///   - authentication: The client authentication at the token endpoint.
    ///   - algorithms: The accepted signature algorithms of ID tokens.
    /// - Returns: The client.
    public static func openID(
        provider: Provider,
        metadata: ProviderMetadata,
        clientID: String,
        authentication: ClientAuthentication,
        algorithms: Set<SignatureAlgorithm> = [.rs256]
    ) -> Self {
        Self(
            flow: OpenIDClient(
                provider: provider,
                metadata: metadata,
                clientID: clientID,
                authentication: authentication,
                algorithms: algorithms
            )
        )
    }
}

extension LoginClient: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The provider and the client ID, without a secret.
    public var description: String { "client: \(flow.clientName)" }
    /// As ``description``.
    public var debugDescription: String { description }
    /// No children: a dump must not show a secret.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
