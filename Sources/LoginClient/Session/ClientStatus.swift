// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Synchronization

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The status of a client's session, as an application shows it.
///
/// ``ClientSessionState`` has the steps of a session in more detail, without their data.
public enum ClientStatus: Sendable, Hashable {
    /// Nobody is signed in: the session is new, the sign-in failed or was cancelled, or the session was closed.
    case signedOut
    /// Tokens were found in the cache: ``ClientSession/open()`` signs in without user interaction.
    case stored(SignedIn)
    /// A sign-in has begun.
    case signingIn
    /// The sign-in waits for its second factor: complete it with ``ClientSession/complete(_:with:)``.
    case secondFactorRequired(ClientResolver)
    /// The user is signed in.
    case signedIn(SignedIn)
    /// The service has ended the session, or another client has signed out: the user must sign in again, with another
    /// ``ClientSession``.
    case expired

    /// A signed-in user.
    public struct SignedIn: Sendable, Hashable {
        /// The ID of the account.
        public let accountID: String

        /// The name of the identity provider with which the user signed in; empty for a guest.
        public let provider: String

        /// The permissions that the user granted at the provider; nil if the provider does not report them.
        public let permissions: [String]?

        /// The time at which the service issued the current tokens; nil if it is unknown.
        public let refreshDate: Date?

        /// The time at which the session token expires, after which the next request refreshes it.
        public let expiresAt: Date
    }

    /// Returns the status of a session.
    init(state: ClientSessionState, tokens: CachedTokens?, resolver: ClientResolver?, hasExpired: Bool) {
        self =
            switch state {
            case .created: .signedOut
            case .createdTokenLoaded: tokens.map { .stored(SignedIn($0)) } ?? .signedOut
            case .createdOpening: resolver.map { .secondFactorRequired($0) } ?? .signingIn
            case .open, .openTokenExtended: tokens.map { .signedIn(SignedIn($0)) } ?? .signedOut
            case .closedLoginFailed, .closed: hasExpired ? .expired : .signedOut
            }
    }
}

extension ClientStatus.SignedIn {
    fileprivate init(_ tokens: CachedTokens) {
        self.init(
            accountID: tokens.accountID,
            provider: tokens.provider,
            permissions: tokens.permissions,
            refreshDate: tokens.refreshDate,
            expiresAt: tokens.expiresAt
        )
    }
}

extension ClientStatus: RedactedValue {
    /// The name of the status, without the user.
    public var description: String {
        switch self {
        case .signedOut: "signed out"
        case .stored: "stored"
        case .signingIn: "signing in"
        case .secondFactorRequired: "second factor required"
        case .signedIn: "signed in"
        case .expired: "expired"
        }
    }
}

extension ClientStatus.SignedIn: RedactedValue {
    /// The ID of the account.
    public var description: String { "account \(accountID)" }
}

/// The streams of a session's observers.
///
/// Each stream buffers the newest status only, so that no observer holds memory that grows.
final class StatusObservers: Sendable {
    private typealias Continuation = AsyncStream<ClientStatus>.Continuation

    private struct State {
        var continuations: [Int: Continuation] = [:]
        var lastID = 0
    }

    private let state = Mutex(State())

    /// The number of observers, for tests.
    var count: Int { state.withLock(\.continuations.count) }

    /// Adds an observer.
    ///
    /// - Parameters:
    ///   - status: The current status, the first element of the stream.
    ///   - isLast: Whether the stream ends after it.
    /// - Returns: The stream.
    func add(_ status: ClientStatus, isLast: Bool) -> AsyncStream<ClientStatus> {
        let (stream, continuation) = AsyncStream.makeStream(of: ClientStatus.self, bufferingPolicy: .bufferingNewest(1))
        continuation.yield(status)
        if isLast {
            continuation.finish()
            return stream
        }
        let id = state.withLock { state in
            state.lastID += 1
            state.continuations[state.lastID] = continuation
            return state.lastID
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.continuations.removeValue(forKey: id) }
        }
        return stream
    }

    /// Sends a status to all observers, outside of the lock: the end of a stream removes its observer.
    ///
    /// - Parameters:
    ///   - status: The status.
    ///   - isLast: Whether the streams end after it.
    func publish(_ status: ClientStatus, isLast: Bool) {
        for continuation in state.withLock({ Array($0.continuations.values) }) {
            continuation.yield(status)
            if isLast { continuation.finish() }
        }
    }

    deinit {
        for continuation in state.withLock({ Array($0.continuations.values) }) { continuation.finish() }
    }
}
