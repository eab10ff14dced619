// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Synchronization

/// A broadcaster that publishes the events of this process's transactions to its subscribers.
final class EventBroadcaster: Sendable {
    /// The number of events that are buffered for a slow subscriber before the oldest is dropped: some minutes on a
    /// busy server.
    private static let waitingEvents = 1024

    private let listeners = Mutex<(next: UInt64, continuations: [UInt64: AsyncStream<AuthEvent>.Continuation])>(
        (0, [:])
    )

    func listen() -> AsyncStream<AuthEvent> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: AuthEvent.self,
            bufferingPolicy: .bufferingNewest(Self.waitingEvents)
        )
        let number = listeners.withLock { listeners in
            listeners.next += 1
            listeners.continuations[listeners.next] = continuation
            return listeners.next
        }
        continuation.onTermination = { [weak self] _ in
            self?.listeners.withLock { _ = $0.continuations.removeValue(forKey: number) }
        }
        return stream
    }

    func publish(_ events: [AuthEvent]) {
        guard !events.isEmpty else { return }
        let continuations = listeners.withLock { Array($0.continuations.values) }
        for continuation in continuations {
            for event in events { continuation.yield(event) }
        }
    }
}
