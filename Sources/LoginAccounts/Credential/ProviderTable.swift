// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginProviders
internal import Synchronization

/// Who vouches for people, by name: replaced as a whole, so that nobody ever sees a part of it.
final class ProviderTable: Sendable {
    private let table: Mutex<[ProviderID: AuthProvider]>

    init(_ providers: [AuthProvider]) {
        table = Mutex(Self.checked(providers))
    }

    /// Those that count now.
    var current: [ProviderID: AuthProvider] { table.withLock { $0 } }

    func replace(with providers: [AuthProvider]) {
        let checked = Self.checked(providers)
        table.withLock { $0 = checked }
    }

    private static func checked(_ providers: [AuthProvider]) -> [ProviderID: AuthProvider] {
        precondition(Set(providers.map(\.id)).count == providers.count, "each provider has a name of its own")
        precondition(
            providers.allSatisfy { (1...ProviderID.longestName).contains($0.id.rawValue.utf8.count) },
            "the name of a provider has 1 to \(ProviderID.longestName) bytes"
        )
        return Dictionary(providers.map { ($0.id, $0) }) { first, _ in first }
    }
}
