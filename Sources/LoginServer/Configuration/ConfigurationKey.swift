// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import LimitedLogin
internal import LoginAccounts
internal import LoginHTTP
internal import LoginHummingbird
internal import LoginPages
internal import LoginProviders
internal import LoginTokens

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
        case list(String, empty: EmptyList)
        /// The path of a file that only its owner can read; a systemd credential can replace it.
        case secretFile
    }

    /// How a configuration states a list without elements.
    ///
    /// An empty text in a flag or a variable is an error for every list, because the variable may be unset: it must not
    /// remove a restriction.
    enum EmptyList: Sendable, Hashable {
        /// `[]` in the file, or the word `none` in any source: nothing is trusted, allowed or configured.
        case nothing
        /// Only this word, in any source: `[]` could mean everything as well as nothing, or removes a restriction.
        case word(String)
        /// Nothing does: at least one element is required.
        case refused

        /// The word; nil if there is none.
        var word: String? {
            switch self {
            case .nothing: "none"
            case .word(let word): word
            case .refused: nil
            }
        }
    }

    /// The dotted name; `<name>` is a placeholder for a provider, a policy or an API, `<permission>` for a permission, `<id>`
    /// for a tweak.
    package private(set) var name: String
    /// The type of its value.
    let kind: Kind
    /// The default, as written in a configuration; a description if it depends on other values.
    let defaultValue: String
    /// Whether a change in the file takes effect without a restart.
    let isReloadable: Bool
    /// The purpose, as one or more sentences.
    package let description: String

    init(
        _ name: String,
        _ kind: Kind,
        _ defaultValue: String = "",
        reloads: Bool = false,
        _ description: String
    ) {
        self.name = name
        self.kind = kind
        self.defaultValue = defaultValue
        isReloadable = reloads
        self.description = description
    }

    /// Creates a key of a Boolean value, which is `false` unless it is set.
    static func flag(_ name: String, _ description: String) -> Self {
        Self(name, .flag, "false", description)
    }

    private typealias Defaults = ServiceConfiguration.Defaults

    /// The library's limits of connections.
    private static let connectionLimits = ConnectionLimits()

    package static let listen = Self(
        "listen",
        .text("host:port"),
        Defaults.listen,
        "The address on which the service listens."
    )
    package static let publicURL = Self(
        "public-url",
        .text("URL"),
        "`http://localhost:<port>` if `listen` is a loopback address, `https` with TLS",
        "The origin under which browsers reach the service: scheme, host and port, without a path. Cookies, redirects and problem types depend on it."
    )
    package static let store = Self(
        "store",
        .text("file or postgresql: URL"),
        "`\(Defaults.storeFile)` in the state directory",
        "The location of the accounts. A database password belongs in a password file (`~/.pgpass`), never here."
    )
    static let storeSchema = Self(
        "store-schema",
        .text("name"),
        StoreLocation.defaultSchema,
        "The schema in PostgreSQL."
    )
    static let storeConnections = Self(
        "store-connections",
        .number(1...100),
        "\(Defaults.storeConnections)",
        "The maximum number of open connections to PostgreSQL. The sum of all instances must fit `max_connections`."
    )
    package static let secretsFile = Self(
        "secrets-file",
        .secretFile,
        "`\(Defaults.secretsFile)` beside the SQLite file, created with it",
        "The encryption keys of the store, one per line, newest first. A file that is named here must exist."
    )
    static let keysDirectory = Self(
        "keys-directory",
        .text("directory"),
        "`\(Defaults.keysDirectory)` in the state directory",
        "The directory for copies of provider keys, created if missing. A service that starts during an outage uses these copies."
    )
    static let certificate = Self(
        "tls.certificate-file",
        .text("file"),
        "",
        "The certificate chain in PEM, the service's own certificate first. Without it, the service uses plain HTTP, for a proxy on the same machine."
    )
    static let certificateKey = Self("tls.key-file", .secretFile, "", "The private key of the certificate, in PEM.")
    static let connections = Self(
        "connections",
        .number(1...1_000_000),
        "\(Defaults.connections)",
        "The maximum number of open connections; further ones wait. The process needs this many file descriptors and 200 more."
    )
    static let connectionsPerNetwork = Self(
        "connections-per-network",
        .number(1...1_000_000),
        "\(connectionLimits.maximumPerNetwork)",
        "The maximum number of open connections of one network (IPv4 /24, IPv6 /48); while more than half of `connections` are open, it is at most 10. Further connections are closed at once. Trusted proxies are exempt."
    )
    static let headTimeout = Self(
        "head-timeout",
        .number(1...3600),
        "\(connectionLimits.headTimeout.components.seconds)",
        "The seconds from the opening of a connection to the end of its first request head, including the TLS handshake."
    )
    static let requestTimeout = Self(
        "request-timeout",
        .number(1...3600),
        "\(connectionLimits.requestTimeout.components.seconds)",
        "The seconds to receive the rest of a request after its head. Time in which the service does not read does not count. Operations of the API read a body for at most 20 seconds in any case."
    )
    static let trustedProxies = Self(
        "trusted-proxies",
        .list("network", empty: .nothing),
        "",
        "The proxies whose forwarded client address is trusted, as addresses or networks (`10.0.0.0/8`). Networks that contain a large part of the internet are refused."
    )
    static let providers = Self(
        "providers",
        .list("name", empty: .nothing),
        "",
        "The identity providers, each configured as `provider.<name>`."
    )
    static let providerKind = Self(
        "provider.<name>.kind",
        .choice(["facebook", "google", "apple", "line", "microsoft", "openid"]),
        "the name if it is one of these, else `openid`",
        "The kind of the provider. Each kind except `openid` and `microsoft` can be used once."
    )
    static let providerTitle = Self(
        "provider.<name>.name",
        .text("text"),
        "`Facebook`, `Google`, `Apple`, `LINE` or `Microsoft` for these kinds, else the name",
        "The name of the provider on pages."
    )
    static let providerLogo = Self(
        "provider.<name>.logo-file",
        .text("file"),
        "",
        "The logo of the provider, which stands before its name on buttons, within 20 × 20 pixels: PNG, WebP or SVG, at most 64 KiB. The file is read at the start."
    )
    static let providerIssuer = Self(
        "provider.<name>.issuer",
        .text("URL"),
        "",
        "The issuer of a provider of the kind `openid`. Its endpoints come from its discovery document."
    )
    static let providerClientID = Self(
        "provider.<name>.client-id",
        .text("text"),
        "",
        "The client ID of the service at the provider."
    )
    static let providerSecret = Self(
        "provider.<name>.client-secret-file",
        .secretFile,
        "",
        "The client secret. For the kind `line`, the channel secret, which is required: ID tokens of logins in browsers are signed with it."
    )
    private static let secretAlgorithms = SharedSecret.Algorithm.allCases.map(\.rawValue)
    static let providerBrowserAlgorithm = Self(
        "provider.<name>.browser-algorithm",
        .choice(secretAlgorithms),
        "the provider's keys",
        "For a provider of the kind `openid` that signs the ID tokens of logins in browsers with the client secret (OpenID Connect Core §10.1): the algorithm. It requires `client-secret-file`, with at least 32, 48 or 64 bytes."
    )
    static let providerAppAlgorithm = Self(
        "provider.<name>.app-algorithm",
        .choice(secretAlgorithms),
        "the provider's keys",
        "The same for the ID tokens that clients send, to sign in or to `POST /v1/verify`. `audiences` must then be the client ID. A header never chooses between the secret and keys: for clients of both sorts, declare two providers."
    )
    static let providerAudiences = Self(
        "provider.<name>.audiences",
        .list("text", empty: .refused),
        "the client ID",
        "The accepted audiences of the provider's tokens: your client IDs at the provider, including those of your apps."
    )
    static let providerEmailDomains = Self(
        "provider.<name>.email-domains",
        .list("domain", empty: .word("none")),
        "Google's own domains for Google, `*` for Apple, none for other providers",
        "The domains for which the provider's `email_verified` claim is trusted; `*` for all, `none` for none."
    )
    static let providerAuthenticationTime = Self(
        "provider.<name>.auth-time",
        .choice(["required", "optional", "ignored"]),
        Provider.Reauthentication.openID.authenticationTime.rawValue,
        "For a provider of the kind `openid`: how `auth_time` is used in a reauthentication. `required`: the token must have a recent `auth_time`; for providers that support `max_age` as OpenID Connect requires. `optional`: if the token has no `auth_time`, the login must have started within the last five minutes. `ignored`: only the start of the login is used; for providers whose `auth_time` is always the start of their own session."
    )
    static let providerApps = Self(
        "provider.<name>.app-ids",
        .list("text", empty: .refused),
        "",
        "The IDs of your apps at Facebook. Logins in browsers use the first."
    )
    static let providerAppSecret = Self(
        "provider.<name>.app-secret-file",
        .secretFile,
        "",
        "The app secret of the first app. Required for sign-ins with access tokens, for Facebook's callbacks, and to revoke a single permission after a Limited Login."
    )
    /// The permissions of Limited Login, as the reference lists them.
    private static let limitedPermissions = Permission.limited.map { "`\($0.rawValue)`" }.sorted()
        .joined(separator: ", ")
    static let providerPermissions = Self(
        "provider.<name>.permissions",
        .list("permission", empty: .refused),
        Defaults.permission.rawValue,
        "For the kind `facebook`: the permissions that logins request, by Facebook's names: in browsers, and in apps that use the configuration of their attempt. Without tracking, only those of Limited Login are allowed: \(limitedPermissions)."
    )
    static let providerReason = Self(
        "provider.<name>.reason.<permission>",
        .text("sentence"),
        "",
        "For the kind `facebook`: why the service needs one of `provider.<name>.permissions`. The page of the user's permissions shows it beside the permission, as it is written here, in every language."
    )
    static let providerTracking = Self(
        "provider.<name>.tracking",
        .choice(["limited", "enabled"]),
        Defaults.tracking.rawValue,
        "For the kind `facebook`: whether Facebook may use these logins for advertising. `limited`: Limited Login, without tracking; browsers must allow the script of one page. `enabled`: the classic login, with tracking."
    )
    static let providerGraphVersion = Self(
        "provider.<name>.graph-version",
        .text("version"),
        FacebookApp.defaultGraphVersion,
        "For the kind `facebook`: the version of Facebook's dialogs and Graph API. Facebook serves a version until two years after the release of the next version. From 90 days before the day that this release knows, the log has a warning at the start of the service."
    )
    static let providerLoopback = flag(
        "provider.<name>.allow-loopback-http",
        "Whether a provider on this machine can be used over `http`, for development."
    )
    static let policies = Self(
        "policies",
        .list("name", empty: .nothing),
        "",
        "The policies for `POST /v1/verify`, each configured as `policy.<name>`. Each provider also has a policy with its name."
    )
    static let policyProvider = Self(
        "policy.<name>.provider",
        .text("name"),
        "",
        "The provider whose tokens are verified."
    )
    static let policyAudiences = Self(
        "policy.<name>.audiences",
        .list("text", empty: .refused),
        "the provider's",
        "The accepted audiences of the tokens."
    )
    static let policyAge = Self(
        "policy.<name>.max-age",
        .number(1...31_536_000),
        "no limit",
        "The maximum number of seconds since a token was issued. Its expiry is checked in any case."
    )
    static let policyNonce = Self(
        "policy.<name>.nonce",
        .choice(["required", "absent", "unchecked"]),
        Defaults.nonce.rawValue,
        "The check of the nonce. `required`: the request must contain the expected nonce. `absent`: the token must have none. `unchecked`: the nonce is ignored."
    )
    static let passwords = flag(
        "passwords",
        "Whether users can sign in with an e-mail address and a password; requires `mail.command`."
    )
    static let guests = flag(
        "guests",
        "Whether visitors can get a guest session without signing in. `X-Auth-Anonymous` marks guests for applications behind a proxy."
    )
    static let storesProfiles = flag(
        "store-profiles",
        "Whether the claims and permissions that a provider reported at the latest sign-in are stored with each login, encrypted, as part of the user's personal data; at Facebook, also the claims of earlier sign-ins that the latest did not request. After a change to `false`, they are deleted at the next sign-in with the login."
    )
    static let pagesName = Self(
        "pages.name",
        .text("name"),
        "`Sign-in`, in the language of the page",
        "The name of the service, in the header and the title of each page, and in the authenticator apps of its users."
    )
    static let pagesLogo = Self(
        "pages.logo-file",
        .text("file"),
        "",
        "The logo of the service, which the pages show in place of its name, within 160 × 40 pixels: PNG, WebP or SVG, at most 64 KiB. The file is read at the start."
    )
    static let pagesSupport = Self(
        "pages.support",
        .text("URL"),
        "",
        "The address for users who need help, which error pages link to: a URL with `https` or `mailto`, for example `mailto:help@example.com`."
    )
    static let pagesLanguages = Self(
        "pages.languages",
        .list("`en`, `de`, `es`, `id` or `ko`", empty: .word("*")),
        "all of them",
        "The languages of the pages. The first is the default, for browsers that prefer none of them."
    )
    static let mailCommand = Self(
        "mail.command",
        .list("word", empty: .refused),
        "",
        "The program that sends mail, with its arguments. It reads each message from standard input, like sendmail. In `To`, the domain of an address is in ASCII form; an address whose local part is in another script needs mail servers with SMTPUTF8 (RFC 6531)."
    )
    static let phoneSignIn = flag(
        "phone-sign-in",
        "Whether a code sent to a phone is sufficient to sign in; requires `sms.command`. A number can get another owner, so offer another way too."
    )
    static let smsCommand = Self(
        "sms.command",
        .list("word", empty: .refused),
        "",
        "The program that sends codes to phones, with its arguments; it makes phones second factors. It reads each message from standard input: `To: ` with the number, an empty line, and the text."
    )
    static let smsPerHour = Self(
        "sms.per-hour",
        .number(1...1_000_000),
        "\(FactorPolicy().sendsPerHour)",
        "The maximum number of codes in an hour to all phones together; codes for confirmed second factors are counted separately, with the same limit. It bounds the cost of toll fraud."
    )
    static let smsCountries = Self(
        "sms.countries",
        .list("`+` and digits", empty: .word("*")),
        "*",
        "The calling codes of the countries to whose numbers codes are sent, such as `+49`; second factors that are confirmed already get codes in any case. A longer prefix of numbers is possible too."
    )
    package static let adminListen = Self(
        "admin.listen",
        .text("unix:path or host:port"),
        "",
        "The address of the metrics and the admin page: a Unix socket or a loopback address. Without it, neither is served."
    )
    package static let adminToken = Self(
        "admin.token-file",
        .secretFile,
        "",
        "The token of operators, at least 32 printable ASCII characters without spaces. It is required unless `admin.listen` is a Unix socket, where it is checked if it is set."
    )
    static let adminHosts = Self(
        "admin.hosts",
        .list("host", empty: .nothing),
        "",
        "Further host names of the admin page, besides `localhost`, `127.0.0.1`, `[::1]` and the host in `admin.listen`. They require `admin.listen`."
    )
    package static let logLevel = Self(
        "log-level",
        .choice(ServiceTweaks.logLevels),
        ServiceTweaks.defaultLogLevel,
        reloads: true,
        "The minimum level of log messages. It is an alias of `tweaks.log.level`, which takes precedence if one source sets both."
    )
    static let tweaks = Self(
        "tweaks.<id>",
        .text("value"),
        "",
        reloads: true,
        "The value of a tweak unless an operator has set another; see below."
    )

    /// All keys, in the order of the reference.
    static let all: [Self] = service + providerKeys + policyKeys + apiKeys + userKeys

    private static let service = [
        listen, publicURL, store, storeSchema, storeConnections, secretsFile, keysDirectory, certificate,
        certificateKey, connections, connectionsPerNetwork, headTimeout, requestTimeout, headerFieldBytes,
        trustedProxies,
    ]

    private static let providerKeys =
        [
            providers, providerKind, providerTitle, providerLogo, providerIssuer, providerClientID, providerSecret,
            providerBrowserAlgorithm, providerAppAlgorithm, providerAudiences,
            providerEmailDomains,
            providerAuthenticationTime,
            providerApps, providerAppSecret, providerPermissions, providerReason, providerTracking,
            providerGraphVersion, providerTokenBytes, providerHeaderBytes,
            providerLoopback,
        ] + clients + protection + DocumentKeys.provider.all + requests

    private static let policyKeys = [policies, policyProvider, policyAudiences, policyAge, policyNonce]

    private static let apiKeys =
        [
            apis, apiIssuer, apiPreset, apiMark, apiClientClaim, apiScopeClaim,
            apiIntrospection, apiIntrospectionClient, apiIntrospectionSecret, apiIntrospectionOptional,
            apiIntrospectionSubject, apiIntrospectionCache, apiIntrospectionSigned, apiAudiences, apiResource,
            apiOrigins,
            apiScopes,
            apiClients,
            apiValues, apiAlgorithms, apiSecret, apiSecretEncoding, apiAge, apiTokenBytes, apiHeaderBytes, apiProofs,
            apiProofAge, apiProofLeeway, apiCertificates, apiLoopback,
        ] + DocumentKeys.api.all + [proofNonces]

    private static let userKeys = [
        passwords, guests, storesProfiles,
        pagesName, pagesLogo, pagesSupport, pagesLanguages, mailCommand, phoneSignIn, smsCommand, smsPerHour,
        smsCountries,
        adminListen, adminToken, adminHosts, logLevel, tweaks,
    ]
}

