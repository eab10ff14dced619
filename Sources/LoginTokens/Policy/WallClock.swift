// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A clock that returns the current date and time.
///
/// All code in this package that needs the date uses a `WallClock`.
public protocol WallClock: Sendable {
    /// The current time.
    var now: Date { get }
}

/// The clock of the system.
public struct SystemClock: WallClock {
    /// The current time of the system.
    public var now: Date { Date() }

    /// Creates a system clock; all system clocks are equal.
    public init() {}
}

extension WallClock where Self == SystemClock {
    /// The clock of the system.
    public static var system: Self { SystemClock() }
}
