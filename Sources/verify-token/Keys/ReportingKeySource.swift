// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import ArgumentParser
internal import LoginTokens

/// A source of keys for one run of the command, which reports their origin.
protocol ReportingKeySource: KeySource {
    /// The origin of the keys; nil if they were not needed yet, or if there are none.
    var origin: KeyOrigin? { get }

    /// Whether the source may have other keys later in the run.
    var mayHaveOthersLater: Bool { get }

    /// Whether the keys come from a file in PEM form, which has no key IDs.
    var hasKeyInPEM: Bool { get }

    /// The exit status if there are no keys.
    var failureStatus: ExitCode { get }

    /// Runs the body, during which the source can provide keys.
    ///
    /// Background work ends with the body.
    func serving<Success>(_ body: () async -> Success) async -> Success
}

extension ReportingKeySource {
    /// The default: false.
    var hasKeyInPEM: Bool { false }

    /// The default: undecided.
    var failureStatus: ExitCode { .undecided }

    /// Runs the body.
    ///
    /// This default is for a source without background work.
    func serving<Success>(_ body: () async -> Success) async -> Success { await body() }

    /// Returns the provider's keys, for the first of its issuers.
    func keys(of provider: Provider) async throws(VerificationUnavailable) -> JSONWebKeySet {
        try Self.keys(of: provider, in: await snapshot(for: provider.issuers.first ?? ""))
    }

    /// Returns the provider's keys, after a refresh for a key that was not among them.
    func refreshedKeys(of provider: Provider, unknownKeyID: String?) async throws(VerificationUnavailable)
        -> JSONWebKeySet
    {
        let issuer = provider.issuers.first ?? ""
        return try Self.keys(of: provider, in: await refreshed(for: issuer, unknownKeyID: unknownKeyID))
    }

    private static func keys(of provider: Provider, in snapshot: KeySnapshot) throws(VerificationUnavailable)
        -> JSONWebKeySet
    {
        let issuer = provider.issuers.first ?? ""
        guard let keys = snapshot.keys(of: issuer) else {
            throw VerificationUnavailable(detail: "the key source has no keys for \(quoted(issuer))")
        }
        return keys
    }
}

/// The origin of keys, for a report.
struct KeyOrigin: Sendable {
    enum Place: String, Sendable {
        /// The file that `--keys` names.
        case file
        /// A server, in this run.
        case fetched
        /// The folder that `--keys-cache` names.
        case kept
        /// None: the file that `--secret-file` names has a secret.
        case secret
    }

    let place: Place

    /// The address that the keys were fetched from, in this run or an earlier one.
    var url: String?

    /// The time since they were fetched, in seconds.
    var age: Int?

    /// The lifetime of the keys since they were fetched, in seconds.
    var lifetime: Int?

    /// The reason why keys past their lifetime could not be renewed; nil if they are not stale.
    var staleBecause: String?

    /// A summary in a few words.
    var summary: String {
        let address = url ?? "an address"
        let words =
            switch place {
            case .file: "from a file"
            case .secret: "none, but a shared secret from a file"
            case .fetched: "fetched from \(address)"
            case .kept: "cached, fetched \(age ?? 0) s ago from \(address)"
            }
        return words + (lifetime.map { ", valid for \($0) s" } ?? "") + (staleBecause.map { ", STALE: \($0)" } ?? "")
    }
}

extension KeyOrigin: Encodable {
    private enum Key: CodingKey {
        case from, url, age, lifetime, stale
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(place.rawValue, forKey: .from)
        try container.encode(url, forKey: .url)
        try container.encode(age, forKey: .age)
        try container.encode(lifetime, forKey: .lifetime)
        try container.encode(staleBecause != nil, forKey: .stale)
    }
}
#endif
