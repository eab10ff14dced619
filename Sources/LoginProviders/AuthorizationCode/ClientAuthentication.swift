// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginText
public import LoginTokens

/// The client authentication at the token endpoint (RFC 6749 §2.3, OpenID Connect Core §9).
public struct ClientAuthentication: Sendable {
    private enum Method: Sendable {
        case none
        case basic(String)
        case post(String)
        case computed(@Sendable () async throws -> String)
        case key(ClientKey)
        case discovered(String)
    }

    private let method: Method

    /// A public client, protected by PKCE alone.
    public static let none = Self(method: .none)

    /// Returns authentication by a client secret, in the way that the provider's metadata lists first of
    /// `client_secret_basic` and `client_secret_post`; `client_secret_basic` if it lists no methods (OpenID Connect
    /// Discovery §3).
    ///
    /// An empty secret is refused. If the metadata lists only other methods, the login is refused with a
    /// ``LoginManagerError`` that names them.
    public static func discovered(secret: String) -> Self { Self(method: .discovered(secret)) }

    /// Returns authentication by a client secret in the header `Authorization` (`client_secret_basic`).
    ///
    /// An empty secret is refused.
    public static func basic(secret: String) -> Self { Self(method: .basic(secret)) }

    /// Returns authentication by a client secret in the form (`client_secret_post`).
    ///
    /// An empty secret is refused.
    public static func post(secret: String) -> Self { Self(method: .post(secret)) }

    /// Returns authentication by a client secret that is generated for each request (`client_secret_post`), for example
    /// the JWT that Apple requires.
    ///
    /// - Parameter secret: Generates the secret. If it throws or returns an empty secret, the login fails as
    ///   ``LoginFailure/Code/unavailable``. The error itself is discarded, since it may contain the secret.
    /// - Returns: The authentication.
    public static func post(secret: @escaping @Sendable () async throws -> String) -> Self {
        Self(method: .computed(secret))
    }

    /// Returns authentication by a JWT that the client signs for each request (`private_key_jwt`, OpenID Connect Core
    /// §9, RFC 7523 §2.2).
    ///
    /// The JWT is for the token endpoint, has a new `jti`, and expires after one minute. Its algorithm is the first of
    /// the key that `token_endpoint_auth_signing_alg_values_supported` lists; without a list RS256, ES256, ES384, ES512
    /// or EdDSA.
    ///
    /// - Parameters:
    ///   - pem: The private key in PEM form (RFC 7468): RSA with 2048 bits or more, EC on P-256, P-384 or P-521, or
    ///     Ed25519. It must not be encrypted.
    ///   - keyID: The key ID, as the provider knows it, 1 to 256 bytes (`kid`); nil for none.
    /// - Returns: The authentication.
    /// - Throws: `PolicyError` if the text has no usable key, or the key ID has another length.
    public static func privateKeyJWT(pem: String, keyID: String? = nil) throws(PolicyError) -> Self {
        Self(method: .key(try ClientKey(pem: pem.utf8, keyID: keyID)))
    }

    /// Returns the headers and form fields that authenticate a token request.
    ///
    /// - Parameters:
    ///   - clientID: The client ID.
    ///   - metadata: The provider's metadata.
    ///   - endpoint: The endpoint that receives the request, the only audience of an assertion.
    ///   - clock: The clock for the times in an assertion.
    /// - Returns: The headers and the fields.
    /// - Throws: ``LoginManagerError``, as ``check(by:)`` does; rethrows the error of a generated secret.
    func prove(
        clientID: String,
        to metadata: ProviderMetadata,
        at endpoint: EndpointURL,
        clock: any WallClock
    ) async throws -> (headers: [(String, String)], fields: [(String, String)]) {
        switch try chosen(by: metadata) {
        case .none: return ([], [("client_id", clientID)])
        case .basic(let secret):
            return ([("Authorization", basicCredentials(clientID: clientID, secret: secret))], [])
        case .post(let secret), .discovered(let secret):
            return ([], [("client_id", clientID), ("client_secret", secret)])
        case .computed(let make):
            let secret = try await make()
            guard !secret.isEmpty else { throw EmptySecret() }
            return ([], [("client_id", clientID), ("client_secret", secret)])
        case .key(let key):
            let assertion = try key.assertion(of: clientID, to: metadata, at: endpoint, clock.now)
            return (
                [],
                [
                    ("client_id", clientID), ("client_assertion_type", ClientKey.assertionType),
                    ("client_assertion", assertion),
                ]
            )
        }
    }

    /// The generated secret is empty.
    private struct EmptySecret: Error {}

    /// Checks that the secret is not empty, as it is for an environment variable that is not set.
    ///
    /// - Throws: ``LoginManagerError`` with the code `client`.
    func check() throws(LoginManagerError) {
        switch method {
        case .basic(""), .post(""), .discovered(""): throw LoginManagerError(.client, "the client secret is empty")
        case .none, .basic, .post, .computed, .key, .discovered: return
        }
    }

    /// Checks that a provider supports the authentication.
    ///
    /// - Parameter metadata: The provider's metadata.
    /// - Throws: ``LoginManagerError`` with the code `provider`, which names the methods that the provider lists.
    func check(by metadata: ProviderMetadata) throws(LoginManagerError) {
        if case .key(let key) = try chosen(by: metadata) { _ = try key.algorithm(by: metadata) }
    }

    /// Returns the method for a provider, which is none to discover.
    private func chosen(by metadata: ProviderMetadata) throws(LoginManagerError) -> Method {
        let listed = metadata.tokenEndpointAuthenticationMethods
        guard case .discovered(let secret) = method else {
            // A public client does not authenticate. Many providers have such clients and do not list `none`.
            guard !isPublic, let listed, !listed.contains(where: { isEqual($0, name) }) else { return method }
            throw LoginManagerError(
                .provider,
                "the provider does not support the client authentication \(name), but \(quoted(listed))"
            )
        }
        for name in listed ?? ["client_secret_basic"] {
            if isEqual(name, "client_secret_basic") { return .basic(secret) }
            if isEqual(name, "client_secret_post") { return .post(secret) }
        }
        throw LoginManagerError(
            .provider,
            "the token endpoint supports the client authentication \(quoted(listed ?? [])) alone, and a client secret is sent by client_secret_basic or client_secret_post; private_key_jwt needs a key"
        )
    }

    /// Whether the client does not authenticate.
    var isPublic: Bool {
        if case .none = method { true } else { false }
    }

    /// The registered name of the method, as in `token_endpoint_auth_methods_supported`; that of any secret if the
    /// provider's metadata chooses.
    var name: String {
        switch method {
        case .none: "none"
        case .basic: "client_secret_basic"
        case .post, .computed: "client_secret_post"
        case .key: "private_key_jwt"
        case .discovered: "client_secret"
        }
    }
}

extension ClientAuthentication: Redacted {
    /// The method, without the secret.
    public var description: String { name }
}
