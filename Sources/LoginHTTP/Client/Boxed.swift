// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
/// A large value that most requests lack, which takes the room of one pointer in a request.
///
/// Asynchronous functions copy a request to their frames, and a connection keeps the memory of its deepest frames while it
/// is open.
struct Boxed<Value: Sendable>: Sendable {
    private indirect enum Storage: Sendable {
        case none
        case value(Value)
    }

    private var storage = Storage.none

    /// The value; nil if there is none.
    var value: Value? {
        get {
            guard case .value(let value) = storage else { return nil }
            return value
        }
        set { storage = newValue.map { .value($0) } ?? .none }
    }
}
#endif
