// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTPClient
internal import LoginTokens
internal import Synchronization

/// A transport that forwards requests and counts them.
final class CountingTransport: HTTPTransport {
    private let inner: any HTTPTransport
    private let urls = Mutex<[String]>([])

    init(_ inner: any HTTPTransport) {
        self.inner = inner
    }

    /// The number of requests for discovery documents.
    var discoveries: Int { urls.withLock { $0.count { $0.hasSuffix("/.well-known/openid-configuration") } } }

    /// The number of all other requests, that is, for keys.
    var keyFetches: Int { urls.withLock { $0.count } - discoveries }

    func send(_ request: TransportRequest) async throws(TransportFailure) -> TransportResponse {
        urls.withLock { $0.append("\(request.url)") }
        return try await inner.send(request)
    }
}
#endif
