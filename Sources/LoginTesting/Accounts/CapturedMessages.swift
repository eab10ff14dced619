// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginAccounts
internal import Synchronization

/// A mail sender that stores the messages, so that a test can read them.
///
/// ```swift
/// let mail = CapturedMail()
/// let auth = Auth(store: store, providers: providers, secrets: secrets, mail: mail)
/// let ada = try await auth.createAccount(email: "ada@example.com", password: password)
/// let verified = try await ada.session.verifyEmail(token: mail.token(.verifyEmail) ?? "")
/// ```
public typealias CapturedMail = CapturedMessages<EmailMessage>

/// A sender of codes to phones that stores the messages, so that a test can read them.
///
/// ```swift
/// let codes = CapturedCodes()
/// let auth = Auth(store: store, providers: providers, secrets: secrets, phoneCodes: codes)
/// let challenge = try await resolver.beginChallenge(factor: uid)
/// let code = codes.last(to: number)?.code ?? ""
/// let result = try await resolver.resolveSignIn(with: .phone(challengeID: challenge.id, code: code))
/// ```
public typealias CapturedCodes = CapturedMessages<PhoneCodeMessage>

/// A sender that stores the messages, so that a test can read them: ``CapturedMail`` or ``CapturedCodes``.
public final class CapturedMessages<Message: Sendable>: Sendable {
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
        var messages: [Message] = []
        var fault: Fault?
    }

    private let state = Mutex(State())

    /// Creates a sender without messages.
    public init() {}

    /// The messages, oldest first, including those that were not sent.
    public var messages: [Message] { state.withLock { $0.messages } }

    /// The simulated failure; nil to send normally.
    public var fault: Fault? {
        get { state.withLock { $0.fault } }
        set { state.withLock { $0.fault = newValue } }
    }

    /// Stores a message, then simulates the ``fault``, if any.
    ///
    /// - Parameter message: The message.
    /// - Throws: ``NotSent``, or `CancellationError` if the task is cancelled.
    public func send(_ message: Message) async throws {
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

extension CapturedMessages: EmailSender where Message == EmailMessage {
    /// Returns the token of the last message of a kind.
    ///
    /// - Parameter kind: The purpose of the message.
    /// - Returns: The token; nil if there is no message of the kind.
    public func token(_ kind: EmailMessage.Kind) -> String? {
        messages.last { $0.kind == kind }?.token
    }
}

extension CapturedMessages: PhoneCodeSender where Message == PhoneCodeMessage {
    /// Returns the last message to a number.
    ///
    /// - Parameter number: The number, with `+` and its country code.
    /// - Returns: The message; nil if there is none.
    public func last(to number: String) -> PhoneCodeMessage? {
        messages.last { $0.number == number }
    }
}
