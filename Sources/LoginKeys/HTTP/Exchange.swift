// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTPClient
internal import AsyncHTTPClient
internal import LoginTokens
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL

/// One request to one address, of the host or of the proxy, with its own HTTP client.
struct Exchange {
    typealias Outcome = Result<TransportResponse, TransportFailure>

    static let cancelled = failure(.interrupted, "the request was cancelled")

    static func failure(_ code: TransportFailure.Code, _ detail: String) -> Outcome {
        .failure(TransportFailure(code, detail))
    }

    let request: TransportRequest
    let address: IPAddress
    /// The proxy that has the address; nil if the host has it.
    let proxy: OutgoingProxy?
    let trustRoots: AsyncHTTPClientTransport.Configuration.TrustRoots

    /// Sends the request and reads the response.
    ///
    /// - Parameter timeout: The maximum time to establish the connection, TLS included.
    /// - Returns: The response, or the failure: `connection` only if nothing was sent.
    func run(timeout: Duration) async -> Outcome {
        let check = ConnectionCheck(url: request.url, address: address, bodyLimit: request.responseLimit)
        let client = HTTPClient(
            eventLoopGroupProvider: .shared(MultiThreadedEventLoopGroup.singleton),
            configuration: clientConfiguration(timeout: timeout, check: check)
        )
        // Not awaited: the peer can delay the closing of a connection until the timeouts expire.
        defer { _ = client.shutdown() as EventLoopFuture<Void> }
        do {
            let response = try await client.execute(message, deadline: .now() + .hours(2), logger: nil)
            return try await read(response)
        } catch {
            if Task.isCancelled { return Self.cancelled }
            let stage: TransportFailure.Stage = check.hasPassed ? .answering : .connecting(request.url.scheme)
            let failure = TransportFailure(error, while: stage)
            guard proxy != nil, !check.hasPassed else { return .failure(failure) }
            return Self.failure(failure.code, "through the outgoing proxy: \(failure.detail)")
        }
    }

    private var message: HTTPClientRequest {
        // `ConnectionCheck` adds the request target.
        var message = HTTPClientRequest(url: request.url.origin + "/")
        message.method = HTTPMethod(rawValue: request.method.rawValue)
        for (name, value) in request.headers { message.headers.add(name: name, value: value) }
        message.headers.add(name: "Accept-Encoding", value: "identity")
        message.headers.add(name: "Connection", value: "close")
        message.headers.add(name: "User-Agent", value: "limited-login")
        if !request.body.isEmpty { message.body = .bytes(ByteBuffer(bytes: request.body)) }
        return message
    }

    private func read(_ response: HTTPClientResponse) async throws -> Outcome {
        let status = Int(response.status.code)
        guard (200...599).contains(status) else {
            return Self.failure(.interrupted, "the response has the status \(status), which is not a final status")
        }
        let tooLarge = Self.failure(.tooLarge, "the body has more than \(request.responseLimit) bytes")
        // These responses have no body, whatever their `Content-Length` (RFC 9112 §6.3).
        if status != 204, status != 304 {
            let announced = response.headers["Content-Length"].compactMap { Int($0) }
            guard announced.allSatisfy({ $0 <= request.responseLimit }) else { return tooLarge }
        }
        var body: [UInt8] = []
        for try await part in response.body {
            guard part.readableBytes <= request.responseLimit - body.count else { return tooLarge }
            body += part.readableBytesView
        }
        // A body that ended because of the cancellation is incomplete.
        if Task.isCancelled { return Self.cancelled }
        let headers = response.headers.map { (name: $0.name, value: $0.value) }
        return .success(TransportResponse(status: status, headers: headers, body: body))
    }
}

extension Exchange {
    private func clientConfiguration(timeout: Duration, check: ConnectionCheck) -> HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tlsConfiguration,
            redirectConfiguration: .disallow,
            proxy: tunnel,
            decompression: .disabled
        )
        configuration.timeout.connect = TimeAmount(max(timeout, .milliseconds(1)))
        // The deadline of the request covers reads and writes.
        configuration.timeout.read = nil
        configuration.timeout.write = nil
        configuration.httpVersion = .http1Only
        configuration.connectionPool.idleTimeout = .seconds(1)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 1
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.connectionPool.preWarmedHTTP1ConnectionCount = 0
        configuration.maximumUsesPerConnection = 1
        configuration.networkFrameworkWaitForConnectivity = false
        configuration.enableMultipath = false
        configuration.localAddress = nil
        configuration.dnsResolver = .system
        // The host name is still used for the `Host` field, for SNI, and for the certificate check. A proxy resolves it.
        let isResolved = proxy == nil && IPAddress(request.url.host) == nil
        configuration.dnsOverride = !isResolved ? [:] : [request.url.host: address.description]
        configuration.http1_1ConnectionDebugInitializer = check.begin
        configuration.tracing.tracer = nil
        return configuration
    }

    /// The tunnel through the proxy; AsyncHTTPClient always uses `CONNECT`.
    private var tunnel: HTTPClient.Configuration.Proxy? {
        proxy.map { proxy in
            let authorization = proxy.credentials.map {
                HTTPClient.Authorization.basic(username: $0.userName, password: $0.password)
            }
            return .server(host: address.description, port: proxy.port, authorization: authorization)
        }
    }

    private var tlsConfiguration: TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        configuration.maximumTLSVersion = nil
        configuration.certificateVerification = .fullVerification
        configuration.renegotiationSupport = .none
        configuration.certificateChain = []
        configuration.privateKey = nil
        configuration.keyLogCallback = nil
        // With the complete response, there is no need to wait for the peer's `close_notify`.
        configuration.shutdownTimeout = .milliseconds(100)
        switch trustRoots {
        case .system: configuration.trustRoots = .default
        case .file(let path): configuration.trustRoots = .file(path)
        }
        return configuration
    }
}
#endif
