// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTPClient
public import LoginTokens

/// An `HTTPTransport` that sends requests with AsyncHTTPClient.
///
/// A host with an address that is neither public nor allowed is rejected. So nobody who controls an endpoint, or the
/// DNS records of its host, can direct requests to internal machines (SSRF). Each request has its own connection, to an
/// address that was checked, and the certificate must be valid for the host name.
///
/// Only the proxy of the configuration is used, never one that environment variables configure.
public struct AsyncHTTPClientTransport: HTTPTransport {
    /// The trust roots, the allowed networks, the hosts without encryption, and the outgoing proxy.
    public struct Configuration: Sendable {
        /// A source of trusted certificate authorities.
        public enum TrustRoots: Sendable, Hashable {
            /// The authorities that the system trusts.
            case system
            /// Only the authorities in the file of PEM certificates at this path.
            ///
            /// The file is read for each request.
            case file(String)
        }

        /// The trusted certificate authorities.
        public var trustRoots: TrustRoots

        /// The non-public networks to which `https` requests may be sent.
        public var allowedNetworks: [IPNetwork]

        /// The hosts, in lower case, to which `http` requests may be sent in a private network: to loopback addresses,
        /// those of RFC 1918 and unique local ones (RFC 4193) except the metadata services of clouds, if the host has no
        /// others.
        public var cleartextHosts: Set<String>

        /// The proxy for `https` requests; nil for none.
        ///
        /// The addresses of hosts that are reached through it are not checked, except those in URLs.
        public var proxy: OutgoingProxy?

        /// Creates a configuration.
        ///
        /// - Parameters:
        ///   - trustRoots: The trusted certificate authorities.
        ///   - allowedNetworks: The non-public networks to which `https` requests may be sent.
        ///   - cleartextHosts: The hosts to which `http` requests may be sent in a private network.
        ///   - proxy: The proxy for `https` requests; nil for none.
        public init(
            trustRoots: TrustRoots = .system,
            allowedNetworks: [IPNetwork] = [],
            cleartextHosts: Set<String> = [],
            proxy: OutgoingProxy? = nil
        ) {
            self.trustRoots = trustRoots
            self.allowedNetworks = allowedNetworks
            self.cleartextHosts = cleartextHosts
            self.proxy = proxy
        }
    }

    private let configuration: Configuration
    private let resolver: any NameResolver

    /// Creates a transport.
    ///
    /// - Parameter configuration: The trust roots and the allowed networks. By default these are the system's roots,
    ///   and public addresses only.
    public init(_ configuration: Configuration = Configuration()) {
        self.init(configuration, resolver: SystemResolver())
    }

    init(_ configuration: Configuration, resolver: any NameResolver) {
        self.configuration = configuration
        self.resolver = resolver
    }

    /// Sends a request.
    ///
    /// - Parameter request: The request. Its deadline is limited to one hour.
    /// - Returns: The response, whatever its status.
    /// - Throws: `TransportFailure` if there is no response; with the code `interrupted` also if the task was
    ///   cancelled.
    public func send(_ request: TransportRequest) async throws(TransportFailure) -> TransportResponse {
        try request.checkFields()
        // The limit keeps the sum from overflowing. No request needs more time.
        let end = ContinuousClock.now + min(request.deadline, .seconds(3600))
        let tooLate = Exchange.failure(.deadline, "there was no complete response in time")
        guard request.deadline > .zero else { return try tooLate.get() }
        guard !Task.isCancelled else { return try Exchange.cancelled.get() }
        let outcome = await withTaskGroup(of: Exchange.Outcome.self) { group in
            group.addTask { await exchange(request, until: end) }
            group.addTask {
                do {
                    try await Task.sleep(until: end, clock: .continuous)
                    return tooLate
                } catch {
                    return Exchange.cancelled
                }
            }
            // The other task ends at once when it is cancelled, so that no work outlives the request.
            defer { group.cancelAll() }
            return await group.next() ?? Exchange.cancelled
        }
        return try outcome.get()
    }

    private func exchange(_ request: TransportRequest, until end: ContinuousClock.Instant) async -> Exchange.Outcome {
        do throws(TransportFailure) {
            let proxy = configuration.proxy.flatMap { $0.isUsed(for: request.url) ? $0 : nil }
            let addresses = try await addresses(for: request.url, through: proxy)
            var outcome = Exchange.cancelled
            for (tried, address) in addresses.enumerated() {
                let exchange = Exchange(
                    request: request,
                    address: address,
                    proxy: proxy,
                    trustRoots: configuration.trustRoots
                )
                let left = end - .now
                // The remaining time is divided among the remaining addresses, so that an unresponsive one does not use
                // it all. The last one gets more than the remaining time, so that it always ends with the deadline.
                let timeout = tried == addresses.count - 1 ? left + .seconds(1) : left / (addresses.count - tried)
                outcome = await exchange.run(timeout: timeout)
                // The code `connection` means that nothing was sent, so the request can be sent to another address.
                guard case .failure(let failure) = outcome, failure.code == .connection, !Task.isCancelled else {
                    break
                }
            }
            return outcome
        } catch {
            return .failure(error)
        }
    }

    /// Returns the addresses to connect to, in order: the checked ones of the host, or those of the proxy.
    private func addresses(
        for url: EndpointURL,
        through proxy: OutgoingProxy?
    ) async throws(TransportFailure) -> [IPAddress] {
        let rule = AddressRule(
            scheme: url.scheme,
            allowedNetworks: configuration.allowedNetworks,
            isCleartextHost: configuration.cleartextHosts.contains(url.host)
        )
        guard let proxy else { return try rule.choose(from: try await addresses(of: url.host)) }
        // The proxy resolves a name, and could reach any address.
        if let literal = IPAddress(url.host) { _ = try rule.choose(from: [literal]) }
        let found = try await addresses(of: proxy.host)
        guard !found.isEmpty else { throw TransportFailure(.name, "the name of the outgoing proxy has no addresses") }
        return Array(found.prefix(AddressRule.attempts))
    }

    private func addresses(of host: String) async throws(TransportFailure) -> [IPAddress] {
        if let literal = IPAddress(host) { return [literal] }
        return try await resolver.addresses(of: host)
    }
}
#endif
