// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
/// The progress of the current request and response on one connection, and of the close after the last response.
///
/// A request begins only in ``idle``: requests that arrive earlier wait for the response to the current one.
enum ConnectionState: Sendable, Hashable {
    /// No request was forwarded, or the response to the last one is complete.
    case idle
    /// The current request is incomplete. Its response may have begun.
    case receiving(Persistence)
    /// The current request is complete, and its response is not.
    case responding(Persistence)
    /// The last response was written, or the connection was rejected. Input is discarded if it is read.
    case closing(reads: Bool)
    /// The last response was sent, and the server's half of the connection is closed.
    case lingering(reads: Bool)

    /// Whether the connection persists after the current response (RFC 9112 §9.3).
    enum Persistence: Sendable, Hashable {
        /// It stays open for further requests.
        case persists
        /// It is closed.
        case closes
        /// It is closed, and nothing is read after the request, because input in another protocol follows.
        case closesUnread
    }
}

extension ConnectionState {
    /// Whether the next part of a request is forwarded, instead of waiting for the current response.
    var forwards: Bool {
        switch self {
        case .idle, .receiving: true
        case .responding, .closing, .lingering: false
        }
    }

    /// Whether input is read from the connection.
    var reads: Bool {
        switch self {
        case .idle, .receiving: true
        case .responding(let persistence): persistence != .closesUnread
        case .closing(let reads), .lingering(let reads): reads
        }
    }

    /// Whether the current response is the last one on the connection.
    ///
    /// A client could otherwise hold the connection with the unsent rest of a request that already has a response.
    var closesAfterResponse: Bool {
        switch self {
        case .idle, .responding(.persists): false
        case .receiving, .responding, .closing, .lingering: true
        }
    }

    /// Whether the last response was written or the connection rejected.
    var isClosing: Bool {
        switch self {
        case .idle, .receiving, .responding: false
        case .closing, .lingering: true
        }
    }

    /// Whether the server's half of the connection is closed.
    var isLingering: Bool {
        if case .lingering = self { true } else { false }
    }

    /// Begins a request, whose head is forwarded.
    mutating func beginRequest(_ persistence: Persistence) {
        self = .receiving(persistence)
    }

    /// Completes the current request.
    mutating func endRequest() {
        if case .receiving(let persistence) = self { self = .responding(persistence) }
    }

    /// Begins the response to input that is no request, which is the last one.
    mutating func beginRefusal() {
        if case .idle = self { self = .responding(.closes) }
    }

    /// Records that the current response has `Connection: close`.
    mutating func markResponseAsLast() {
        switch self {
        case .receiving(.persists): self = .receiving(.closes)
        case .responding(.persists): self = .responding(.closes)
        case .idle, .receiving, .responding, .closing, .lingering: break
        }
    }

    /// Completes the current response.
    ///
    /// - Returns: Whether it was the last one, after which the connection is closed.
    mutating func endResponse() -> Bool {
        guard closesAfterResponse else {
            self = .idle
            return false
        }
        self = .closing(reads: reads)
        return true
    }

    /// Rejects the connection, on which nothing is forwarded.
    mutating func reject() {
        self = .closing(reads: true)
    }

    /// Records that the last response was sent.
    mutating func endOutput() {
        self = .lingering(reads: reads)
    }
}
#endif
