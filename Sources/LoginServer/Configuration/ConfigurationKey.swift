// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
/// A key of the configuration: its name, type, default and description.
///
/// The service reads its configuration with these keys, and the reference in the documentation is generated from them.
package struct ConfigurationKey: Sendable {
    /// The type of a value.
    enum Kind: Sendable, Hashable {
        /// A single string, with a description of its format.
        case text(String)
        /// `true` or `false`.
        case flag
        /// An integer in a range.
        case number(ClosedRange<Int>)
        /// One of several fixed strings.
        case choice([String])
        /// Several strings, with a description of their format: a list in YAML, separated by commas elsewhere.
        case list(String)
        /// The path of a file that only its owner can read; a systemd credential can replace it.
        case secretFile
    }

    /// The dotted name; `<name>` is a placeholder for a provider or a policy, `<id>` for a tweak.
    package let name: String
    /// The type of its value.
    let kind: Kind
    /// The default; a description if it depends on other values.
    let standard: String
    /// Whether a change in the file takes effect without a restart.
    let isReloadable: Bool
    /// The purpose, as one or more sentences.
    package let description: String

    private init(
        _ name: String,
        _ kind: Kind,
        _ standard: String = "",
        reloads: Bool = false,
        _ description: String
    ) {
        self.name = name
        self.kind = kind
        self.standard = standard
        isReloadable = reloads
        self.description = description
    }

    package static let listen = Self("listen", .text("host:port"), "127.0.0.1:8080", "Where the service listens.")
    package static let publicURL = Self(
        "public-url",
        .text("URL"),
        "`http://localhost:<port>` where it listens on this machine only, `https` with TLS",
        "How browsers reach it: scheme, host and port, and nothing behind them. Cookies, redirects and problems are made from it."
    )
    package static let store = Self(
        "store",
        .text("file or postgresql: URL"),
        "`accounts.sqlite` in the state directory",
        "Where the accounts are. The password of a database stands in its own file (`~/.pgpass`), never here."
    )
    static let storeSchema = Self("store-schema", .text("name"), "public", "The schema in PostgreSQL.")
    static let storeConnections = Self(
        "store-connections",
        .number(1...100),
        "8",
        "How many connections to PostgreSQL the service has open at most; those of all instances must fit `max_connections`."
    )
    package static let secretsFile = Self(
        "secrets-file",
        .secretFile,
        "`accounts.keys` beside the SQLite file, made before it",
        "The keys that close what the store keeps, one a line, the newest first. A file that is named here must be there."
    )
    static let keysDirectory = Self(
        "keys-directory",
        .text("directory"),
        "`keys` in the state directory",
        "Where keys of providers are kept from one start to the next, so that a start during an outage begins with them; it is made."
    )
    static let certificate = Self(
        "tls.certificate-file",
        .text("file"),
        "",
        "The certificates in PEM, the service's own first. Without it the service speaks HTTP, for a proxy on this machine."
    )
    static let certificateKey = Self("tls.key-file", .secretFile, "", "The private key of the certificate, in PEM.")
    static let connections = Self(
        "connections",
        .number(1...1_000_000),
        "800",
        "How many connections are open at once; further ones wait. The process needs as many file descriptors, and two hundred besides."
    )
    static let connectionsPerNetwork = Self(
        "connections-per-network",
        .number(1...1_000_000),
        "100",
        "The maximum number of open connections of one network (IPv4 /24, IPv6 /48), and ten while more than half of `connections` are open; further ones are closed at once. Trusted proxies are exempt."
    )
    static let headTimeout = Self(
        "head-timeout",
        .number(1...3600),
        "10",
        "The seconds from the opening of a connection to the end of its first request head, TLS handshake included."
    )
    static let requestTimeout = Self(
        "request-timeout",
        .number(1...3600),
        "30",
        "The seconds to receive the rest of a request after its head. Time in which the service does not read does not count. Its own operations read a body for at most 20 seconds in any case."
    )
    static let trustedProxies = Self(
        "trusted-proxies",
        .list("network"),
        "",
        "Proxies whose word is taken on where a request comes from, as addresses or networks (`10.0.0.0/8`)."
    )
    static let providers = Self("providers", .list("name"), "", "With whom people sign in, each as `provider.<name>`.")
    static let providerKind = Self(
        "provider.<name>.kind",
        .choice(["facebook", "google", "apple", "openid"]),
        "the name where it is one of these, else `openid`",
        "What is particular about the provider. Of each kind but `openid` there is one."
    )
    static let providerTitle = Self("provider.<name>.name", .text("text"), "the name", "How pages call the provider.")
    static let providerIssuer = Self(
        "provider.<name>.issuer",
        .text("URL"),
        "",
        "The issuer of a provider of the kind `openid`; its addresses are discovered from it."
    )
    static let providerClientID = Self(
        "provider.<name>.client-id",
        .text("text"),
        "",
        "As whom the service is registered at the provider."
    )
    static let providerSecret = Self(
        "provider.<name>.client-secret-file",
        .secretFile,
        "",
        "The secret of that registration."
    )
    static let providerAudiences = Self(
        "provider.<name>.audiences",
        .list("text"),
        "the client ID",
        "For whom the provider's tokens may be: your client IDs there, those of your apps too."
    )
    static let providerEmailDomains = Self(
        "provider.<name>.email-domains",
        .list("domain"),
        "",
        "Of which domains it is believed when it calls an address verified; `*` for all. Unset, Google is for its own domains, Apple for all, others for none."
    )
    static let providerAuthenticationTime = Self(
        "provider.<name>.auth-time",
        .choice(["required", "optional", "ignored"]),
        "`optional`",
        "For a provider of the kind `openid`: how `auth_time` counts when a person confirms who they are. `required`: the token must have a recent one; for providers that answer `max_age` as OpenID Connect demands. `optional`: where the token has none, a login begun within five minutes counts. `ignored`: only the latter counts; for providers that always name the beginning of their own session."
    )
    static let providerApps = Self(
        "provider.<name>.app-ids",
        .list("text"),
        "",
        "Your apps at Facebook; logins in browsers are of the first."
    )
    static let providerAppSecret = Self("provider.<name>.app-secret-file", .secretFile, "", "The secret of that app.")
    static let providerLoopback = Self(
        "provider.<name>.allow-loopback-http",
        .flag,
        "false",
        "Whether a provider on this machine may be asked by `http`: for development."
    )
    static let networks = Self(
        "allow-networks",
        .list("network"),
        "",
        "Networks in which providers may be asked by `https`, though their addresses are not public (`10.0.0.0/8`)."
    )
    static let authorities = Self(
        "ca-file",
        .text("file"),
        "those that the system trusts",
        "Authorities in PEM that vouch for providers, in place of the system's."
    )
    static let keysHosts = Self(
        "keys-hosts",
        .list("host"),
        "",
        "Hosts from which keys of a provider may come beside its own, where its discovery document names them."
    )
    static let policies = Self(
        "policies",
        .list("name"),
        "",
        "What `POST /v1/verify` can be asked for, each as `policy.<name>`, beside each provider under its own name."
    )
    static let policyProvider = Self("policy.<name>.provider", .text("name"), "", "Whose tokens are verified.")
    static let policyAudiences = Self(
        "policy.<name>.audiences",
        .list("text"),
        "the provider's",
        "For whom the tokens may be."
    )
    static let policyAge = Self(
        "policy.<name>.max-age",
        .number(1...31_536_000),
        "",
        "How many seconds ago a token may have been issued; unset for as long as it has not expired."
    )
    static let policyNonce = Self(
        "policy.<name>.nonce",
        .choice(["required", "absent", "unchecked"]),
        "required",
        "Whether a request must say what the nonce is, tokens must have none, or nobody asks."
    )
    static let passwords = Self(
        "passwords",
        .flag,
        "false",
        "Whether people may sign in with an e-mail address and a password; needs `mail.command`."
    )
    static let guests = Self(
        "guests",
        .flag,
        "false",
        "Whether anybody may have a session without showing anything; `X-Auth-Anonymous` tells applications behind a proxy."
    )
    static let mailCommand = Self(
        "mail.command",
        .list("word"),
        "",
        "A program and its arguments; it gets each mail on its standard input, as sendmail does."
    )
    package static let adminListen = Self(
        "admin.listen",
        .text("unix:path or host:port"),
        "",
        "Where metrics and the page for operators are: a Unix socket, or an address of this machine. Unset for nowhere."
    )
    package static let adminToken = Self(
        "admin.token-file",
        .secretFile,
        "",
        "What an operator shows, 32 characters at least; needed where `admin.listen` is an address."
    )
    static let adminHosts = Self(
        "admin.hosts",
        .list("host"),
        "",
        "Names by which browsers may reach that page, beside `localhost` and the addresses of this machine."
    )
    package static let logLevel = Self(
        "log-level",
        .choice(["trace", "debug", "info", "notice", "warning", "error", "critical"]),
        "info",
        reloads: true,
        "From which level on is logged. It says the same as `tweaks.log.level`, which counts where both are said in one place."
    )
    static let tweaks = Self(
        "tweaks.<id>",
        .text("value"),
        "",
        reloads: true,
        "The value of a tweak where no operator has set another; see below."
    )

    /// All keys, in the order of the reference.
    static let all: [Self] = [
        listen, publicURL, store, storeSchema, storeConnections, secretsFile, keysDirectory, certificate,
        certificateKey, connections, connectionsPerNetwork, headTimeout, requestTimeout, trustedProxies,
        providers, providerKind, providerTitle, providerIssuer, providerClientID, providerSecret, providerAudiences,
        providerEmailDomains,
        providerAuthenticationTime,
        providerApps, providerAppSecret, providerLoopback, networks, authorities, keysHosts,
        policies, policyProvider, policyAudiences, policyAge, policyNonce, passwords, guests, mailCommand,
        adminListen, adminToken, adminHosts, logLevel, tweaks,
    ]
}

extension ConfigurationKey {
    /// Returns the name, with the placeholder replaced.
    func name(_ part: String? = nil) -> String {
        part.map { name.replacing("<name>", with: $0).replacing("<id>", with: $0) } ?? name
    }

    /// Returns the name of the environment variable for a key.
    static func variable(_ name: String) -> String {
        "VERIFY_TOKEN_" + name.uppercased().map { $0.isLetter || $0.isNumber ? String($0) : "_" }.joined()
    }

    /// Returns whether a name in a configuration matches this key.
    func matches(_ written: String) -> Bool {
        guard let open = name.firstIndex(of: "<"), let close = name.firstIndex(of: ">") else {
            return written == name
        }
        let (prefix, suffix) = (name[..<open], name[name.index(after: close)...])
        guard written.hasPrefix(prefix), written.hasSuffix(suffix),
            written.utf8.count > prefix.utf8.count + suffix.utf8.count
        else { return false }
        // Names of providers and policies have no dots; IDs of tweaks do.
        return suffix.isEmpty || !written.dropFirst(prefix.count).dropLast(suffix.count).contains(".")
    }
}
#endif
