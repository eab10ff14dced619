// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import Foundation
internal import LimitedLogin
internal import LoginAccounts
internal import LoginHTTP
internal import LoginHummingbird
internal import LoginKeys
internal import LoginProviders
internal import LoginTokens

/// The validated configuration of the service, from flags, the environment and the file.
///
/// It contains the paths of secrets, but no secrets.
struct ServiceConfiguration: Sendable, Hashable {
    /// The address of the public listener.
    var listen: ListenAddress
    /// The origin under which browsers reach the service, without a trailing slash.
    var publicURL: String
    /// The location of the account store: a path or a connection string.
    var store: String
    /// The schema in PostgreSQL.
    var storeSchema: String?
    /// The maximum number of connections to PostgreSQL; nil for the default.
    var storeConnections: Int?
    /// The path of the store's encryption keys; nil for the file beside the SQLite file.
    var secretsFile: String?
    /// The paths of all secret files that are configured, by the names of their keys.
    var secretFiles: [String: String]
    /// The directory of the persistent provider key cache.
    var keysDirectory: String
    /// The certificate and key for TLS; nil for plain HTTP.
    var tls: TLSFiles?
    /// The proxies whose forwarded client address is trusted.
    var trustedProxies: [IPNetwork]
    /// The identity providers.
    var providers: [ProviderSettings]
    /// The non-public networks in which providers are allowed.
    var allowedNetworks: [IPNetwork]
    /// The hosts at which providers are reached over `http` too, in a private network.
    var cleartextHosts: Set<String>
    /// The outgoing proxy; nil for none.
    var proxy: ProxySettings?
    /// The path of the trusted root certificates for providers; nil for the system's.
    var authoritiesFile: String?
    /// The hosts that may serve provider keys, besides the issuer's own.
    var keysHosts: Set<String>
    /// The limits of the key sets of providers and issuers.
    var keySetLimits: KeySetLimits
    /// The named verification policies, besides those of the providers.
    var policies: [PolicySettings]
    /// The APIs whose access tokens are verified.
    var apis: [APISettings]
    /// Whether DPoP proofs for the APIs need a nonce of the service.
    var requiresProofNonces: Bool
    /// The program that sends mail, with its arguments; nil if sign-in with passwords is off.
    var mailCommand: [String]?
    /// The program that sends codes to phones, with its arguments; nil for no phones.
    var smsCommand: [String]?
    /// The maximum number of codes to phones in an hour; nil for the library's default.
    var smsPerHour: Int?
    /// The prefixes of the numbers to which codes are sent; empty for all numbers.
    var smsCountries: [String]
    /// Whether a code sent to a phone is sufficient to sign in.
    var allowsPhoneSignIn: Bool
    /// Whether guests get a session without signing in.
    var allowsGuests: Bool
    /// Whether the claims and permissions that a provider has reported are stored with each login.
    var storesProfiles: Bool
    /// The name of the service on the pages; nil for the default.
    var pagesName: String?
    /// The path of the service's logo on the pages; nil if there is none.
    var pagesLogoFile: String?
    /// The address for users who need help, on error pages; nil if there is none.
    var pagesSupport: String?
    /// The tags of the languages of the pages, the default first; empty for all.
    var pagesLanguages: [String]
    /// The maximum number of open connections.
    var connections: Int
    /// The maximum number of open connections of one network; nil for the library's default.
    var connectionsPerNetwork: Int?
    /// The time from the opening of a connection to the end of its first request head, in seconds; nil for the
    /// library's default.
    var headTimeout: Int?
    /// The time to receive the rest of a request, in seconds; nil for the library's default.
    var requestTimeout: Int?
    /// The maximum size of a header field, in bytes.
    var headerFieldBytes: Int
    /// The admin listener; nil if there is none.
    var admin: AdminSettings?
    /// The configured values of tweaks by ID, including `log.level`.
    var tweaks: [String: String]

    /// The defaults of the service.
    ///
    /// Limits of the libraries and tweaks have their defaults where they are declared.
    enum Defaults {
        static let listen = "127.0.0.1:8080"
        /// The SQLite file, in the state directory.
        static let storeFile = "accounts.sqlite"
        static let storeConnections = 8
        /// The file of encryption keys, beside the SQLite file.
        static let secretsFile = "accounts.keys"
        /// The directory of provider keys, in the state directory.
        static let keysDirectory = "keys"
        static let connections = 800
        static let permission = Permission.email
        static let tracking = LoginTracking.limited
        static let nonce = VerificationPolicy.Nonce.required
        static let proofs = APISettings.Proofs.off
        static let certificates = APISettings.Certificates.off

