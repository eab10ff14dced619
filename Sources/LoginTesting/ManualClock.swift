// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginTokens
internal import Synchronization

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A clock for tests that moves only when it is set.
public final class ManualClock: WallClock {
    private let time: Mutex<Date>

    /// Creates a clock that shows `date`; the default is a moment in October 2025.
    public init(_ date: Date = Date(timeIntervalSince1970: 1_760_000_000)) {
        self.time = Mutex(date)
    }

    /// The current time of the clock.
    public var now: Date { time.withLock { $0 } }

    /// Advances the clock; a negative duration sets it back.
    public func advance(by duration: Duration) {
        let (seconds, attoseconds) = duration.components
        time.withLock { $0 += Double(seconds) + Double(attoseconds) * 1e-18 }
    }

    /// Sets the clock.
    public func set(_ date: Date) {
        time.withLock { $0 = date }
    }
}
