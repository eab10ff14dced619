// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
import Configuration
import Foundation
import HTTPTypes
import Logging
import LoginAccounts
import LoginHTTP
import LoginProviders
import LoginTesting
import LoginTokens
import Testing

@testable import LoginServer

/// The APIs that a configuration declares.
@Suite struct ConfiguredAPITests {
    private static let orders = """
        apis: [orders]
        api:
          orders:
            preset: keycloak:https://login.example.com/realms/main
            audiences: [orders]
            resource: https://api.example.com

        """

    private static func configuration(_ yaml: String) throws -> ServiceConfiguration {
        let file = try ServiceFile(Array(yaml.utf8))
        return try ConfigurationFileReader(flags: [:], environment: ["HOME": "/h"]).configuration(file)
    }

    private static func api(_ yaml: String) throws -> ServiceConfiguration.APISettings {
        try #require(try configuration(yaml).apis.first)
    }

    @Test func `an API has the issuer of its preset, under its own name, and the defaults`() throws {
        let api = try Self.api(Self.orders)
        var expected = AccessTokenIssuer.keycloak(issuer: "https://login.example.com/realms/main")
        #expect(api.issuer.provider.name == "orders")
        expected.provider = api.issuer.provider
        #expect(api.issuer == expected && api.issuer.provider.issuers == ["https://login.example.com/realms/main"])
        #expect(api.name == "orders" && api.audiences == ["orders"] && api.resource == "https://api.example.com")
        #expect(api.scopes.isEmpty && api.clients.isEmpty && api.maximumAge == nil && api.proofs == .off)
        #expect(api.certificates == .off && api.certificates.field == nil)
    }

