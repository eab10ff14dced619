// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import Foundation
internal import LimitedLogin
internal import LoginAccounts
internal import LoginProviders
internal import LoginTokens
internal import Logging

extension ServiceConfiguration {
    /// Returns the identity providers.
    ///
    /// - Throws: ``ConfigurationFault`` if a secret cannot be read, or a value is invalid.
    func signInProviders() throws(ConfigurationFault) -> [SignInProvider] {
        var result: [SignInProvider] = []
        for settings in providers {
            var provider = try settings.signInProvider()
            provider.provider.cleartextHosts = cleartextHosts
            result.append(provider)
        }
        return result
    }

    /// The policies of `POST /v1/verify`: one for each provider, with the provider's name, and the configured ones.
    var verificationPolicies: [VerificationPolicy] {
        let ids = Dictionary(providers.map { ($0.name, $0.id) }) { first, _ in first }
        return providers.map { VerificationPolicy($0.name, provider: $0.id) }
            + policies.compactMap { policy in
                ids[policy.provider].map {
                    VerificationPolicy(
                        policy.name,
                        provider: $0,
                        audiences: policy.audiences,
                        maximumAge: policy.maximumAge,
                        nonce: policy.nonce
                    )
                }
            }
    }

    /// Returns the Facebook app whose callbacks are accepted; nil if no app secret is configured.
    ///
    /// - Throws: ``ConfigurationFault`` if the app ID or the secret is invalid.
    func facebookApp() throws(ConfigurationFault) -> FacebookApp? {
        for settings in providers where settings.kind == .facebook && settings.secretFile != nil {
            return try settings.facebookApp()
        }
        return nil
    }
}

extension ServiceConfiguration.ProviderSettings {
    /// The ID under which identities of this provider are stored.
    var id: ProviderID { kind == .facebook ? .facebook : ProviderID(name) }

    /// Returns a log entry about the version of the Graph API: a warning if Facebook no longer serves it, or soon not.
    ///
    /// - Parameter date: The time.
    /// - Returns: The entry; nil for a version that is served for long, and for other kinds of providers.
    func graphVersionNotice(at date: Date) -> (level: Logger.Level, message: Logger.Message, metadata: Logger.Metadata)?
    {
        guard kind == .facebook, let app = try? FacebookApp(id: clientID, graphVersion: graphVersion) else {
            return nil
        }
        let status = app.graphVersionStatus(at: date)
        let metadata: Logger.Metadata = ["facebook.graph-version": "\(graphVersion)", "facebook.status": "\(status)"]
        return switch status {
        case .served: nil
        case .unknown: (.info, "Graph API version is newer than this release", metadata)
        case .ending: (.warning, "Graph API version ends soon: set provider.facebook.graph-version", metadata)
        case .mayEnd: (.warning, "Graph API version may end soon: set provider.facebook.graph-version", metadata)
        case .ended: (.warning, "Graph API version has ended: set provider.facebook.graph-version", metadata)
        }
    }

    fileprivate func signInProvider() throws(ConfigurationFault) -> SignInProvider {
        var result = try preset()
        if let title { result.displayName = title }
        result.permissionReasons = permissionReasons
        result.appClientIDs = audiences
        result.limits = limits
        result.provider.allowsLoopbackHTTP = allowsLoopbackHTTP
        result.provider.documents = documents.applied(to: result.provider.documents)
        try applyClient(to: &result)
        try protection.apply(to: &result, named: name)
        if let emailDomains {
            result.emailTrust =
                emailDomains.isEmpty
                ? .never
                : emailDomains.contains("*") ? .verifiedClaimOfAnyDomain : .verifiedClaim(domains: emailDomains)
        }
        return result
    }

    private func preset() throws(ConfigurationFault) -> SignInProvider {
        switch kind {
        case .facebook:
            let app = try facebookApp()
            do throws(LoginConfigurationError) {
                return try .facebook(app, permissions: permissions, tracking: tracking)
            } catch {
                let limited = Permission.limited.map(\.rawValue).sorted()
                let nearest = error.permissions.first.flatMap { permission in
                    ConfigurationNames.nearest(to: permission.rawValue, of: limited)
                }
                let hint = nearest.map { "; did you mean \($0)?" } ?? ""
                throw ConfigurationFault("\(ConfigurationKey.providerPermissions.of(name).name): \(error)\(hint)")
            }
        case .google: return .google(id: id, clientID: clientID, clientSecret: try secret())
        case .apple:
            return .apple(id: id, clientID: clientID, authentication: try secret().map { .post(secret: $0) } ?? .none)
        case .line:
            let secret = try secret()
            do throws(PolicyError) {
                return try .line(id: id, channelID: clientID, channelSecret: secret)
            } catch {
                throw ConfigurationFault("\(ConfigurationKey.providerSecret.of(name).name): \(error.detail)")
            }
        case .microsoft: return try microsoft()
        case .openid:
            var openID = SignInProvider.openID(
                id,
                issuer: issuer ?? "",
                clientID: clientID,
                clientSecret: try secret()
            )
            openID.browserSecret = try tokenSecret(browserAlgorithm)
            openID.appSecret = try tokenSecret(appAlgorithm)
            if let authenticationTime {
                var reauthentication = openID.provider.reauthentication
                reauthentication.authenticationTime = authenticationTime
                openID.provider = openID.provider.with(reauthentication)
            }
            return openID
        }
    }

    private func microsoft() throws(ConfigurationFault) -> SignInProvider {
        guard case .listed(let tenants) = client.tenants else {
            return .microsoftAnyTenant(id, clientID: clientID, clientSecret: try secret())
        }
        let secret = try secret()
        do throws(PolicyError) {
            // The keys and the document of one tenant are its own.
            if tenants.count == 1 {
                return try .microsoft(id, tenantID: tenants[0], clientID: clientID, clientSecret: secret)
            }
            return try .microsoft(id, tenantIDs: tenants, clientID: clientID, clientSecret: secret)
        } catch {
            throw ConfigurationFault("\(ConfigurationKey.providerTenants.of(name).name): \(error.detail)")
        }
    }

    /// Returns the client secret for the signatures of ID tokens (OpenID Connect Core §10.1); nil without an algorithm.
    private func tokenSecret(_ algorithm: SharedSecret.Algorithm?) throws(ConfigurationFault) -> SharedSecret? {
        guard let algorithm, let secret = try secret() else { return nil }
        do throws(PolicyError) {
            return try SharedSecret(secret, algorithm: algorithm)
        } catch {
            throw ConfigurationFault("\(ConfigurationKey.providerSecret.of(name).name): \(error.detail)")
        }
    }

    fileprivate func facebookApp() throws(ConfigurationFault) -> FacebookApp {
        let secret = try secret()
        do throws(FacebookAppError) {
            return try FacebookApp(id: clientID, secret: secret, graphVersion: graphVersion)
        } catch {
            let key: ConfigurationKey =
                switch error {
                case .id: .providerApps
                case .secret: .providerAppSecret
                case .graphVersion: .providerGraphVersion
                }
            throw ConfigurationFault("\(key.of(name).name): \(error)")
        }
    }

    /// Returns the client secret; nil where none is configured.
    func secret() throws(ConfigurationFault) -> String? {
        guard let secretFile else { return nil }
        let key: ConfigurationKey = kind == .facebook ? .providerAppSecret : .providerSecret
        return try SecretFile.read(secretFile, key: key.of(name).name)
    }
}
#endif
