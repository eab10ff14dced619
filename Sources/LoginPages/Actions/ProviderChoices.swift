// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import LoginAccounts
internal import LoginProviders

/// The identity providers, as the pages offer and name them.
struct ProviderChoices: Sendable {
    let providers: SignInProviders
    let text: SharedText
    let logos: [ProviderID: PageAsset]

    /// The providers with a button: those that are switched on and offer browser logins.
    var offered: [ProviderChoice] {
        providers.enabled.filter(\.offersBrowserLogin).map { choice($0.id) }
    }

    /// Returns a provider with its name and its logo.
    func choice(_ id: ProviderID) -> ProviderChoice {
        ProviderChoice(id: id.rawValue, name: name(of: id), logo: logos[id]?.path)
    }

    /// Returns the provider of a button, which may be switched off by now.
    ///
    /// - Parameter name: The name in the path of the request.
    /// - Returns: The provider.
    /// - Throws: ``PageStop`` if no such provider offers browser logins.
    func provider(named name: String?) throws(PageStop) -> ProviderID {
        guard let provider = providers.offeringBrowserLogin(named: name ?? "") else {
            throw PageStop(reply: PageReply.redirect("/login"))
        }
        return provider.id
    }

    /// Returns the display name of a provider.
    func name(of id: ProviderID) -> String {
        switch id {
        case .password: text.account.passwordLogin
        case .phone: text.account.phoneLogin
        default: providers.all.first { $0.id == id }?.displayName ?? id.rawValue
        }
    }
}
#endif
