// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginTokens

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// How a client proves at the token endpoint who it is (RFC 6749 §2.3, OpenID Connect Core §9).
public struct ClientAuthentication: Sendable {
    private enum Method: Sendable {
        case none
        case basic(String)
        case post(String)
        case computed(@Sendable () async throws -> String)
    }

    private let method: Method

    /// It does not: a public client, which PKCE alone protects.
    public static let none = Self(method: .none)

    /// With a secret in the head `Authorization` (`client_secret_basic`); an empty one is none, and refused.
    public static func basic(secret: String) -> Self { Self(method: .basic(secret)) }

    /// With a secret in the form (`client_secret_post`); an empty one is none, and refused.
    public static func post(secret: String) -> Self { Self(method: .post(secret)) }

    /// With a secret in the form that is made for each request, as Apple wants it: a token that you sign.
    ///
    /// - Parameter secret: Makes the secret. What it throws reaches nobody; the login fails as
    ///   ``LoginFailure/Code/unavailable``, and so it does where the secret is empty.
    /// - Returns: The authentication.
    public static func post(secret: @escaping @Sendable () async throws -> String) -> Self {
        Self(method: .computed(secret))
    }

    /// What a request to the token endpoint carries.
    func prove(clientID: String) async throws -> (headers: [(String, String)], fields: [(String, String)]) {
        switch method {
        case .none: return ([], [("client_id", clientID)])
        case .basic(let secret):
            // Both are encoded as in a form first (RFC 6749 §2.3.1), so that a colon in one of them separates nothing.
            let pair = [clientID, secret].map { FormFields([("", $0)]).encoded.dropFirst() }.joined(separator: ":")
            return ([("Authorization", "Basic \(Data(pair.utf8).base64EncodedString())")], [])
        case .post(let secret): return ([], [("client_id", clientID), ("client_secret", secret)])
        case .computed(let make):
            let secret = try await make()
            guard !secret.isEmpty else { throw EmptySecret() }
            return ([], [("client_id", clientID), ("client_secret", secret)])
        }
    }

    /// What was made is no secret.
    private struct EmptySecret: Error {}

    /// Checks that the secret is not empty, as where a variable of the environment is not set.
    ///
    /// - Throws: ``LoginManagerError`` with the code `client`.
    func check() throws(LoginManagerError) {
        switch method {
        case .basic(""), .post(""): throw LoginManagerError(.client, "the client secret is empty")
        case .none, .basic, .post, .computed: return
        }
    }

    /// The name of the method, as a provider lists it.
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