    @Test func `an API allows no origins unless they are listed, exactly as browsers send them`() throws {
        #expect(try Self.api(Self.orders).origins == .none)
        #expect(try Self.api(Self.orders + "    origins: [none]\n").origins == .none)
        let listed = try Self.api(Self.orders + "    origins: [https://app.example.com, http://localhost:3000]\n")
        #expect(listed.origins.all == ["https://app.example.com", "http://localhost:3000"])
        let parts = APIParts(keys: KeySnapshot([]), ledger: InMemoryDPoPLedger(capacity: 1))
        #expect(try listed.protectedResource(parts).allowedOrigins == listed.origins)
        for wrong in [#"["*"]"#, #"["null"]"#, "[https://app.example.com/]", "[http://app.example.com]"] {
            let fault = #expect(throws: ConfigurationFault.self) {
                try Self.api(Self.orders + "    origins: \(wrong)\n")
            }
            #expect(fault?.description.contains("api.orders.origins") == true, "\(wrong)")
        }
    }

    @Test func `all settings of an API are read`() throws {
        let api = try Self.api(
            """
            apis: [orders]
            api:
              orders:
                issuer: http://127.0.0.1:9400
                allow-loopback-http: true
                audiences: [orders, old-orders]
                resource: https://example.com/orders
                scopes: [orders]
                clients: [app]
                required-values: ["tenant=a=b", tenant=c]
                algorithms: [ES256, RS256]
                max-age: 600
                dpop: required
            """
        )
        #expect(api.issuer.provider.issuers == ["http://127.0.0.1:9400"] && api.issuer.types == ["at+jwt"])
        #expect(api.audiences == ["orders", "old-orders"] && api.scopes == ["orders"] && api.clients == ["app"])
        #expect(api.maximumAge == .seconds(600))
        let resource = try api.protectedResource(APIParts(keys: KeySnapshot([]), ledger: InMemoryDPoPLedger()))
        #expect(resource.identifier == "https://example.com/orders")
        #expect(resource.dpop?.policy.requiresBoundTokens == true)
        #expect(resource.verifier.requirements.requiredScopes == ["orders"])
        #expect(resource.verifier.requirements.maximumAge == .seconds(600))
        #expect(resource.verifier.requirements.requiredValues == ["tenant": ["a=b", "c"]])
        #expect(resource.verifier.requirements.algorithms == [.es256, .rs256])
    }

    @Test func `jwt.mark describes an issuer whose tokens do not follow RFC 9068`() throws {
        let api = try Self.api(
            Self.incomplete
                + "issuer: https://as.example\n    audiences: [orders]\n    resource: https://api.example.com\n"
                + "    jwt: { mark: token_use=access, client-claim: none, scope-claim: scp }\n"
        )
        var expected = try AccessTokenIssuer.jwt(
            issuers: ["https://as.example"],
            mark: .value(claim: "token_use", ["access"]),
            clientClaim: nil,
            scopeClaim: "scp"
        )
        expected.provider = api.issuer.provider
        #expect(api.issuer == expected)
    }

    private static let introspected = """
        apis: [orders]
        api:
          orders:
            issuer: https://login.example.com
            audiences: [orders]
            resource: https://api.example.com
            introspection:
              endpoint: https://login.example.com/introspect
              client-id: orders-api
              client-secret-file: /etc/verify-token/orders

        """

    @Test func `an introspection endpoint judges the tokens of an API, and needs no keys`() throws {
        let api = try Self.api(Self.introspected)
        let settings = try #require(api.introspection)
        #expect(settings.endpoint.description == "https://login.example.com/introspect")
        #expect(settings.clientID == "orders-api" && settings.secretFile == "/etc/verify-token/orders")
        #expect(settings.optionalMembers.isEmpty && settings.subjectMembers == ["sub"])
        #expect(settings.cacheLifetime == .seconds(60) && !settings.isSigned)
        let parts = APIParts(keys: KeySnapshot([]), secret: .client("s"), ledger: InMemoryDPoPLedger())
        #expect(try api.protectedResource(parts).verifier is TokenIntrospector)
        #expect(try Self.configuration(Self.introspected).keyProviders(beside: []).isEmpty)
    }

    @Test func `an introspection endpoint is reached over http only at a host that is named for it`() throws {
        let yaml = Self.introspected.replacing("https://login.example.com/i", with: "http://keycloak:8080/i")
        #expect(throws: (any Error).self) { try Self.api(yaml) }
        #expect(throws: (any Error).self) { try Self.api("cleartext-hosts: [other]\n" + yaml) }
        #expect(throws: (any Error).self) { try Self.api(yaml + "    allow-loopback-http: true\n") }
        let named = try Self.api("cleartext-hosts: [keycloak]\n" + yaml)
        #expect(named.introspection?.endpoint.description == "http://keycloak:8080/introspect")
    }

    @Test func `an introspection endpoint over http is not asked at an address that is not private`() async throws {
        let yaml = Self.introspected.replacing("https://login.example.com/i", with: "http://8.8.8.8/i")
        let configuration = try Self.configuration("cleartext-hosts: [\"8.8.8.8\"]\n" + yaml)
        let api = try #require(configuration.apis.first)
        var parts = APIParts(keys: KeySnapshot([]), secret: .client("s"), ledger: InMemoryDPoPLedger())
        parts.transport = try configuration.transport()
        let introspector = try #require(try api.protectedResource(parts).verifier as? TokenIntrospector)
        let error = await #expect(throws: VerificationError.self) { try await introspector.verify("opaque") }
        #expect(error?.description.contains("http is allowed only for loopback and private addresses") == true)
    }

    @Test func `all settings of an introspection endpoint are read, and signed answers need the keys of the issuer`()
        throws
    {
        let endpoint = "      optional: [iss, exp]\n      subject: [username, client_id]\n      cache-seconds: 0\n"
        let yaml = Self.introspected + endpoint + "      signed: true\n    algorithms: [ES256]\n"
        let api = try Self.api(yaml)
        let settings = try #require(api.introspection)
        #expect(
            settings.optionalMembers == [.issuer, .expiry] && settings.subjectMembers == ["username", "client_id"]
        )
        #expect(settings.cacheLifetime == .zero && settings.isSigned && api.algorithms == [.es256])
        #expect(try Self.configuration(yaml).keyProviders(beside: []).map(\.name) == ["orders"])
    }

    @Test(arguments: [("off", nil), ("accepted", false), ("required", true)] as [(String, Bool?)])
    func `dpop determines whether proofs are accepted or required`(_ word: String, _ isRequired: Bool?) throws {
        let api = try Self.api(Self.orders + "    dpop: \(word)\n")
        let resource = try api.protectedResource(APIParts(keys: KeySnapshot([]), ledger: InMemoryDPoPLedger()))
        #expect(resource.dpop?.policy.requiresBoundTokens == isRequired)
    }

    @Test func `dpop-nonces are those of all APIs, and are the same for all services with the same keys`() throws {
        let yaml = "dpop-nonces: true\n" + Self.orders + "    dpop: accepted\n"
        #expect(try Self.configuration(yaml).requiresProofNonces)
        let api = try Self.api(yaml)
        let nonces = try ([1, 1, 2] as [UInt8]).map { byte throws -> String? in
            let secrets = AccountSecrets(repeating: byte)
            var parts = APIParts(keys: KeySnapshot([]), ledger: InMemoryDPoPLedger())
            parts.nonces = try secrets.proofNonces(lifetime: .seconds(600))
            return try api.protectedResource(parts).dpop?.nonce
        }
        #expect(nonces[0] == nonces[1] && nonces[0] != nonces[2] && nonces[0] != nil)
    }

    @Test func `client-certificate determines the field with the certificate`() throws {
        let proxies = "trusted-proxies: [127.0.0.1/32]\n" + Self.orders
        let fields: [(String, ClientCertificateField?)] = [
            ("off", nil), ("client-cert", .clientCert),
            ("escaped-pem", .escapedPEM(try #require(HTTPField.Name("SSL-Client-Cert")))),
        ]
        for (word, field) in fields {
            let api = try Self.api(proxies + "    client-certificate: \(word)\n")
            #expect(api.certificates.field == field)
        }
    }

    /// The settings of an API that is complete but for those that a test adds.
    private static let incomplete = "apis: [orders]\napi:\n  orders:\n    "

    /// An API whose tokens are signed with a secret.
    private static let secret = orders + "    secret-file: /secret\n"

    /// Invalid configurations, each with a part of its error message.
    private static let faults: [(String, String)] = [
        ("apis: [orders]\n", "exactly one of api.orders.issuer and api.orders.preset is required"),
        ("\(orders)    issuer: https://login.example.com\n", "exactly one of api.orders.issuer and api.orders.preset"),
        (
            "\(incomplete)issuer: https://login.example.com\n    resource: https://api.example.com\n",
            "api.orders.audiences must contain at least one audience"
        ),
        (
            "\(incomplete)issuer: https://login.example.com\n    audiences: [orders]\n",
            "api.orders.resource is required"
        ),
        ("\(incomplete)preset: myspace:x\n", "api.orders.preset: \"myspace\" is none of auth0, "),
        ("\(incomplete)preset: auth0\n", "api.orders.preset: auth0: needs a value: the domain of the tenant"),
        ("\(incomplete)preset: auth0:https://example.eu.auth0.com\n", "api.orders.preset: domain: "),
        ("\(incomplete)issuer: http://127.0.0.1:9400\n", "; api.orders.allow-loopback-http allows it, for development"),
        ("\(orders)    jwt: { mark: scp }\n", "api.orders.jwt.mark requires api.orders.issuer"),
        (
            "\(incomplete)issuer: https://as.example\n    jwt: { scope-claim: scp }\n",
            "api.orders.jwt.scope-claim requires api.orders.jwt.mark"
        ),
        (
            "\(incomplete)issuer: https://as.example\n    jwt: { mark: azp }\n",
            "api.orders.jwt: mark: \"azp\" is a claim"
        ),
        (
            introspected.replacing("    issuer: https://login.example.com", with: "    preset: auth0:a.example.com"),
            "api.orders.introspection.endpoint requires api.orders.issuer"
        ),
        (
            introspected + "    jwt: { mark: scp }\n",
            "api.orders.jwt.mark is for tokens with a signature, not for api.orders.introspection.endpoint"
        ),
        (
            introspected + "    secret-file: /secret\n",
            "api.orders.secret-file is for tokens with a signature, not for api.orders.introspection.endpoint"
        ),
        (
            introspected + "    jwks-uri: https://login.example.com/keys\n",
            "api.orders.jwks-uri has no effect, because no keys are fetched"
        ),
        (
            introspected.replacing("      endpoint: https://login.example.com/introspect\n", with: ""),
            "api.orders.introspection.client-id requires api.orders.introspection.endpoint"
        ),
        (
            introspected.replacing("      client-id: orders-api\n", with: ""),
            "api.orders.introspection.endpoint requires api.orders.introspection.client-id"
        ),
        (
            introspected.replacing("      client-secret-file: /etc/verify-token/orders\n", with: ""),
            "api.orders.introspection.client-secret-file is required"
        ),
        (
            introspected.replacing("https://login.example.com/i", with: "http://login.example.com/i"),
            "api.orders.introspection.endpoint: "
        ),
        (
            introspected + "      optional: [sub]\n",
            "introspection.optional: \"sub\" is none of iss, aud, client_id, iat, exp"
        ),
        (introspected + "      optional: []\n", "api.orders.introspection.optional must not be empty"),
        (introspected + "      cache-seconds: 301\n", "cache-seconds must be a whole number from 0 to 300"),
        (introspected + "    algorithms: [ES256]\n", "api.orders.algorithms requires api.orders.introspection.signed"),
        (introspected + "      optional: [iat]\n    max-age: 60\n", "api.orders: maximum age: it needs iat"),
        ("dpop-nonces: true\n\(orders)", "dpop-nonces requires an API with dpop"),
        ("\(orders)    dpop: maybe\n", "api.orders.dpop must be one of off, accepted, required"),
        ("\(orders)    client-certificate: pem\n", "client-certificate must be one of off, client-cert, escaped-pem"),
        (
            "\(orders)    client-certificate: client-cert\n",
            "api.orders.client-certificate requires trusted-proxies, from which alone certificates are read"
        ),
        ("\(orders)    max-age: 0\n", "api.orders.max-age must be a whole number from 1 to"),
        ("\(orders)    scopes: [\"a b\"]\n", "api.orders: required scopes: "),
        ("\(orders)    required-values: [tenant]\n", "api.orders.required-values: \"tenant\" is not <claim>=<value>"),
        ("\(orders)    algorithms: [HS1]\n", "api.orders.algorithms: \"HS1\" is none of RS256, "),
        ("\(orders)    algorithms: [HS256]\n", "api.orders.algorithms: HS256 requires api.orders.secret-file"),
        ("\(orders)    algorithms: [ES256, HS512]\n", "api.orders.algorithms: HS512 requires api.orders.secret-file"),
        ("\(orders)    secret-encoding: base64\n", "api.orders.secret-encoding requires api.orders.secret-file"),
        ("\(secret)    secret-encoding: hex\n", "secret-encoding must be one of text, base64, base64url"),
        ("\(secret)    algorithms: [ES256]\n", "api.orders.algorithms must be one of HS256, HS384, HS512 with"),
        ("\(secret)    algorithms: [HS256, HS384]\n", "api.orders.algorithms must be one of HS256, HS384, HS512 with"),
        ("\(secret)    algorithms: [HS256, ES256]\n", "api.orders.algorithms must be one of HS256, HS384, HS512 with"),
        ("\(orders)    secret-file: \"\"\n", "api.orders.secret-file must not be empty"),
        ("\(secret)    keys-file: /keys\n", "api.orders.keys-file has no effect, because no keys are fetched"),
        ("\(secret)    follow-redirects: true\n", "api.orders.follow-redirects has no effect, because no keys are"),
        ("\(orders)    scopes: orders\n", "api.orders.scopes must be a list"),
        (orders.replacing("https://api", with: "http://api"), "api.orders: resource: "),
        ("\(orders)    audience: orders\n", "unknown key api.orders.audience; did you mean api.orders.audiences?"),
        (
            orders.replacing("apis: [orders]", with: "apis: [order]"),
            "api.orders: apis does not contain orders; did you mean order?"
        ),
    ]

    @Test(arguments: faults)
    func `an invalid, missing or conflicting setting of an API is refused with its key`(_ yaml: String, _ fault: String)
    {
        do {
            _ = try Self.configuration(yaml)
            Issue.record("accepted: \(yaml)")
        } catch {
            #expect("\(error)".contains(fault))
        }
    }

    @Test func `an API must not have the name of a policy or a provider`() {
        let providers = "providers: [google]\nprovider: { google: { client-id: x } }\n"
        let policies = "policies: [orders]\npolicy: { orders: { provider: google } }\n"
        for yaml in [
            providers + Self.orders.replacing("orders", with: "google"), providers + policies + Self.orders,
        ] {
            let error = #expect(throws: ConfigurationFault.self) { try Self.configuration(yaml) }
            #expect(error?.description.contains("is already the name of a provider or a policy") == true)
        }
    }

    @Test func `the keys of an issuer are fetched once, whatever number of providers and APIs uses them`() throws {
        let realm = "https://login.example.com/realms/main"
        let configuration = try Self.configuration(
            """
            providers: [main]
            provider: { main: { issuer: "\(realm)", client-id: x } }
            apis: [orders, invoices, other]
            api:
              orders: { preset: "keycloak:\(realm)", audiences: [a], resource: https://api.example.com }
              invoices: { issuer: https://as.example.com, audiences: [b], resource: https://api.example.com/invoices }
              other: { issuer: https://as.example.com, audiences: [c], resource: https://api.example.com/other }
            """
        )
        let providers = try configuration.keyProviders(beside: try configuration.signInProviders().map(\.provider))
        #expect(providers.map(\.name) == ["main", "invoices"])
    }

    @Test func `an API with a secret reads it from its file, and needs no keys`() async throws {
        let text = "correct horse battery staple, twice over"
        let file = FileManager.default.temporaryDirectory.appending(path: "secret-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        func write(_ text: String) {
            _ = FileManager.default.createFile(
                atPath: file.path,
                contents: Data(text.utf8),
                attributes: [.posixPermissions: 0o600]
            )
        }
        // The issuer is not a URL from which keys could be found.
        let yaml = """
            apis: [own]
            api:
              own: { issuer: our-service, audiences: [own], resource: https://api.example.com, secret-file: "\(file.path)" }
            """
        let configuration = try Self.configuration(yaml)
        #expect(try configuration.keyProviders(beside: []).isEmpty)
        #expect(throws: ConfigurationFault.self) { try configuration.apiSecrets() }
        write(text + "\n")
        let secret = try #require(try configuration.apiSecrets()["own"])
        let issuer = TestIssuer(
            provider: .openID(issuers: ["our-service"]),
            audience: "own",
            clock: ManualClock(Date())
        )
        let token = issuer.accessToken { token in
            token.header["alg"] = "HS256"
            token.signing = .hmac(secret: Array(text.utf8))
        }
        let api = try #require(configuration.apis.first)
        let parts = APIParts(keys: KeySnapshot([]), secret: secret, ledger: InMemoryDPoPLedger())
        #expect(try await api.protectedResource(parts).verifier.verified(token).subject == "1000000000000001")
        for (bad, reason) in [("too short", "at least 32 bytes"), (token, "is no secret")] {
            write(bad)
            let error = #expect(throws: ConfigurationFault.self) { try configuration.apiSecrets() }
            #expect(error?.description.hasPrefix("api.own.secret-file: ") == true)
            #expect(error?.description.contains(reason) == true && error?.description.contains("short") != true)
        }
    }

    @Test(arguments: [("HS384", "base64"), ("HS512", "base64url")])
    func `the algorithm and the encoding of a secret are read`(algorithm: String, encoding: String) throws {
        let api = try Self.api("\(Self.secret)    algorithms: [\(algorithm)]\n    secret-encoding: \(encoding)\n")
        #expect(api.secret?.file == "/secret" && api.secret?.algorithm.rawValue == algorithm)
        #expect(api.secret?.encoding.rawValue == encoding && api.algorithms == nil)
    }

    @Test func `the service challenges for an API, and is unavailable for it while its issuer is unreachable`()
        async throws
    {
        let directory = FileManager.default.temporaryDirectory.appending(path: "apis-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        let configuration = try Self.configuration(
            """
            store: \(directory.path)/accounts.sqlite
            keys-directory: \(directory.path)/keys
            apis: [orders]
            api:
              orders:
                issuer: http://127.0.0.1:1
                allow-loopback-http: true
                audiences: [orders]
                resource: https://api.example
            """
        )
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let parts = try await ServiceParts(
            configuration,
            version: "1",
            metrics: PrometheusMetrics(),
            logger: logger,
            logLevel: LogLevel(.info),
            isTrial: true
        )
        let issuer = TestIssuer(accessTokensOf: .rfc9068(issuers: ["http://127.0.0.1:1"]), audience: "orders")
        let bearer: HTTPFields = [.authorization: "Bearer \(issuer.accessToken())"]
        let challenge = #"Bearer resource_metadata="https://api.example/.well-known/oauth-protected-resource""#
        let routes = LoginRoutes(parts.login.apiRoutes())
        func ask(_ headers: HTTPFields = [:]) async throws -> ServerResponse {
            let (authority, path) = ("login.example.com", "/v1/forward-auth/orders")
            let head = HTTPRequest(method: .get, scheme: nil, authority: authority, path: path, headerFields: headers)
            return try #require(try await routes.respond(to: ServerRequest(head, from: .unixSocket, logger: logger)))
        }
        let unauthorized = try await ask()
        #expect(unauthorized.status == .unauthorized && unauthorized.headers[.wwwAuthenticate] == challenge)
        let unavailable = try await ask(bearer)
        #expect(unavailable.status == .serviceUnavailable && unavailable.headers[.retryAfter] == "1")
    }
}
#endif
