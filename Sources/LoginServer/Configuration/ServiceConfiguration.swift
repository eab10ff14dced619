// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import Foundation
internal import LoginHummingbird
internal import LoginKeys
internal import LoginProviders
internal import LoginTokens

/// How the service is set up: everything that flags, the environment and the file say, read once and checked as a whole.
///
/// It holds no secret, only where secrets are.
struct ServiceConfiguration: Sendable, Hashable {
    /// Where the service listens.
    var listen: ListenAddress
    /// How browsers reach it: an origin, without a slash at its end.
    var publicURL: String
    /// Where the accounts are.
    var store: String
    /// The schema in PostgreSQL.
    var storeSchema: String?
    /// How many connections to PostgreSQL are open at once; nil where nobody says.
    var storeConnections: Int?
    /// The keys that close what the store keeps; nil for those beside the SQLite file.
    var secretsFile: String?
    /// The directory in which keys of providers are kept from one start to the next.
    var keysDirectory: String
    /// With what it speaks TLS; nil where it does not.
    var tls: TLSFiles?
    /// Proxies whose word is taken on where a request comes from.
    var trustedProxies: [IPNetwork]
    /// With whom people sign in.
    var providers: [ProviderSettings]
    /// Networks in which providers may be, though their addresses are not public.
    var allowedNetworks: [IPNetwork]
    /// Who vouches for providers; nil for whom the system trusts.
    var authoritiesFile: String?
    /// Hosts from which keys may come beside a provider's own.
    var keysHosts: Set<String>
    /// What can be asked for by name, beside the providers.
    var policies: [PolicySettings]
    /// The program that sends mail for passwords; nil where nobody has one.
    var mailCommand: [String]?
    /// Whether anybody may have a session without showing anything.
    var allowsGuests: Bool
    /// How many connections are open at once.
    var connections: Int
    /// The maximum number of open connections of one network; nil for the library's default, as below.
    var connectionsPerNetwork: Int?
    /// The time from the opening of a connection to the end of its first request head, in seconds.
    var headTimeout: Int?
    /// The time to receive the rest of a request, in seconds.
    var requestTimeout: Int?
    /// Where operators look; nil where nowhere.
    var admin: AdminSettings?
    /// What the file says of tweaks, `log.level` included.
    var tweaks: [String: String]

    /// Where somebody listens.
    enum ListenAddress: Sendable, Hashable {
        case host(String, port: Int)
        case unix(String)
    }

    /// Files of TLS.
    struct TLSFiles: Sendable, Hashable {
        var certificate: String
        var key: String
    }

    /// A provider.
    struct ProviderSettings: Sendable, Hashable {
        var name: String
        var kind: Kind
        var title: String
        var issuer: String?
        var clientID: String
        var secretFile: String?
        var audiences: [String]
        var allowsLoopbackHTTP: Bool
        /// Of which domains it is believed when it calls an address verified; nil for what its kind says.
        var emailDomains: Set<String>?
        /// How `auth_time` counts at a reauthentication; nil for what its kind says.
        var authenticationTime: Provider.Reauthentication.AuthenticationTime?

        enum Kind: String, Sendable, Hashable { case facebook, google, apple, openid }
    }

    /// What `POST /v1/verify` can be asked for.
    struct PolicySettings: Sendable, Hashable {
        var name: String
        var provider: String
        /// The accepted client IDs; nil for those of the provider.
        var audiences: [String]?
        var maximumAge: Duration?
        var nonce: VerificationPolicy.Nonce
    }

    /// The listener of operators.
    struct AdminSettings: Sendable, Hashable {
        var listen: ListenAddress
        var tokenFile: String?
        var hosts: [String]
    }
}

extension ServiceConfiguration {
    /// The proxies before the public listener, which is never a Unix socket.
    var proxies: TrustedProxies { TrustedProxies(trustedProxies, trustingUnixSocket: false) }

    /// The limits of the public listener's connections.
    var connectionLimits: ConnectionLimits {
        var limits = ConnectionLimits()
        if let headTimeout { limits.headTimeout = .seconds(headTimeout) }
        if let requestTimeout { limits.requestTimeout = .seconds(requestTimeout) }
        if let connectionsPerNetwork { limits.maximumPerNetwork = connectionsPerNetwork }
        limits.maximum = connections
        limits.trustedProxies = proxies
        return limits
    }
}

extension ServiceConfiguration.AdminSettings {
    /// By which hosts browsers may come: those that are named, and the one that is listened on.
    var allowedHosts: [String] {
        guard case .host(let host, _) = listen else { return hosts }
        return hosts + [host.contains(":") ? "[\(host)]" : host]
    }
}

extension ServiceConfiguration.ListenAddress {
    /// Reads `host:port`, `[address]:port` or `unix:path`; nil if it is none.
    init?(_ text: String) {
        if text.hasPrefix("unix:") {
            let path = String(text.dropFirst("unix:".count))
            // What the system takes for the address of a socket.
            guard path.hasPrefix("/"), path.utf8.count < 104, !path.utf8.contains(0) else { return nil }
            self = .unix(path)
            return
        }
        guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
            (0...65_535).contains(port), String(port) == text[text.index(after: colon)...]
        else { return nil }
        var host = String(text[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = String(host.dropFirst().dropLast())
            guard case .v6? = IPAddress(host) else { return nil }
        } else if host.contains(":") || host.isEmpty || host.contains("/") || host.contains(" ") {
            return nil
        }
        self = .host(host, port: port)
    }

    /// Whether nobody from elsewhere reaches it.
    var isOfThisMachine: Bool {
        switch self {
        case .unix: true
        case .host("localhost", _): true
        case .host(let host, _):
            switch IPAddress(host) {
            case .v4(let bits): bits >> 24 == 127
            case .v6(let bits): bits == 1
            case nil: false
            }
        }
    }
}
#endif
