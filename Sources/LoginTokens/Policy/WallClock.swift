// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Tells the time of day.
///
/// Everything in this package that needs the time asks one of these.
public protocol WallClock: Sendable {
    /// The time now.
    var now: Date { get }
}

/// The clock of the machine.
public struct SystemClock: WallClock {
    /// The time now, by the machine.
    public var now: Date { Date() }

    /// A clock; all are the same.
    public init() {}
}

extension WallClock where Self == SystemClock {
    /// The clock of the machine.
    public static var system: Self { SystemClock() }
}
