// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import Foundation
internal import LoginServer
internal import LoginTokens

/// The facts about a verified DPoP proof.
struct ProofFacts {
    /// The access token that was sent with the proof.
    enum Token: String {
        case absent = "none"
        /// An access token that was verified too.
        case verified
        /// An access token in JWT form that was not verified; its `cnf` and its hash match the proof.
        case unverified
        /// An access token that is not a JWT; its hash matches the proof.
        case opaque
    }

    private let proof: DPoPProof
    private let token: Token

    init(_ proof: DPoPProof, token: Token) {
        self.proof = proof
        self.token = token
    }

    /// A line for each fact.
    var lines: [String] {
        let words =
            switch token {
            case .absent: "none was given"
            case .verified: "the proof is for it"
            case .unverified: "the proof is for it; the token itself was not verified"
            case .opaque: "the proof is for it; only the issuer knows to which key the token is bound"
            }
        return [
            ("algorithm", proof.algorithm.rawValue),
            ("key thumbprint", proof.keyThumbprint),
            ("made", timestamp(proof.issuedAt.timeIntervalSince1970)),
            ("access token", words),
        ].map { "  \(padded($0, to: 18)) \($1)" }
    }
}

extension ProofFacts: Encodable {
    private enum Key: CodingKey {
        case algorithm, keyThumbprint, issuedAt, accessToken
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(proof.algorithm.rawValue, forKey: .algorithm)
        try container.encode(proof.keyThumbprint, forKey: .keyThumbprint)
        try container.encode(timestamp(proof.issuedAt.timeIntervalSince1970), forKey: .issuedAt)
        try container.encode(token.rawValue, forKey: .accessToken)
    }
}
#endif
