// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import LoginAccounts
internal import Logging
internal import ServiceLifecycle

/// Sends mail after the request that asks for it was answered.
///
/// An address that has an account is answered as fast as one that has none: how long a program takes to send mail is nobody's business.
/// What cannot be sent, the log tells.
struct MailQueue: EmailSender, Service {
    /// How many wait at most; who comes then is told that mail cannot be sent.
    private static let longest = 1_000

    private let sender: any EmailSender
    private let logger: Logger
    private let messages: AsyncStream<EmailMessage>
    private let waiting: AsyncStream<EmailMessage>.Continuation

    /// Why a message was not given to what sends.
    struct Failure: Error, CustomStringConvertible {
        let description: String

        static let full = Self(description: "too many messages wait to be sent")
        static let ended = Self(description: "the service ended while it waited to be sent")
    }

    /// A queue, which is empty.
    ///
    /// - Parameters:
    ///   - sender: What sends.
    ///   - logger: Where it says what was not sent.
    init(_ sender: any EmailSender, logger: Logger) {
        self.sender = sender
        self.logger = logger
        (messages, waiting) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.longest))
    }

    /// Takes a message, and sends it soon.
    ///
    /// - Throws: ``Failure``, where too many wait.
    func send(_ message: EmailMessage) async throws {
        if case .enqueued = waiting.yield(message) { return }
        tell(Failure.full)
        throw Failure.full
    }

    /// Sends what comes, one after the other, and at the end what waits, as long as the service may take to end.
    func run() async {
        await withGracefulShutdownHandler {
            for await message in messages {
                do {
                    guard !Task.isCancelled else { throw Failure.ended }
                    try await sender.send(message)
                } catch {
                    tell(error)
                }
            }
        } onGracefulShutdown: {
            waiting.finish()
        }
    }

    private func tell(_ error: any Error) {
        // Of errors of others nobody knows whether they name the address.
        let reason =
            (error as? CommandMailer.Failure)?.description ?? (error as? Failure)?.description
            ?? "\(type(of: error))"
        logger.error("a message was not sent", metadata: ["mail.reason": "\(reason)"])
    }
}
#endif
