// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTokens
internal import Synchronization

/// The metadata of one provider: fetched by the first login that needs it, and renewed once a day.
///
/// One request at a time goes to the provider, and all logins that need its answer wait for it. After a failure, logins fail at once for
/// five seconds; metadata that was fetched before stays in use.
final class ProviderDiscovery: Sendable {
    private struct State {
        var metadata: ProviderMetadata?
        /// The failure of the last request.
        var fault: (any Error)?
        /// The time from which a request is sent again.
        var isDueAt = Duration.zero
        var isFetching = false
        var waiting: [CheckedContinuation<Step, Never>] = []
    }

    /// What a login does next.
    private enum Step: Sendable {
        case use(ProviderMetadata)
        case fail(any Error)
        case fetch
        /// The request that the login waited for was cancelled.
        case again
    }

    private static let (freshness, pause) = (Duration.seconds(86_400), Duration.seconds(5))

    private let issuer: String
    private let document: String?
    private let allowsLoopbackHTTP: Bool
    private let transport: any HTTPTransport
    private let timekeeper: Timekeeper
    private let onFault: @Sendable (any Error) -> Void
    private let state = Mutex(State())

    /// Creates the discovery of a provider.
    ///
    /// - Parameters:
    ///   - issuer: The issuer.
    ///   - document: The address of the discovery document; nil for the one that the issuer implies.
    ///   - allowsLoopbackHTTP: Whether addresses may be `http` on this machine.
    ///   - transport: The transport for requests.
    ///   - clock: The clock for renewals and pauses.
    ///   - onFault: Called with the first failure after a success.
    init(
        issuer: String,
        document: String? = nil,
        allowsLoopbackHTTP: Bool,
        transport: any HTTPTransport,
        clock: any Clock<Duration> = ContinuousClock(),
        onFault: @escaping @Sendable (any Error) -> Void
    ) {
        self.issuer = issuer
        self.document = document
        self.allowsLoopbackHTTP = allowsLoopbackHTTP
        self.transport = transport
        timekeeper = Timekeeper(clock)
        self.onFault = onFault
    }

    /// The metadata that is known; nil before the first answer.
    var known: ProviderMetadata? { state.withLock { $0.metadata } }

    /// Returns the metadata, and fetches it where it is unknown or due.
    ///
    /// - Returns: The metadata.
    /// - Throws: `ProviderMetadataError` where the provider has never answered.
    func current() async throws -> ProviderMetadata {
        while true {
            switch await next() {
            case .use(let metadata): return metadata
            case .fail(let fault): throw fault
            case .fetch:
                await fetch()
                try Task.checkCancellation()
            case .again: try Task.checkCancellation()
            }
        }
    }

    /// Renews the metadata whenever it is due, until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            _ = try? await current()
            let due = state.withLock { $0.isDueAt }
            do { try await timekeeper.sleep(due) } catch { return }
        }
    }

    private func next() async -> Step {
        await withCheckedContinuation { continuation in
            let step: Step? = state.withLock { state in
                let isDue = timekeeper.now() >= state.isDueAt
                if isDue, !state.isFetching {
                    state.isFetching = true
                    // Nobody else has to ask before there is an answer.
                    state.isDueAt = timekeeper.now() + Self.pause
                    return .fetch
                }
                if let metadata = state.metadata { return .use(metadata) }
                if let fault = state.fault, !state.isFetching { return .fail(fault) }
                state.waiting.append(continuation)
                return nil
            }
            if let step { continuation.resume(returning: step) }
        }
    }

    private func fetch() async {
        let answer: Result<ProviderMetadata, any Error>
        do {
            answer = .success(
                try await ProviderMetadata.fetch(
                    issuer: issuer,
                    document: document,
                    transport: transport,
                    allowsLoopbackHTTP: allowsLoopbackHTTP
                )
            )
        } catch {
            answer = .failure(error)
        }
        // A login that went away says nothing about the provider.
        let wasCancelled = Task.isCancelled
        let (waiting, news) = state.withLock { state in
            state.isFetching = false
            var news: (any Error)?
            switch answer {
            case .success(let metadata):
                (state.metadata, state.fault) = (metadata, nil)
                state.isDueAt = timekeeper.now() + Self.freshness
            case .failure(let fault) where !wasCancelled:
                if state.fault == nil { news = fault }
                state.fault = fault
                state.isDueAt = timekeeper.now() + Self.pause
            case .failure: state.isDueAt = .zero
            }
            defer { state.waiting = [] }
            return (state.waiting, news)
        }
        if let news { onFault(news) }
        for continuation in waiting { continuation.resume(returning: .again) }
    }
}
