// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import LoginAccounts
internal import Logging
internal import ServiceLifecycle

/// A queue that sends mail after the response to the request.
///
/// The response takes the same time for addresses with and without an account: the time to send mail does not reveal
/// which exist. Errors are logged.
struct MailQueue: EmailSender, Service {
    /// The maximum number of queued messages, beyond which requests fail.
    private static let longest = 1_000

    private let sender: any EmailSender
    private let logger: Logger
    private let messages: AsyncStream<EmailMessage>
    private let waiting: AsyncStream<EmailMessage>.Continuation

    /// The reason why a message was not passed to the sender.
    struct Failure: Error, CustomStringConvertible {
        let description: String

        static let full = Self(description: "the mail queue is full")
        static let ended = Self(description: "the service stopped before the message was sent")
    }

    /// Creates an empty queue.
    ///
    /// - Parameters:
    ///   - sender: The sender of the messages.
    ///   - logger: The logger for messages that were not sent.
    init(_ sender: any EmailSender, logger: Logger) {
        self.sender = sender
        self.logger = logger
        (messages, waiting) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.longest))
    }

    /// Queues a message.
    ///
    /// - Throws: ``Failure`` if the queue is full.
    func send(_ message: EmailMessage) async throws {
        if case .enqueued = waiting.yield(message) { return }
        tell(Failure.full)
        throw Failure.full
    }

    /// Sends the messages one after the other, and the remaining ones during the graceful shutdown.
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
        // Other errors may contain the address.
        let reason =
            (error as? CommandMailer.Failure)?.description ?? (error as? Failure)?.description
            ?? "\(type(of: error))"
        logger.error("mail not sent", metadata: ["mail.reason": "\(reason)"])
    }
}
#endif
