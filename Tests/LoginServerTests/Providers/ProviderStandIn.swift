// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
import LoginProviders
import LoginTesting
import LoginTokens
import Testing

/// A stand-in for an identity provider: what it answers and what it accepts, as its public documentation says.
struct ProviderStandIn: Sendable {
    /// The signer of ID tokens.
    enum Signature: Sendable {
        case key(SignatureAlgorithm)
        case clientSecret
    }

    /// A client authentication at the token endpoint.
    enum Authentication: Sendable {
        case basic, post
        /// A JWT that the client signs (RFC 7523).
        case assertion
    }

    /// The treatment of the parameters of PKCE.
    enum PKCE: Sendable {
        /// It requires them, and compares them.
        case verified
        /// It does not know them.
        case ignored
        /// It refuses the verifier of a client with a secret.
        case refused
    }

    /// An error response of the token endpoint.
    struct TokenError: Sendable {
        var status = 401
        let body: TestJSON

        static let invalidClient = Self(body: ["error": "invalid_client"])
    }

    /// A login that the provider has accepted.
    struct Login: Sendable {
        let clientID: String
        let scopes: Set<String>
        /// The requested claims (OpenID Connect Core §5.5); nil without the parameter.
        let claims: String?
        let accessToken: String
        /// The claim `at_hash` for the access token.
        let accessTokenHash: String
    }

    /// The user of an account, as a login at the provider makes it.
    struct User: Sendable, Hashable {
        let subject: String
        var email: String?
        var isEmailVerified = false
        var name: String?
    }

    /// The name of the page, without `.md`.
    let page: String

    /// The number of the configuration on the page.
    var configuration = 0

    /// The client ID of the registration.
    let clientID: String

    /// The URL of the discovery document.
    let discoveryURL: String

    /// The discovery document.
    var metadata: TestJSON

    /// The signer of ID tokens.
    var signature = Signature.key(.rs256)

    /// The URLs of the key set beside the one in the discovery document.
    var furtherKeyURLs: [String] = []

    /// The members of the published key that differ; null for one that is missing.
    var keyMembers: TestJSON = [:]

    /// The client authentication of the registration.
    var authentication: Set<Authentication> = [.basic, .post]

    /// The registered algorithm of assertions.
    var assertionAlgorithm = SignatureAlgorithm.es256

    /// Whether the secret of the client is no longer valid.
    var isSecretInvalid = false

    /// The response to a client that does not prove its secret.
    var clientError = TokenError.invalidClient

    /// The response to a client that uses another client authentication; nil for the same.
    var authenticationError: TokenError?

    /// The treatment of the parameters of PKCE.
    var pkce = PKCE.verified

    /// Whether ID tokens have the nonce of the request.
    var echoesNonce = true

    /// Whether the provider has the browser post its response, with these fields beside the code; nil for the query.
    var form: [(name: String, value: String)]?

    /// The scopes that the client may request; nil for any.
    var scopes: Set<String>?

    /// Whether the provider does not let the user in.
    var deniesAccess = false

    /// The registered redirect URI; nil for that of the page.
    var redirectURI: String?

    /// The error that the provider shows to the user in place of a redirect to an unregistered URI.
    var redirectError = "invalid_request"

    /// The members of the token response beside the ID token.
    let response: @Sendable (Login) -> TestJSON

    /// The claims of the ID token beside `iat`, `exp` and `nonce`.
    var claims: @Sendable (Login) -> TestJSON

    /// The UserInfo response; nil if the service must not ask.
    var userInfo: TestJSON?

    /// The user that the configuration of the page must lead to.
    let user: User

    /// The number of the first result on the page that ``mistakes`` lead to.
    var firstResult = 0

    /// The usual mistakes, in the order of the results on the page.
    let mistakes: [Mistake]

    /// The declaration on the page, for a client secret or a private key; nil if it has none.
    var declaration: (@Sendable (String) throws -> SignInProvider)?

    /// The user that the declaration must lead to; nil for the same as the configuration.
    var declaredUser: User?
}

extension ProviderStandIn {
    /// A usual mistake: another configuration, or another registration at the provider.
    struct Mistake: Sendable {
        let change: @Sendable (inout String, inout ProviderStandIn) -> Void

        /// A line of the configuration is missing.
        static func without(_ keys: String...) -> Self {
            Self { yaml, _ in
                let lines = yaml.split(separator: "\n")
                yaml = lines.filter { line in !keys.contains { line.contains("\($0):") } }.joined(separator: "\n")
            }
        }

        /// A text of the configuration is another.
        static func replacing(_ text: String, with other: String) -> Self {
            Self { yaml, _ in yaml = yaml.replacing(text, with: other) }
        }

        /// The registration or the user is another.
        static func registered(_ change: @escaping @Sendable (inout ProviderStandIn) -> Void) -> Self {
            Self { _, provider in change(&provider) }
        }

        /// The secret is not, or no longer, that of the client.
        static let invalidSecret = registered { $0.isSecretInvalid = true }
    }

    /// Changes members of the claims.
    mutating func changeClaims(_ change: @escaping @Sendable (inout TestJSON) -> Void) {
        let original = claims
        claims = { login in
            var changed = original(login)
            change(&changed)
            return changed
        }
    }

    /// All stand-ins.
    static let all: [Self] = [
        google, apple, microsoft, microsoftTenants, microsoftAny, externalID, azureB2C, auth0, okta, keycloak, zitadel,
        authentik, authelia, cognito, linkedIn, twitch, line, gitLab, slack, logto, hydra, hydraWithKey,
    ]
}

extension ProviderStandIn: CustomTestStringConvertible {
    var testDescription: String { "\(page) \(configuration)" }
}
#endif
