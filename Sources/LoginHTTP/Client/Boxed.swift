// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
/// A large value that most requests lack, which takes the room of one pointer in a request.
///
/// Asynchronous functions copy a request to their frames, and a connection keeps the memory of its deepest frames while it
/// is open.
indirect enum Boxed<Value: Sendable>: Sendable {
    case none
    case some(Value)

    /// The value; nil if there is none.
    var value: Value? {
        get {
            guard case .some(let value) = self else { return nil }
            return value
        }
        set { self = newValue.map { .some($0) } ?? .none }
    }
}
#endif
