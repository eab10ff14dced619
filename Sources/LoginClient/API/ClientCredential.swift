// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// A credential that a client presents, to sign in, to link a login or to reauthenticate.
public enum ClientCredential: Sendable, Hashable {
    /// An ID token of a provider, with the nonce of the attempt.
    ///
    /// The access token is the one that the provider issued with the ID token, which contains its hash (`at_hash`,
    /// OpenID Connect Core §3.1.3.6); nil for none.
    case idToken(String, attempt: ClientAttempt, accessToken: String? = nil)
    /// An access token of a Facebook login with tracking.
    case accessToken(String, attempt: ClientAttempt)
    /// The password of an account.
    case password(email: String, password: String)
    /// A code that was sent to a phone: the ID of the challenge, and the code.
    case phone(verificationID: String, code: String)
    /// The credential of a conflict, which is valid once.
    case pending(ClientPendingCredential)

    /// The attempt that the credential completes; nil for a credential without one.
    var attempt: ClientAttempt? {
        switch self {
        case .idToken(_, let attempt, _), .accessToken(_, let attempt): attempt
        case .password, .phone, .pending: nil
        }
    }

    /// The name of the provider of the login.
    var provider: String {
        switch self {
        case .idToken(_, let attempt, _), .accessToken(_, let attempt): attempt.provider
        case .password: "password"
        case .phone: "phone"
        case .pending(let pending): pending.providerID
        }
    }

    /// The name of the kind in the API.
    var type: String {
        switch self {
        case .idToken: "id-token"
        case .accessToken: "access-token"
        case .password: "password"
        case .phone: "phone"
        case .pending: "pending"
        }
    }
}

extension ClientCredential: RedactedValue {
    /// The kind.
    public var description: String { type }
}

extension ClientCredential: Encodable {
    private enum CodingKeys: CodingKey {
        case type, token, attempt, accessToken, email, password, verificationID, code, provider
    }

    /// Encodes the credential as the API expects it.
    ///
    /// - Parameter encoder: The encoder.
    /// - Throws: Rethrows errors of the encoder.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(type, forKey: .type)
        switch self {
        case .idToken(let token, let attempt, let accessToken):
            try container.encode(token, forKey: .token)
            try container.encode(attempt.secret, forKey: .attempt)
            try container.encodeIfPresent(accessToken, forKey: .accessToken)
        case .accessToken(let token, let attempt):
            try container.encode(token, forKey: .token)
            try container.encode(attempt.secret, forKey: .attempt)
        case .password(let email, let password):
            try container.encode(email, forKey: .email)
            try container.encode(password, forKey: .password)
        case .phone(let verificationID, let code):
            try container.encode(verificationID, forKey: .verificationID)
            try container.encode(code, forKey: .code)
        case .pending(let pending):
            try container.encode(pending.token, forKey: .token)
            try container.encode(pending.providerID, forKey: .provider)
        }
    }
}

/// The purpose of an attempt, or of a code to a phone, in an open session.
public enum ClientPurpose: String, Sendable, Hashable, CaseIterable {
    /// A login that is linked to the account.
    case link
    /// A login with which the user authenticates again, or that requests further permissions.
    case reauthenticate
}
