// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import LoginProviders
internal import Logging

extension ServiceConfiguration {
    /// The protection of logins at an identity provider, and the use of its UserInfo endpoint; nil for a default.
    struct ProtectionSettings: Sendable, Hashable {
        var appNonce: SignInProvider.AppNonce?
        var nonce: SignInProvider.BrowserNonce?
        var pkce: SignInProvider.PKCE?
        var codeInjection: SignInProvider.CodeInjection?
        var userInfo: SignInProvider.UserInfo?
    }
}

extension ServiceConfiguration.ProtectionSettings {
    /// Reads the settings of a provider.
    ///
    /// - Parameters:
    ///   - name: The name of the provider.
    ///   - values: The values of the configuration.
    /// - Throws: ``ConfigurationFault``, which names the key.
    init(of name: String, in values: ConfigurationValues) throws(ConfigurationFault) {
        appNonce = try values.choice(.providerAppNonce.of(name)).flatMap { .init(rawValue: $0) }
        nonce = try values.choice(.providerNonce.of(name)).flatMap { .init(rawValue: $0) }
        pkce = try values.choice(.providerPKCE.of(name)).flatMap { .init(rawValue: $0) }
        codeInjection = try values.choice(.providerCodeInjection.of(name)).flatMap { .init(rawValue: $0) }
        userInfo = try values.choice(.providerUserInfo.of(name)).flatMap { .init(rawValue: $0) }
    }

    /// Changes the settings of a provider, and checks them.
    ///
    /// - Parameters:
    ///   - provider: The provider.
    ///   - name: Its name in the configuration.
    /// - Throws: ``ConfigurationFault``, which names the key.
    func apply(to provider: inout SignInProvider, named name: String) throws(ConfigurationFault) {
        if let appNonce { provider.appNonce = appNonce }
        if let nonce { provider.browserNonce = nonce }
        if let pkce { provider.pkce = pkce }
        if let codeInjection { provider.codeInjection = codeInjection }
        if let userInfo { provider.userInfo = userInfo }
        do throws(LoginManagerError) {
            try provider.checkSettings()
        } catch {
            let key = error.setting?.key ?? .providers
            throw ConfigurationFault("\(key.of(name).name): \(error.detail)")
        }
    }

    /// Logs a warning for each weakened protection of logins in browsers.
    ///
    /// - Parameters:
    ///   - logger: The logger.
    ///   - name: The name of the provider in the configuration.
    func logWeakenings(to logger: Logger, of name: String) {
        let metadata: Logger.Metadata = ["provider": "\(name)"]
        if appNonce == .absent {
            logger.warning("ID tokens that apps send for this provider have no nonce", metadata: metadata)
        }
        if pkce == .off { logger.warning("logins at this provider do not use PKCE", metadata: metadata) }
        if nonce == .absent {
            logger.warning("ID tokens of logins at this provider may have no nonce", metadata: metadata)
        }
        if codeInjection == .unprotected {
            logger.warning("nothing may protect logins at this provider from stolen codes", metadata: metadata)
        }
    }
}
#endif
