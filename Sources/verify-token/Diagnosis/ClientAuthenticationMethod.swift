// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine && HTTPClient
internal import ArgumentParser

/// A client authentication at a token endpoint, with its name in the configuration of the service.
enum ClientAuthenticationMethod: String, ExpressibleByArgument, CaseIterable, Sendable {
    case basic, post
    case privateKeyJWT = "private-key-jwt"
    case none

    /// The registered name (OpenID Connect Core §9).
    var registeredName: String {
        switch self {
        case .basic: "client_secret_basic"
        case .post: "client_secret_post"
        case .privateKeyJWT: "private_key_jwt"
        case .none: "none"
        }
    }

    /// Whether a client secret is sent.
    var sendsSecret: Bool { self == .basic || self == .post }

    /// Returns the method by which a client secret is sent, if the configuration names none.
    ///
    /// - Parameter listed: The methods that the discovery document lists; nil or empty if it lists none.
    /// - Returns: The first of them that sends a secret; `basic` if none are listed (OpenID Connect Discovery §3); nil if
    ///   no listed one does.
    static func ofSecret(listed: [String]?) -> Self? {
        guard let listed, !listed.isEmpty else { return .basic }
        return listed.lazy.compactMap { name in
            [Self.basic, .post].first { $0.registeredName.utf8.elementsEqual(name.utf8) }
        }.first
    }

    /// Whether a discovery document lists the method, or lists none.
    ///
    /// A public client does not authenticate. Many providers have such clients and do not list `none`.
    func isOffered(by listed: [String]?) -> Bool {
        guard self != .none, let listed, !listed.isEmpty else { return true }
        return listed.contains { $0.utf8.elementsEqual(registeredName.utf8) }
    }
}
#endif
