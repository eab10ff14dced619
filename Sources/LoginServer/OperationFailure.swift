// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The reason why an operation on accounts or a start of the service failed, as a message for the operator.
package struct OperationFailure: Error, CustomStringConvertible {
    package let description: String

    /// Creates a failure.
    ///
    /// - Parameter description: The message, without secrets and personal data.
    package init(_ description: String) { self.description = description }
}
