// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginAccounts
internal import Synchronization

/// A sender of codes that keeps them, so that a test can read them.
///
/// ```swift
/// let codes = CapturedCodes()
/// let auth = Auth(store: store, providers: providers, secrets: secrets, phoneCodes: codes)
/// let challenge = try await resolver.beginChallenge(factor: uid)
/// let result = try await resolver.resolveSignIn(with: .phone(challengeID: challenge.id, code: codes.last(to: number)?.code ?? ""))
/// ```
public final class CapturedCodes: PhoneCodeSender {
    /// What it does instead of sending.
    public enum Fault: Sendable, Hashable {
        /// It fails.
        case fails
        /// It does not end before it is cancelled.
        case hangs
    }

    /// Why a message was not sent.
    public struct NotSent: Error, Hashable {}

    private struct State {
        var messages: [PhoneCodeMessage] = []
        var fault: Fault?
    }

    private let state = Mutex(State())

    /// A sender that has sent nothing.
    public init() {}

    /// What it was given to send, oldest first: also what it failed to send.
    public var messages: [PhoneCodeMessage] { state.withLock { $0.messages } }

    /// What it does instead of sending; nil to send.
    public var fault: Fault? {
        get { state.withLock { $0.fault } }
        set { state.withLock { $0.fault = newValue } }
    }

    /// The last message to a number.
    ///
    /// - Parameter number: The number, with `+` and its country.
    /// - Returns: The message; nil where there was none.
    public func last(to number: String) -> PhoneCodeMessage? {
        messages.last { $0.number == number }
    }

    /// Keeps a message, or does what ``fault`` says.
    ///
    /// - Parameter message: The message.
    /// - Throws: ``NotSent``, or that the task was cancelled.
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
