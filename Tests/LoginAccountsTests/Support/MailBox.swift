// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginAccounts
import Synchronization

/// Mail that nobody sends: a test reads it.
final class MailBox: EmailSender {
    private struct State {
        var messages: [EmailMessage] = []
        var isBroken = false
    }

    struct Broken: Error {}

    private let state = Mutex(State())

    /// All that was sent, in order.
    var messages: [EmailMessage] { state.withLock { $0.messages } }

    /// The token of the last message of a kind.
    func token(_ kind: EmailMessage.Kind) -> String? { messages.last { $0.kind == kind }?.token }

    /// From now on sending fails.
    func breakDown() { state.withLock { $0.isBroken = true } }

    /// From now on sending works again.
    func recover() { state.withLock { $0.isBroken = false } }

    func send(_ message: EmailMessage) async throws {
        try state.withLock { state in
            if state.isBroken { throw Broken() }
            state.messages.append(message)
        }
    }
}
