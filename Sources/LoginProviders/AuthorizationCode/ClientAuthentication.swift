// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginTokens

/// The client authentication at the token endpoint (RFC 6749 §2.3, OpenID Connect Core §9).
public struct ClientAuthentication: Sendable {
    private enum Method: Sendable {
        case none
        case basic(String)
        case post(String)
        case computed(@Sendable () async throws -> String)
    }

    private let method: Method

    /// A public client, protected by PKCE alone.
    public static let none = Self(method: .none)

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

    /// Returns the headers and form fields that authenticate a token request.
    func prove(clientID: String) async throws -> (headers: [(String, String)], fields: [(String, String)]) {
        switch method {
        case .none: return ([], [("client_id", clientID)])
        case .basic(let secret):
            return ([("Authorization", basicCredentials(clientID: clientID, secret: secret))], [])
        case .post(let secret): return ([], [("client_id", clientID), ("client_secret", secret)])
        case .computed(let make):
            let secret = try await make()
            guard !secret.isEmpty else { throw EmptySecret() }
            return ([], [("client_id", clientID), ("client_secret", secret)])
        }
    }

    /// The generated secret is empty.
    private struct EmptySecret: Error {}

    /// Checks that the secret is not empty, as it is for an environment variable that is not set.
    ///
    /// - Throws: ``LoginManagerError`` with the code `client`.
    func check() throws(LoginManagerError) {
        switch method {
        case .basic(""), .post(""): throw LoginManagerError(.client, "the client secret is empty")
        case .none, .basic, .post, .computed: return
        }
    }

    /// The registered name of the method, as in `token_endpoint_auth_methods_supported`.
    var name: String {
        switch method {
        case .none: "none"
        case .basic: "client_secret_basic"
        case .post, .computed: "client_secret_post"
        }
    }
}

extension ClientAuthentication: Redacted {
    /// The method, without the secret.
    public var description: String { name }
}