        /// The size of a header field with a token of the maximum size.
        static func fieldBytes(for limits: TokenLimits) -> Int { limits.tokenBytes + 1024 }
    }

    /// The address of a listener.
    enum ListenAddress: Sendable, Hashable {
        case host(String, port: Int)
        case unix(String)
    }

    /// The paths of the certificate chain and the private key, in PEM.
    struct TLSFiles: Sendable, Hashable {
        var certificate: String
        var key: String
    }

    /// The settings of an identity provider.
    struct ProviderSettings: Sendable, Hashable {
        var name: String
        var kind: Kind
        /// The name on pages; nil for the default of its kind.
        var title: String?
        /// The path of the logo on pages; nil if there is none.
        var logoFile: String?
        var issuer: String?
        /// The configured places of its documents.
        var documents: DocumentSettings
        var clientID: String
        var secretFile: String?
        var audiences: [String]
        var allowsLoopbackHTTP: Bool
        /// The domains for which the provider's `email_verified` is trusted; nil for the default of its kind.
        var emailDomains: Set<String>?
        /// The permissions that logins at Facebook request; empty for other kinds.
        var permissions: Set<Permission>
        /// The reasons for permissions, which the pages show.
        var permissionReasons: [Permission: String]
        /// Whether Facebook may use logins for advertising.
        var tracking: LoginTracking
        /// The version of Facebook's dialogs and Graph API.
        var graphVersion: String
        /// The use of `auth_time` in a reauthentication; nil for the default of its kind.
        var authenticationTime: Provider.Reauthentication.AuthenticationTime?
        /// The protection of logins, and the use of the UserInfo endpoint.
        var protection: ProtectionSettings
        /// The maximum sizes of ID tokens.
        var limits: TokenLimits
        /// The client registration, and the tokens for it.
        var client: ClientSettings

        /// The algorithm of the client secret, with which ID tokens of browser logins are signed; nil for keys.
        var browserAlgorithm: SharedSecret.Algorithm?
        /// The algorithm of the client secret, with which ID tokens of apps are signed; nil for keys.
        var appAlgorithm: SharedSecret.Algorithm?

        enum Kind: String, Sendable, Hashable { case facebook, google, apple, line, microsoft, openid }
    }

    /// The settings of a verification policy for `POST /v1/verify`.
    struct PolicySettings: Sendable, Hashable {
        var name: String
        var provider: String
        /// The accepted client IDs; nil for those of the provider.
        var audiences: [String]?
        var maximumAge: Duration?
        var nonce: VerificationPolicy.Nonce
    }

    /// The settings of the outgoing proxy.
    struct ProxySettings: Sendable, Hashable {
        var url: String
        /// The path of the credentials; nil for none.
        var credentialsFile: String?
        /// The hosts and networks that are reached without the proxy.
        var exceptions: [String]
    }

    /// The settings of the admin listener.
    struct AdminSettings: Sendable, Hashable {
        var listen: ListenAddress
        var tokenFile: String?
        var hosts: [String]
    }
}

extension ServiceConfiguration {
    /// The names of the providers that operators can switch off, and of sign-in by phone, if it is configured.
    var switches: [String] { providers.map(\.name) + (allowsPhoneSignIn ? [ProviderID.phone.rawValue] : []) }

    /// The trusted proxies of the public listener, which is never a Unix socket.
    var proxies: TrustedProxies { TrustedProxies(trustedProxies, trustingUnixSocket: false) }

    /// The connection limits of the public listener.
    var connectionLimits: ConnectionLimits {
        var limits = ConnectionLimits()
        if let headTimeout { limits.headTimeout = .seconds(headTimeout) }
        if let requestTimeout { limits.requestTimeout = .seconds(requestTimeout) }
        if let connectionsPerNetwork { limits.maximumPerNetwork = connectionsPerNetwork }
        limits.headerFieldBytes = headerFieldBytes
        limits.maximum = connections
        limits.trustedProxies = proxies
        return limits
    }
}

extension ServiceConfiguration.AdminSettings {
    /// The accepted values of the `Host` header: the configured hosts, and the host of the listener.
    var allowedHosts: [String] {
        guard case .host(let host, _) = listen else { return hosts }
        return hosts + [host.contains(":") ? "[\(host)]" : host]
    }
}

extension ServiceConfiguration.ListenAddress {
    /// Creates an address from `host:port`, `[address]:port` or `unix:path`; nil if the text is invalid.
    init?(_ text: String) {
        if text.hasPrefix("unix:") {
            let path = String(text.dropFirst("unix:".count))
            // The system limits the length of a socket path.
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

    /// Whether the address is reachable from this machine only.
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
