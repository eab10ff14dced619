// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// A problem that does not end the program: the next best value applies.
public enum TweakProblem: Sendable, Hashable {
    /// A value in the file or the store that cannot be used.
    ///
    /// The value of the next layer applies.
    case fault(TweakFault)
    /// An inline declaration that is invalid, or differs from the first with its names.
    ///
    /// The first declaration applies, or the default if there is none.
    case declaration(TweakError)
    /// A persistence that cannot be read.
    ///
    /// The values that were read last remain in use.
    case unavailable(TweakError)
    /// A persistence that was read again, after ``unavailable(_:)``.
    case available
}

extension TweakProblem: CustomStringConvertible {
    /// The problem in words, on one line.
    public var description: String {
        switch self {
        case .fault(let fault):
            "\(TweakDeclaration.shortened(id: fault.id)): the value in the \(fault.source == .file ? "file" : "store") "
                + "is not used: \(fault.reason)"
        case .declaration(let error): "a declaration is not used: \(error.detail)"
        case .unavailable(let error): "the store cannot be read, and the last values stay in use: \(error.detail)"
        case .available: "the store can be read again"
        }
    }
}
