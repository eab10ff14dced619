// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The requirements that DPoP proofs must meet to be accepted (RFC 9449 §4.3).
public struct DPoPPolicy: Sendable {
    /// The accepted signature algorithms.
    public let algorithms: Set<SignatureAlgorithm>

    /// The maximum age of a proof.
    ///
    /// It covers the way from the client to the server, and a clock of the client that is behind. A proof can be used
    /// only once in this time, so the age only limits the size of the ledger, and the time for which proofs can be made
    /// in advance.
    public let maximumAge: Duration

    /// The leeway for clients whose clock is ahead.
    ///
    /// A proof with a later time can be used for longer: until its time and the maximum age have passed.
    public let leeway: Duration

    /// The server nonces that each proof must contain; nil if proofs need none.
    ///
    /// With nonces, the time of a proof is that of its nonce, and `iat` may be any time: the clocks of the clients do
    /// not matter, and no proof can be made in advance (RFC 9449 §8, §11.1).
    public let nonces: DPoPNonces?

    /// Whether tokens are refused that are bound neither to a key nor to a certificate.
    public let requiresBoundTokens: Bool

    /// Whether keys are accepted whose private key is published.
    public let allowsPublishedTestKeys: Bool

    /// The algorithms as a list, which is faster to search than a set.
    let algorithmList: [SignatureAlgorithm]

    /// The algorithms ES256, RS256, PS256 and EdDSA; at most 60 seconds old, at most 30 seconds ahead; no nonces.
    public static let standard = Self(
        checked: [.es256, .rs256, .ps256, .edDSA, .ed25519],
        maximumAge: .seconds(60),
        leeway: .seconds(30),
        nonces: nil,
        requiresBoundTokens: false,
        allowsPublishedTestKeys: false
    )

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - algorithms: The accepted algorithms; at least one.
    ///   - maximumAge: The maximum age of a proof by its `iat`, within `Limits.proofAge`: 1 to 300 seconds.
    ///   - leeway: The maximum time by which `iat` is in the future, within `Limits.proofLeeway`: 0 to 60 seconds.
    ///   - nonces: The server nonces that each proof must contain; nil if proofs need none.
    ///   - requiresBoundTokens: Whether tokens are refused that are bound neither to a key nor to a certificate.
    ///   - allowPublishedTestKeys: Whether to accept a key whose private key is published. For tests only: anybody who
    ///     can read the key can make proofs.
    /// - Throws: ``PolicyError`` if there is no algorithm, or a duration is out of range.
    public init(
        algorithms: Set<SignatureAlgorithm> = Self.standard.algorithms,
        maximumAge: Duration = Self.standard.maximumAge,
        leeway: Duration = Self.standard.leeway,
        nonces: DPoPNonces? = nil,
        requiresBoundTokens: Bool = false,
        allowPublishedTestKeys: Bool = false
    ) throws(PolicyError) {
        guard !algorithms.isEmpty else { throw PolicyError("algorithms: at least one is required") }
        guard Limits.proofAge.contains(maximumAge) else {
            throw PolicyError("maximum age: must be \(Limits.proofAge.lowerBound) to \(Limits.proofAge.upperBound)")
        }
        guard Limits.proofLeeway.contains(leeway) else {
            throw PolicyError("leeway: must be \(Limits.proofLeeway.lowerBound) to \(Limits.proofLeeway.upperBound)")
        }
        self.init(
            checked: algorithms,
            maximumAge: maximumAge,
            leeway: leeway,
            nonces: nonces,
            requiresBoundTokens: requiresBoundTokens,
            allowsPublishedTestKeys: allowPublishedTestKeys
        )
    }

    private init(
        checked algorithms: Set<SignatureAlgorithm>,
        maximumAge: Duration,
        leeway: Duration,
        nonces: DPoPNonces?,
        requiresBoundTokens: Bool,
        allowsPublishedTestKeys: Bool
    ) {
        self.algorithms = algorithms
        self.maximumAge = maximumAge
        self.leeway = leeway
        self.nonces = nonces
        self.requiresBoundTokens = requiresBoundTokens
        self.allowsPublishedTestKeys = allowsPublishedTestKeys
        algorithmList = Array(algorithms)
    }
}
