// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginAccounts
import Synchronization

/// A sender that stores messages for the test instead of sending them.
final class MailBox: EmailSender {
    private struct State {
        var messages: [EmailMessage] = []
        var isBroken = false
    }

    struct Broken: Error {}

    private let state = Mutex(State())

    /// All messages, in order.
    var messages: [EmailMessage] { state.withLock { $0.messages } }

    /// Returns the token of the last message of a kind.
    func token(_ kind: EmailMessage.Kind) -> String? { messages.last { $0.kind == kind }?.token }

    /// Makes all further sending fail.
    func breakDown() { state.withLock { $0.isBroken = true } }

    /// Makes sending work again.
    func recover() { state.withLock { $0.isBroken = false } }

    func send(_ message: EmailMessage) async throws {
        try state.withLock { state in
            if state.isBroken { throw Broken() }
            state.messages.append(message)
        }
    }
}
