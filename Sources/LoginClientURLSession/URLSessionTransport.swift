// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation
public import LoginClient
internal import Synchronization

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// The connection to a service over Foundation's `URLSession`.
///
/// It follows no redirects, and stores no cookies, credentials or responses.
public final class URLSessionTransport: LoginClientTransport {
    /// The URL of the service, without a slash at its end.
    public var service: String { base }

    private let base: String
    private let session: URLSession
    private let exchanges: Exchanges

    /// Creates a transport.
    ///
    /// - Parameters:
    ///   - url: The URL of the service, for example `https://login.example.com`. `http` is accepted only for
    ///     `localhost`, `127.0.0.1` and `[::1]`.
    ///   - userAgent: The name of the application, for example `MyTool/1.0 (Linux)`. The user sees it in the list of
    ///     sessions. Nil for Foundation's default.
    ///   - maximumBodySize: The maximum number of bytes in the body of a response. Longer responses are refused.
    ///   - timeout: The number of seconds until a response must be complete.
    /// - Throws: `LoginClientError` with the code `invalid-url`.
    public init(
        _ url: String,
        userAgent: String? = nil,
        maximumBodySize: Int = 1 << 20,
        timeout: Double = 20
    ) throws(LoginClientError) {
        guard let parts = URLComponents(string: url), let host = parts.host, !host.isEmpty,
            parts.user == nil, parts.password == nil, parts.query == nil, parts.fragment == nil,
            let scheme = parts.scheme?.lowercased(),
            scheme == "https" || scheme == "http" && Self.loopback.contains(host.lowercased())
        else { throw LoginClientError(.invalidURL) }
        base = url.hasSuffix("/") ? String(url.dropLast()) : url
        exchanges = Exchanges(maximumBodySize: maximumBodySize)
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.timeoutIntervalForRequest = timeout
        configuration.timeoutIntervalForResource = timeout
        if let userAgent { configuration.httpAdditionalHeaders = ["User-Agent": userAgent] }
        session = URLSession(configuration: configuration, delegate: exchanges, delegateQueue: nil)
    }

    deinit { session.finishTasksAndInvalidate() }

    /// Sends a request, and returns the response, whatever its status is.
    ///
    /// - Parameter request: The request.
    /// - Returns: The response.
    /// - Throws: `LoginClientError` with the code `invalid-url` if the path has no leading slash, or
    ///   `invalid-response` if the body is too long; `URLError` if there is no response; `CancellationError`.
    public func send(_ request: LoginClientRequest) async throws -> LoginClientResponse {
        // Without the slash, the path could change the host.
        guard request.path.hasPrefix("/"), let url = URL(string: base + request.path) else {
            throw LoginClientError(.invalidURL)
        }
        var message = URLRequest(url: url)
        message.httpMethod = request.method
        message.httpBody = request.body.map { Data($0) }
        for (name, value) in request.headers { message.setValue(value, forHTTPHeaderField: name) }
        let task = session.dataTask(with: message)
        // Before the task can complete.
        exchanges.begin(task.taskIdentifier)
        return try await withTaskCancellationHandler {
            task.resume()
            return try await exchanges.response(task.taskIdentifier)
        } onCancel: {
            task.cancel()
        }
    }

    private static let loopback = ["localhost", "127.0.0.1", "::1", "[::1]"]
}

/// The requests that are in flight.
private final class Exchanges: NSObject, URLSessionDataDelegate {
    /// A request in flight, by the identifier of its task.
    private struct Exchange {
        var body: [UInt8] = []
        var isTooLong = false
        var waiting: CheckedContinuation<LoginClientResponse, any Error>?
        var result: Result<LoginClientResponse, any Error>?
    }

    private let maximumBodySize: Int
    private let inFlight = Mutex<[Int: Exchange]>([:])

    init(maximumBodySize: Int) { self.maximumBodySize = maximumBodySize }

    func begin(_ id: Int) { inFlight.withLock { $0[id] = Exchange() } }

    /// Waits for the response of a request.
    func response(_ id: Int) async throws -> LoginClientResponse {
        try await withCheckedThrowingContinuation { continuation in
            let result = inFlight.withLock { inFlight -> Result<LoginClientResponse, any Error>? in
                if let result = inFlight[id]?.result {
                    inFlight[id] = nil
                    return result
                }
                inFlight[id]?.waiting = continuation
                return nil
            }
            if let result { continuation.resume(with: result) }
        }
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @Sendable @escaping (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let isTooLong = inFlight.withLock { inFlight in
            let id = dataTask.taskIdentifier
            guard let length = inFlight[id]?.body.count else { return false }
            guard length + data.count <= maximumBodySize else {
                inFlight[id]?.isTooLong = true
                return true
            }
            inFlight[id]?.body += data
            return false
        }
        if isTooLong { dataTask.cancel() }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let response = task.response as? HTTPURLResponse
        var headers: [String: String] = [:]
        for case let (name as String, value as String) in response?.allHeaderFields ?? [:] { headers[name] = value }
        let (status, fields) = (response?.statusCode, headers)
        let id = task.taskIdentifier
        let ended = inFlight.withLock {
            inFlight -> (CheckedContinuation<LoginClientResponse, any Error>, Result<LoginClientResponse, any Error>)?
            in
            guard let exchange = inFlight[id] else { return nil }
            let result: Result<LoginClientResponse, any Error> =
                if exchange.isTooLong {
                    .failure(LoginClientError(.invalidResponse, status: status))
                } else if let error {
                    .failure((error as? URLError)?.code == .cancelled ? CancellationError() : error)
                } else if let status {
                    .success(LoginClientResponse(status: status, headers: fields, body: exchange.body))
                } else {
                    .failure(LoginClientError(.invalidResponse))
                }
            guard let waiting = exchange.waiting else {
                inFlight[id]?.result = result
                return nil
            }
            inFlight[id] = nil
            return (waiting, result)
        }
        if let (waiting, result) = ended { waiting.resume(with: result) }
    }
}
