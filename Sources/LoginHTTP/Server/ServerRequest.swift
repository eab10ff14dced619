// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
public import HTTPTypes
internal import LoginAccounts
public import LoginTokens
public import Logging
internal import Synchronization

/// A request, as the server of any framework has received it.
///
/// ```swift
/// let request = ServerRequest(head, from: .address("192.0.2.1"), body: ServerRequest.Body(pieces), logger: logger)
/// ```
///
/// The fields are those of the client, in order, and none of them merged: a repeated `Authorization`, `Cookie`, `Origin`
/// or `DPoP` is refused, which nobody could see in a merged one.
public struct ServerRequest: Sendable {
    /// The other end of a connection.
    public enum Peer: Sendable, Hashable {
        /// An IP address, IPv4 or IPv6 without a port; any other text counts as ``unknown``.
        case address(String)
        /// A process on this machine, over a Unix domain socket.
        case unixSocket
        /// A peer whose address the framework does not know, for example because it has closed the connection.
        ///
        /// It is never trusted as a proxy, and all such peers share the limits of one network.
        case unknown
    }

    /// The method, the target and the fields.
    ///
    /// Its `path` is the whole target of the request (RFC 9112 §3.2).
    public let head: HTTPRequest

    /// The other end of the connection: a client or a proxy.
    public let peer: Peer

    /// The body, which is read on demand, and at most once.
    public let body: Body

    /// The logger of the request.
    public var logger: Logger

    /// The path of the target, without decoding.
    public let path: String

    /// The query of the target, without the question mark; nil if there is none.
    public let query: String?

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - head: The method, the target and the fields.
    ///   - peer: The other end of the connection.
    ///   - body: The body.
    ///   - logger: The logger of the request.
    public init(_ head: HTTPRequest, from peer: Peer, body: Body = .empty, logger: Logger) {
        (self.head, self.peer, self.body, self.logger) = (head, peer, body, logger)
        var rest = (head.path ?? "")[...].utf8
        // The absolute form begins with a scheme and a host, which the path follows (RFC 9112 §3.2.2).
        if rest.first != UInt8(ascii: "/"), let scheme = Substring(rest).firstRange(of: "://") {
            rest = rest[scheme.upperBound...].drop { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        }
        let end = rest.firstIndex(of: UInt8(ascii: "?")) ?? rest.endIndex
        path = end == rest.startIndex ? "/" : String(Substring(rest[..<end]))
        query =
            end == rest.endIndex
            ? nil : String(Substring(rest[rest.index(after: end)...].prefix { $0 != UInt8(ascii: "#") }))
    }

    /// The method.
    public var method: HTTPRequest.Method { head.method }

    /// The header fields, as they came.
    public var headers: HTTPFields { head.headerFields }

    /// The target: path and query.
    public var target: String { head.path ?? "" }
}

extension ServerRequest {
    /// The body of a request.
    public struct Body: Sendable {
        /// Whether the pieces were requested; nil for a body that has arrived.
        private let isRead: Flag?

        /// A function that reads the whole body, and throws what the pieces throw.
        private let read:
            @Sendable (_ piece: (_ count: Int, _ bytes: any Sequence<UInt8>) throws -> Void) async throws -> Void

        /// No body.
        public static let empty = Self([])

        /// Creates a body that has arrived.
        ///
        /// - Parameter bytes: The whole body.
        public init(_ bytes: [UInt8]) {
            isRead = nil
            read = { piece in if !bytes.isEmpty { try piece(bytes.count, bytes) } }
        }

        /// Creates a body that arrives in pieces.
        ///
        /// The next piece is requested when the last one was taken, so a body that is not read holds no memory.
        ///
        /// - Parameter pieces: The pieces. Iteration must throw if the body is incomplete, and cancellation of the task
        ///   must end the wait for the next piece.
        public init<Pieces: AsyncSequence & Sendable>(_ pieces: Pieces) where Pieces.Element: Collection<UInt8> {
            isRead = Flag()
            read = { piece in
                for try await bytes in pieces { try piece(bytes.count, bytes) }
            }
        }

        /// Returns the whole body.
        ///
        /// The deadline is checked when a piece arrives. The server closes the connection of a client that sends none.
        ///
        /// - Parameters:
        ///   - limit: The maximum size in bytes.
        ///   - deadline: The maximum time.
        /// - Returns: The bytes.
        /// - Throws: ``Problem``: `request-too-large`, or `invalid-request` if the body is too slow or incomplete;
        ///   `internal-error` if pieces are read a second time; `CancellationError`.
        func bytes(upTo limit: Int, within deadline: Duration) async throws -> [UInt8] {
            // The next bytes would be those of another request.
            guard isRead?.set() != false else {
                throw Problem(ProblemCode(.internalError), "The body was read before.")
            }
            let begun = ContinuousClock.now
            var all: [UInt8] = []
            do {
                try await read { count, bytes in
                    guard count <= limit - all.count else { throw Problem.tooLarge }
                    all.append(contentsOf: bytes)
                    guard begun.duration(to: .now) <= deadline else {
                        throw Problem(.invalidRequest, "The body was not received in time.").closing
                    }
                }
            } catch let problem as Problem {
                throw problem
            } catch {
                guard !Task.isCancelled else { throw CancellationError() }
                // A malformed body is an error of the client, whatever error the framework throws.
                throw Problem(.invalidRequest, "The body is incomplete or malformed.").closing
            }
            // Some sequences end with the task.
            guard !Task.isCancelled else { throw CancellationError() }
            return all
        }

        /// A flag that can be set once.
        private final class Flag: Sendable {
            private let isSet = Mutex(false)

            /// Sets the flag, and returns whether it was not set before.
            func set() -> Bool {
                isSet.withLock { isSet in
                    defer { isSet = true }
                    return !isSet
                }
            }
        }
    }
}

extension ServerRequest: Redacted {
    /// The method, without the target and the fields, which may contain secrets and personal data.
    public var description: String { "\(method) request" }
}
#endif
