// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The circumstances of a transaction: its time, the configuration, the origin of the request, and the events to
/// publish.
///
/// It reads and writes no rows.
final class TransactionContext {
    /// The configuration.
    let auth: Auth

    /// The time of the transaction, from its beginning to its end.
    let now: StoreTime

    /// The origin of the request, if it is known.
    ///
    /// A session that is opened stores it.
    var origin: RequestOrigin?

    /// The actor for the audit, if it is not the user; nil for the default of each action.
    var actor: AuthEvent.Actor?

    /// The events of the transaction, published to the listeners of this process after the commit.
    var events: [AuthEvent] = []

    private var idsMade: UInt16 = 0

    init(auth: Auth, now: StoreTime) {
        self.auth = auth
        self.now = now
    }

    /// The policies for linking, sessions, passwords and factors.
    var policy: AuthPolicy { auth.policy }

    /// The keys.
    var secrets: AccountSecrets { auth.secrets }

    /// Makes a UUID of version 7 (RFC 9562 §5.7).
    ///
    /// Later IDs sort later, to the millisecond and within a transaction.
    func makeID() -> String {
        var bytes = randomBytes(count: 16)
        for index in 0..<6 { bytes[index] = UInt8(truncatingIfNeeded: now.milliseconds >> (40 - 8 * Int64(index))) }
        bytes[6] = 0x70 | UInt8(truncatingIfNeeded: idsMade >> 8) & 0x0F
        bytes[7] = UInt8(truncatingIfNeeded: idsMade)
        bytes[8] = 0x80 | bytes[8] & 0x3F
        idsMade &+= 1
        return UUID(bytes).uuidString.lowercased()
    }

    /// Marks a point at which a race could happen, so that a test can interleave another transaction.
    func pause(at gap: AuthGap) {
        #if DEBUG
        auth.gap?(gap)
        #endif
    }
}

extension UUID {
    fileprivate init(_ b: [UInt8]) {
        self.init(
            uuid: (b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15])
        )
    }
}
