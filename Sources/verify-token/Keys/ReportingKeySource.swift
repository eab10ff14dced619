// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import ArgumentParser
internal import LoginTokens

/// Keys for one run of the command, and where they came from.
protocol ReportingKeySource: KeySource {
    /// Where the keys came from; nil while nobody asked for them, or where there are none.
    var origin: KeyOrigin? { get }

    /// Whether it may have other keys later than it has now.
    var mayHaveOthersLater: Bool { get }

    /// Whether the keys come from a file in PEM form, which has no key IDs.
    var hasKeyInPEM: Bool { get }

    /// The exit status where there are no keys.
    var failureStatus: ExitCode { get }

    /// Has keys for as long as the body takes, and leaves nothing running behind.
    func serving<Success>(_ body: () async -> Success) async -> Success
}

extension ReportingKeySource {
    /// False, for a source that is no file.
    var hasKeyInPEM: Bool { false }

    /// Undecided, for a source that may have keys later.
    var failureStatus: ExitCode { .undecided }

    /// Just the body: for a source that does nothing on its own.
    func serving<Success>(_ body: () async -> Success) async -> Success { await body() }

    /// The provider's keys, of whatever issuer.
    func keys(of provider: Provider) async throws(KeysUnavailable) -> JSONWebKeySet {
        try Self.keys(of: provider, in: await snapshot(for: provider.issuers.first ?? ""))
    }

    /// The provider's keys, after a look for one that was not among them.
    func refreshedKeys(of provider: Provider, unknownKeyID: String?) async throws(KeysUnavailable) -> JSONWebKeySet {
        let issuer = provider.issuers.first ?? ""
        return try Self.keys(of: provider, in: await refreshed(for: issuer, unknownKeyID: unknownKeyID))
    }

    private static func keys(of provider: Provider, in snapshot: KeySnapshot) throws(KeysUnavailable) -> JSONWebKeySet {
        let issuer = provider.issuers.first ?? ""
        guard let keys = snapshot.keys(of: issuer) else {
            throw KeysUnavailable(detail: "the source has no keys of \(quoted(issuer))")
        }
        return keys
    }
}

/// Where keys came from, as a report tells it.
struct KeyOrigin: Sendable {
    enum Place: String, Sendable {
        /// The file that `--keys` names.
        case file
        /// A server that was asked in this run.
        case fetched
        /// The folder that `--keys-cache` names.
        case kept
    }

    let place: Place

    /// The address they were fetched from, now or then.
    var url: String?

    /// How long ago that was, in seconds.
    var age: Int?

    /// How long they are good for, in seconds, counted from then.
    var lifetime: Int?

    /// Why keys that are past their lifetime serve on: they could not be renewed.
    var staleBecause: String?

    /// A few words.
    var summary: String {
        let address = url ?? "an address"
        let words =
            switch place {
            case .file: "from a file"
            case .fetched: "fetched from \(address)"
            case .kept: "kept, fetched \(age ?? 0) s ago from \(address)"
            }
        return words + (lifetime.map { ", good for \($0) s" } ?? "") + (staleBecause.map { ", STALE: \($0)" } ?? "")
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
