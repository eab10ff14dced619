// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine && HTTPClient
internal import LoginKeys
internal import LoginProviders
internal import LoginTokens

/// The client of the service at the provider, as far as the operator states it.
struct ClientRegistration: Sendable {
    /// The origin of the service; nil if it is not known.
    var publicURL: String?
    /// The provider's name in the configuration of the service; nil if it is not known.
    var name: String?
    /// The configured client authentication; nil for that of the discovery document.
    var authentication: ClientAuthenticationMethod?
}

extension IssuerDiagnosis {
    /// The finding about the client authentication at the token endpoint.
    func clientAuthenticationFinding(_ metadata: ProviderMetadata) -> Finding {
        let listed = metadata.tokenEndpointAuthenticationMethods.flatMap { $0.isEmpty ? nil : $0 }
        let list =
            listed.map { "The document lists the client authentication \(quoted($0))" }
            ?? "The document lists no client authentication, which means client_secret_basic"
        if let method = client.authentication {
            guard method.isOffered(by: listed) else {
                return Finding(
                    .clientAuthentication,
                    .failed,
                    "\(list), not \(method.registeredName): logins in browsers fail.",
                    advice:
                        "Configure one that is listed: --client-authentication, client-authentication of the service."
                )
            }
            return Finding(.clientAuthentication, .ok, "\(list); \(method.registeredName) is used, as stated.")
        }
        if let method = ClientAuthenticationMethod.ofSecret(listed: listed) {
            return Finding(
                .clientAuthentication,
                .ok,
                "\(list); a client secret is sent by \(method.registeredName), and a client without one uses none."
            )
        }
        let others = [ClientAuthenticationMethod.privateKeyJWT, .none].filter { method in
            listed?.contains { $0.utf8.elementsEqual(method.registeredName.utf8) } == true
        }
        switch others.first {
        case .privateKeyJWT:
            return Finding(
                .clientAuthentication,
                .warning,
                "\(list): no client secret can be used, and private_key_jwt needs a key.",
                advice:
                    "Configure client-authentication private-key-jwt, client-key-file and client-key-id of the service."
            )
        case .none?:
            return Finding(
                .clientAuthentication,
                .warning,
                "\(list): no client secret can be used.",
                advice: "Register a public client, and configure no client secret."
            )
        default:
            return Finding(
                .clientAuthentication,
                .failed,
                "\(list), none of which is supported: logins in browsers fail.",
                advice: "Enable client_secret_basic, client_secret_post or private_key_jwt at the provider."
            )
        }
    }

    /// The redirect URI of the service; nil if its origin or the provider's name is not known.
    var redirectURI: String? {
        guard let publicURL = client.publicURL, let name = client.name else { return nil }
        return ProviderID(name).redirectURI(at: publicURL)
    }

    /// The finding with the redirect URI to register; nil if the origin of the service is not known.
    var redirectURIFinding: Finding? {
        guard let publicURL = client.publicURL else { return nil }
        guard let redirectURI else {
            let pattern = ProviderID("<name>").redirectURI(at: publicURL)
            return Finding(
                .redirectURI,
                .ok,
                "The redirect URI to register is \(pattern), with the provider's name in the configuration (--name)."
            )
        }
        return Finding(.redirectURI, .ok, "The redirect URI to register is \(redirectURI).")
    }

    /// Returns the things about which the findings say nothing, as a list for the operator.
    ///
    /// - Parameter triesSecret: Whether the client secret was to be tried.
    /// - Returns: The list.
    func unchecked(triesSecret: Bool) -> [String] {
        [
            documents.discovery == nil ? "the discovery document, which was not requested" : nil,
            documents.keySet == nil ? "the keys, which were not requested" : nil,
            "the authorization endpoint and the UserInfo endpoint, to which nothing was sent",
            triesSecret
                ? nil : "the client ID and the client secret; --try-secret sends them once to the token endpoint",
            "the registration of the app: its redirect URIs, its scopes, its users"
                + (client.publicURL == nil ? "; --public-url shows the redirect URI to register" : ""),
            "a login: the dialog, the code exchange, the ID token and its claims",
            "the configuration of the service; serve --check checks that",
        ].compactMap(\.self)
    }
}

// MARK: Tenants

extension IssuerDiagnosis {
    /// The advice for a document, or an issuer, that is for the users of any tenant.
    static let tenantAdvice =
        "Tokens have the issuer of the user's tenant, so name the tenants: --provider microsoft with --tenant and the ID of "
        + "your tenant, personal or any; in the service kind microsoft with tenants, or the issuer of your tenant, "
        + "https://login.microsoftonline.com/<tenant ID>/v2.0. --discovery-issuer does not help."

    /// Whether a text is a template for the issuers of tenants.
    static func isOfTenants(_ issuer: String) -> Bool { issuer.contains(Provider.tenantPlaceholder) }

    /// Whether the discovery document has a template in the place of an issuer.
    var documentIsOfTenants: Bool {
        guard let body = documents.discovery?.exchange?.response?.body,
            let root = try? JSONDocument.read(body.withoutByteOrderMark, limits: .keySet).root
        else { return false }
        return root["issuer"]?.string.map(Self.isOfTenants) ?? false
    }
}
#endif