extension ConfigurationKey {
    /// Returns the key of one provider, policy, API, permission or tweak, whose name replaces the first placeholder.
    func of(_ part: String) -> Self {
        var key = self
        key.name.replace(/<[a-z]+>/, with: part, maxReplacements: 1)
        return key
    }

    /// Returns the name of the environment variable for a key.
    static func variable(_ name: String) -> String {
        "VERIFY_TOKEN_" + name.uppercased().map { $0.isLetter || $0.isNumber ? String($0) : "_" }.joined()
    }

    /// Returns whether a name in a configuration matches this key.
    func matches(_ written: String) -> Bool {
        let (parts, words) = (
            name.split(separator: "."), written.split(separator: ".", omittingEmptySubsequences: false)
        )
        // IDs of tweaks have dots; names of providers, policies, APIs and permissions have none.
        guard words.count == parts.count || (words.count > parts.count && parts.last == "<id>") else { return false }
        return zip(parts, words).allSatisfy { part, word in part.hasPrefix("<") ? !word.isEmpty : part == word }
    }

    /// Returns whether an environment variable matches this key.
    func matches(variable: String) -> Bool {
        let words = (Self.variable("") + name.uppercased())
            .split(omittingEmptySubsequences: false) { "._-".contains($0) }
        return Self.matches(words[...], variable.split(separator: "_", omittingEmptySubsequences: false)[...])
    }

    /// Returns whether words are those of a key, in which a placeholder stands for one or more words.
    private static func matches(_ key: ArraySlice<Substring>, _ words: ArraySlice<Substring>) -> Bool {
        guard let first = key.first, let word = words.first else { return key.isEmpty && words.isEmpty }
        let rest = key.dropFirst()
        guard first.hasPrefix("<") else { return first == word && matches(rest, words.dropFirst()) }
        return !word.isEmpty && (1...words.count).contains { matches(rest, words.dropFirst($0)) }
    }
}
#endif
