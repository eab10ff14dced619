// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// A value whose descriptions contain no secrets and no personal data.
///
/// A conforming type declares only `description`, which must be safe to log. `String(reflecting:)` returns the same
/// text. A mirror and `dump` show no children.
public protocol RedactedValue: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension RedactedValue {
    /// The same text as `description`.
    public var debugDescription: String { description }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
