// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginTokens
internal import Synchronization

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A clock that stands still until it is told to move.
public final class ManualClock: WallClock {
    private let time: Mutex<Date>

    /// A clock that shows `date`: by default a moment in October 2025.
    public init(_ date: Date = Date(timeIntervalSince1970: 1_760_000_000)) {
        self.time = Mutex(date)
    }

    /// The time it shows.
    public var now: Date { time.withLock { $0 } }

    /// Moves it: forward, or back by a negative duration.
    public func advance(by duration: Duration) {
        let (seconds, attoseconds) = duration.components
        time.withLock { $0 += Double(seconds) + Double(attoseconds) * 1e-18 }
    }

    /// Sets it.
    public func set(_ date: Date) {
        time.withLock { $0 = date }
    }
}
