// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import LoginAccounts
internal import Logging

/// The queues of codes to phones.
///
/// Anyone can request codes to sign in. They have a queue of their own, so that they do not delay codes of second
/// factors, which require a first factor or a session.
struct CodeQueues: PhoneCodeSender {
    /// The maximum number of codes of a queue that are sent at once, so that a slow one does not delay all others.
    private static let concurrency = 4

    /// The queue of codes to sign in, link a number, or reauthenticate.
    let firstFactors: MessageQueue<PhoneCodeMessage>

    /// The queue of codes of second factors, and of their enrollments.
    let secondFactors: MessageQueue<PhoneCodeMessage>

    /// Creates empty queues.
    ///
    /// - Parameters:
    ///   - logger: The logger for codes that were not sent.
    ///   - deliver: Sends a code.
    init(logger: Logger, deliver: @escaping @Sendable (PhoneCodeMessage) async throws -> Void) {
        firstFactors = MessageQueue("sms", concurrency: Self.concurrency, logger: logger, deliver: deliver)
        secondFactors = MessageQueue(
            "second-factor sms",
            concurrency: Self.concurrency,
            logger: logger,
            deliver: deliver
        )
    }

    func send(_ message: PhoneCodeMessage) async throws {
        switch message.purpose {
        case .signIn, .link, .reauthentication: try await firstFactors.send(message)
        case .secondFactor, .enrollment: try await secondFactors.send(message)
        }
    }
}
#endif
