// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import HTTPTypes

/// The token in the header field `Authorization`, not yet verified.
struct AuthorizationField: Sendable {
    /// An authentication scheme whose credential is a single token.
    enum Scheme: String, Sendable {
        /// The scheme of RFC 6750 §2.1.
        case bearer = "Bearer"
        /// The scheme of RFC 9449 §7.1, whose requests also have a proof of possession.
        case dpop = "DPoP"
    }

    let scheme: Scheme
    let token: String

    /// Reads the field; nil if there is none, or if the scheme is another one.
    ///
    /// - Parameters:
    ///   - headers: The header fields of a request.
    ///   - schemes: The accepted schemes.
    /// - Throws: ``MalformedAuthorization`` if the field occurs twice, or its credential is not one token.
    init?(_ headers: HTTPFields, schemes: [Scheme]) throws(MalformedAuthorization) {
        let values = headers[values: .authorization]
        // Servers differ in whether they read the first or the last of two headers.
        guard values.count <= 1 else { throw MalformedAuthorization(scheme: .bearer) }
        guard let value = values.first else { return nil }
        let parts = value.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
        // The scheme is compared without case (RFC 9110 §11.1).
        guard let name = parts.first?.lowercased(),
            let scheme = schemes.first(where: { $0.rawValue.lowercased() == name })
        else { return nil }
        guard parts.count == 2 else { throw MalformedAuthorization(scheme: scheme) }
        let token = parts[1].drop { $0 == " " }
        guard !token.isEmpty, token.utf8.allSatisfy(Self.isTokenCharacter) else {
            throw MalformedAuthorization(scheme: scheme)
        }
        self.scheme = scheme
        self.token = String(token)
    }

    /// Returns whether a byte may occur in a `b64token` (RFC 6750 §2.1).
    private static func isTokenCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "-._~+/=".utf8.contains(byte)
        }
    }
}

/// An error for a header field `Authorization` that cannot be read.
struct MalformedAuthorization: Error {
    /// The scheme, `Bearer` if several fields were sent.
    let scheme: AuthorizationField.Scheme
}

extension Problem {
    /// Returns the response to a request whose `Authorization` cannot be read.
    ///
    /// - Parameter challenges: The header fields with the challenges.
    /// - Returns: The problem, with the code `invalid-request`.
    static func malformedAuthorization(_ challenges: HTTPFields) -> Problem {
        var problem = Problem(
            .invalidRequest,
            "The header Authorization must contain exactly one token.",
            headers: challenges
        )
        // RFC 6750 §3.1 assigns status 400. Proxies with forward authentication would take it for a failure of this
        // service, and deny a request only on 401.
        problem.status = .unauthorized
        return problem
    }
}
#endif
