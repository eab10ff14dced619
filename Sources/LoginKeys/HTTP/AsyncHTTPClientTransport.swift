// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTPClient
public import LoginTokens

/// Sends requests with AsyncHTTPClient, and keeps to what `HTTPTransport` promises against any server.
///
/// An address that is not public is not asked, whatever name leads to it, unless it was allowed: nobody who can choose an
/// endpoint, or what its name leads to, can have this machine ask another one inside. Each request has a connection of its own,
/// to an address that was checked, and its certificate is the name's.
///
/// Proxies are not used, not even one that the environment names.
public struct AsyncHTTPClientTransport: HTTPTransport {
    /// Whom to trust, and who may be asked.
    public struct Configuration: Sendable {
        /// Who may vouch for servers.
        public enum TrustRoots: Sendable, Hashable {
            /// The authorities that the system trusts.
            case system
            /// The authorities in a file of PEM certificates with this path, and no others. It is read for each request.
            case file(String)
        }

        /// Who may vouch for servers.
        public var trustRoots: TrustRoots

        /// Networks that may be asked by `https`, though their addresses are not public.
        public var allowedNetworks: [IPNetwork]

        /// - Parameters:
        ///   - trustRoots: Who may vouch for servers.
        ///   - allowedNetworks: Networks that may be asked by `https`, though their addresses are not public.
        public init(trustRoots: TrustRoots = .system, allowedNetworks: [IPNetwork] = []) {
            self.trustRoots = trustRoots
            self.allowedNetworks = allowedNetworks
        }
    }

    private let configuration: Configuration
    private let resolver: any NameResolver

    /// - Parameter configuration: Whom to trust, and who may be asked: to begin with whom the system trusts, and public
    ///   addresses.
    public init(_ configuration: Configuration = Configuration()) {
        self.init(configuration, resolver: SystemResolver())
    }

    init(_ configuration: Configuration, resolver: any NameResolver) {
        self.configuration = configuration
        self.resolver = resolver
    }

    /// Sends a request.
    ///
    /// - Parameter request: What to ask, and how long and how much to listen: an hour at most.
    /// - Returns: The answer, whatever its status.
    /// - Throws: `TransportFailure` if there is none; with the code `interrupted` also if the task was cancelled.
    public func send(_ request: TransportRequest) async throws(TransportFailure) -> TransportResponse {
        try request.checkFields()
        // Times that are too long to be added up are nothing that a request can need.
        let end = ContinuousClock.now + min(request.deadline, .seconds(3600))
        let tooLate = Exchange.failure(.deadline, "there was no whole answer in time")
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
            // The other one ends at once when it is cancelled, so that nothing of a request outlives it.
            defer { group.cancelAll() }
            return await group.next() ?? Exchange.cancelled
        }
        return try outcome.get()
    }

    private func exchange(_ request: TransportRequest, until end: ContinuousClock.Instant) async -> Exchange.Outcome {
        do throws(TransportFailure) {
            let rule = AddressRule(scheme: request.url.scheme, allowedNetworks: configuration.allowedNetworks)
            let found: [IPAddress]
            if let literal = IPAddress(request.url.host) {
                found = [literal]
            } else {
                found = try await resolver.addresses(of: request.url.host)
            }
            let addresses = try rule.choose(from: found)
            var outcome = Exchange.cancelled
            for (tried, address) in addresses.enumerated() {
                let exchange = Exchange(request: request, address: address, trustRoots: configuration.trustRoots)
                let left = end - .now
                // What is left is shared by the addresses that are, so that one that swallows everything does not use it up.
                // The last one has more than there is, so that it is always the deadline that ends it.
                let patience = tried == addresses.count - 1 ? left + .seconds(1) : left / (addresses.count - tried)
                outcome = await exchange.run(patience: patience)
                // Only where there was no connection, nothing was sent, and it can be sent elsewhere.
                guard case .failure(let failure) = outcome, failure.code == .connection, !Task.isCancelled else {
                    break
                }
            }
            return outcome
        } catch {
            return .failure(error)
        }
    }
}
#endif
