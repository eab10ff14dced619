// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import Foundation
internal import LoginServer
internal import LoginTokens

/// The facts about an accepted access token that an API decides by.
struct AccessTokenFacts {
    /// Whether the client has what the token is bound to.
    enum Possession: String {
        case notBound = "not-bound"
        case proven
        case notProven = "not-proven"
    }

    let possession: Possession
    /// The subject as it is shown: it may be a person, so it is shown like a claim.
    private let subject: String?
    private let clientID: String?
    private let scopes: [String]
    private let expiry: String?
    private let binding: TokenConfirmation

    /// Creates the facts about a token.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - isProven: Whether the client has proven possession.
    ///   - showsClaims: Whether the values of claims are shown.
    init(_ token: AcceptedAccessToken, isProven: Bool, showsClaims: Bool) {
        possession = token.confirmation.isBound ? isProven ? .proven : .notProven : .notBound
        subject = token.subject.map { showsClaims ? $0 : fingerprint($0) }
        clientID = token.clientID
        scopes = token.scopes.sorted()
        expiry = token.expiresAt.map { timestamp($0.timeIntervalSince1970) }
        binding = token.confirmation
    }

    /// The evidence of possession, if it is proven.
    private var evidence: String {
        [binding.keyThumbprint.map { _ in "the proof" }, binding.certificateThumbprint.map { _ in "the certificate" }]
            .compactMap(\.self).joined(separator: " and ")
    }

    /// A line for each fact.
    ///
    /// Scopes have no characters that a terminal would obey (RFC 6749 §3.3).
    var lines: [String] {
        let proven =
            switch possession {
            case .notBound: ""
            case .proven: ", proven by \(evidence)"
            case .notProven: ", not proven"
            }
        return [
            ("subject", subject.map { printable($0) } ?? "none is named"),
            ("client", clientID.map { quoted($0) } ?? "none is named"),
            ("scopes", scopes.isEmpty ? "none" : scopes.joined(separator: " ")),
            ("expires", expiry ?? "not stated"),
            ("binding", binding.description + proven),
        ].map { "  \(padded($0, to: 18)) \($1)" }
    }
}

// MARK: JSON

extension AccessTokenFacts: Encodable {
    private enum Key: CodingKey {
        case subject, clientID, scopes, expiresAt, keyThumbprint, certificateThumbprint, possession
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(subject, forKey: .subject)
        try container.encode(clientID, forKey: .clientID)
        try container.encode(scopes, forKey: .scopes)
        try container.encode(expiry, forKey: .expiresAt)
        try container.encode(binding.keyThumbprint, forKey: .keyThumbprint)
        try container.encode(binding.certificateThumbprint, forKey: .certificateThumbprint)
        try container.encode(possession.rawValue, forKey: .possession)
    }
}
#endif
