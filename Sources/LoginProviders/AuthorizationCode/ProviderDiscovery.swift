// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTokens
internal import Synchronization

/// The metadata of one provider: fetched by the first login that needs it, and renewed once a day.
///
/// One request at a time goes to the provider. Logins wait for it only while there is no metadata; later ones use the
/// metadata they find, and start a renewal that is due. After a failure, logins without metadata fail at once for five
/// seconds.
final class ProviderDiscovery: Sendable {
    /// A change of the availability of the metadata.
    enum Change: Sendable {
        /// The first failure since the start or since a success, with the age of the metadata that stays in use.
        case unavailable(any Error, age: Duration?)
        /// The first success after a failure.
        case available
    }

    private struct State {
        var metadata: ProviderMetadata?
        var fetchedAt = Duration.zero
        /// The algorithms of ID tokens in the metadata.
        var algorithms: [SignatureAlgorithm]?
        /// The time from which the metadata is fetched again for a token whose algorithm it does not list.
        var isOldAt = Duration.zero
        /// The failure of the last request.
        var fault: (any Error)?
        /// The time from which a request is sent again.
        var isDueAt = Duration.zero
        var isFetching = false
        var waiting: [CheckedContinuation<Step, Never>] = []
    }

    /// The next step of a login.
    private enum Step: Sendable {
        case use(ProviderMetadata)
        /// Uses the metadata, and starts its renewal.
        case renew(ProviderMetadata)
        case fail(any Error)
        case fetch
        /// The request that the login waited for was cancelled.
        case again
    }

    /// The time after which metadata is renewed, the pause after a failure, and the age from which a token can cause a
    /// renewal.
    private static let (freshness, pause, minimumAge) = (
        Duration.seconds(86_400), Duration.seconds(5), Duration.seconds(300)
    )

    private let provider: Provider
    private let transport: any HTTPTransport
    private let timekeeper: Timekeeper
    private let onChange: @Sendable (Change) -> Void
    private let state = Mutex(State())

    /// Creates the discovery of a provider.
    ///
    /// - Parameters:
    ///   - provider: The provider.
    ///   - transport: The transport for requests.
    ///   - clock: The clock for renewals and pauses.
    ///   - onChange: Called with each change of the availability.
    init(
        provider: Provider,
        transport: any HTTPTransport,
        clock: any Clock<Duration> = ContinuousClock(),
        onChange: @escaping @Sendable (Change) -> Void
    ) {
        self.provider = provider
        self.transport = transport
        timekeeper = Timekeeper(clock)
        self.onChange = onChange
    }

    /// The known metadata; nil before the first response.
    var knownMetadata: ProviderMetadata? { state.withLock { $0.metadata } }

    /// Returns the metadata.
    ///
    /// It waits if there is none, and starts a renewal that is due.
    ///
    /// - Returns: The metadata.
    /// - Throws: `ProviderMetadataError` if the provider has never responded; `CancellationError`.
    func current() async throws -> ProviderMetadata {
        while true {
            switch await next() {
            case .use(let metadata): return metadata
            case .renew(let metadata):
                startRenewal()
                return metadata
            case .fail(let fault): throw fault
            case .fetch:
                await fetch()
                try Task.checkCancellation()
            case .again: try Task.checkCancellation()
            }
        }
    }

    /// Waits for metadata that is at most five minutes old; if it cannot be fetched, older metadata stays in use.
    ///
    /// - Throws: `ProviderMetadataError` if the provider has never responded; `CancellationError`.
    private func renew() async throws {
        while true {
            switch await next(needsNew: true) {
            case .use, .renew: return
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
            if state.withLock({ beginFetch(&$0) }) { await fetch() }
            let due = state.withLock { state in
                // A renewal that a login has started may take longer than the pause.
                state.isFetching ? max(state.isDueAt, timekeeper.now() + Self.pause) : state.isDueAt
            }
            do { try await timekeeper.sleep(due) } catch { return }
        }
    }

    /// Starts the renewal that a login found due.
    ///
    /// The login does not wait for it, so cancelling the login does not cancel it. There is one at a time, and its
    /// request has a deadline of five seconds.
    private func startRenewal() {
        Task { await fetch() }
    }

    /// Returns whether the caller must fetch the metadata: it is due, and no other request is in flight.
    private func beginFetch(_ state: inout State) -> Bool {
        guard timekeeper.now() >= state.isDueAt, !state.isFetching else { return false }
        state.isFetching = true
        // No further request before this one has a response.
        state.isDueAt = timekeeper.now() + Self.pause
        return true
    }

    /// Returns the next step of a login.
    ///
    /// - Parameter needsNew: Whether metadata that is old must be fetched again first.
    /// - Returns: The step.
    private func next(needsNew: Bool = false) async -> Step {
        await withCheckedContinuation { continuation in
            let step: Step? = state.withLock { state in
                // After a failure, the pause applies.
                if needsNew, state.fault == nil, timekeeper.now() >= state.isOldAt { state.isDueAt = timekeeper.now() }
                if beginFetch(&state) { return needsNew ? .fetch : state.metadata.map { .renew($0) } ?? .fetch }
                let waits = needsNew && state.isFetching
                if !waits, let metadata = state.metadata { return .use(metadata) }
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
                try await ProviderMetadata.fetch(provider: provider, transport: transport)
            )
        } catch {
            answer = .failure(error)
        }
        // The failure of a cancelled task is not a failure of the provider.
        let wasCancelled = Task.isCancelled
        let (waiting, change) = state.withLock { state in
            state.isFetching = false
            var change: Change?
            let now = timekeeper.now()
            switch answer {
            case .success(let metadata):
                if state.fault != nil { change = .available }
                (state.metadata, state.fetchedAt, state.fault) = (metadata, now, nil)
                state.algorithms = metadata.algorithms.sorted { $0.rawValue < $1.rawValue }
                state.isDueAt = now + Self.freshness
                state.isOldAt = now + Self.minimumAge
            case .failure(let fault) where !wasCancelled:
                if state.fault == nil {
                    change = .unavailable(fault, age: state.metadata == nil ? nil : now - state.fetchedAt)
                }
                state.fault = fault
                state.isDueAt = now + Self.pause
            case .failure: state.isDueAt = .zero
            }
            defer { state.waiting = [] }
            return (state.waiting, change)
        }
        if let change { onChange(change) }
        for continuation in waiting { continuation.resume(returning: .again) }
    }
}

extension ProviderDiscovery: AlgorithmListing {
    /// The algorithms of ID tokens in the metadata; nil before the first response.
    var known: [SignatureAlgorithm]? { state.withLock { $0.algorithms } }

    /// Waits for the metadata, and renews one that is older than five minutes: a provider that begins to sign with
    /// another algorithm costs its users one wait.
    func load() async throws(VerificationUnavailable) {
        do {
            try await renew()
        } catch {
            throw VerificationUnavailable(
                detail: "the algorithms of ID tokens are unknown until the discovery document is available: \(error)"
            )
        }
    }
}
