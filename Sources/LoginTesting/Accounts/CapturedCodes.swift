// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginAccounts
internal import Synchronization

/// A code sender that stores the messages, so that a test can read them.
///
/// ```swift
/// let codes = CapturedCodes()
/// let auth = Auth(store: store, providers: providers, secrets: secrets, phoneCodes: codes)
/// let challenge = try await resolver.beginChallenge(factor: uid)
/// let result = try await resolver.resolveSignIn(with: .phone(challengeID: challenge.id, code: codes.last(to: number)?.code ?? ""))
/// ```
public final class CapturedCodes: PhoneCodeSender {
    /// A simulated failure.
    public enum Fault: Sendable, Hashable {
        /// Sending throws ``NotSent``.
        case fails
        /// Sending does not return until it is cancelled, or an hour has passed.
        case hangs
    }

    /// An error for a message that was not sent.
    public struct NotSent: Error, Hashable {}

    private struct State {
        var messages: [PhoneCodeMessage] = []
        var fault: Fault?
    }

    private let state = Mutex(State())

    /// Creates a sender without messages.
    public init() {}

    /// The messages, oldest first, including those that were not sent.
    public var messages: [PhoneCodeMessage] { state.withLock { $0.messages } }

    /// The simulated failure; nil to send normally.
    public var fault: Fault? {
        get { state.withLock { $0.fault } }
        set { state.withLock { $0.fault = newValue } }
    }

    /// Returns the last message to a number.
    ///
    /// - Parameter number: The number, with `+` and its country code.
    /// - Returns: The message; nil if there is none.
    public func last(to number: String) -> PhoneCodeMessage? {
        messages.last { $0.number == number }
    }

    /// Stores a message, then simulates the ``fault``, if any.
    ///
    /// - Parameter message: The message.
    /// - Throws: ``NotSent``, or `CancellationError` if the task is cancelled.
    public func send(_ message: PhoneCodeMessage) async throws {
        let fault = state.withLock { state in
            state.messages.append(message)
            return state.fault
        }
        switch fault {
        case nil: return
        case .fails: throw NotSent()
        case .hangs: try await Task.sleep(for: .seconds(3600))
        }
    }
}
