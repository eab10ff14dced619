// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import LoginAccounts
internal import Logging
internal import ServiceLifecycle

/// A queue that sends e-mail or codes to phones after the response to the request.
///
/// The response takes the same time for addresses and numbers with and without an account: the time to send a message
/// does not reveal which exist. Errors are logged.
struct MessageQueue<Message: Sendable>: Service {
    /// The maximum number of queued messages, beyond which requests fail.
    static var capacity: Int { 1_000 }

    private let name: String
    private let concurrency: Int
    private let logger: Logger
    private let deliver: @Sendable (Message) async throws -> Void
    private let messages: AsyncStream<Message>
    private let waiting: AsyncStream<Message>.Continuation

    /// Creates an empty queue.
    ///
    /// - Parameters:
    ///   - name: The name of the messages in the log: `mail` or `sms`.
    ///   - concurrency: The maximum number of messages that are sent at once. With one, messages keep their order.
    ///   - logger: The logger for messages that were not sent.
    ///   - deliver: Sends a message.
    init(
        _ name: String,
        concurrency: Int = 1,
        logger: Logger,
        deliver: @escaping @Sendable (Message) async throws -> Void
    ) {
        self.name = name
        self.concurrency = concurrency
        self.logger = logger
        self.deliver = deliver
        (messages, waiting) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.capacity))
    }

    /// Queues a message.
    ///
    /// - Throws: ``MessageFailure`` if the queue is full.
    func send(_ message: Message) async throws {
        if case .enqueued = waiting.yield(message) { return }
        let failure = MessageFailure(description: "the \(name) queue is full")
        log(failure)
        throw failure
    }

    /// Sends the messages in the order of the queue, and the remaining ones during the graceful shutdown.
    func run() async {
        await withGracefulShutdownHandler {
            await withTaskGroup(of: Void.self) { group in
                var running = 0
                for await message in messages {
                    if running < concurrency { running += 1 } else { await group.next() }
                    group.addTask { await attempt(message) }
                }
            }
        } onGracefulShutdown: {
            waiting.finish()
        }
    }

    private func attempt(_ message: Message) async {
        do {
            guard !Task.isCancelled else {
                throw MessageFailure(description: "the service stopped before the message was sent")
            }
            try await deliver(message)
        } catch {
            log(error)
        }
    }

    private func log(_ error: any Error) {
        // Other errors may contain the recipient.
        let reason = (error as? MessageFailure)?.description ?? "\(type(of: error))"
        logger.error("\(name) not sent", metadata: ["\(name).reason": "\(reason)"])
    }
}

extension MessageQueue: EmailSender where Message == EmailMessage {}
#endif
