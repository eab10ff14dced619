// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import LoginProviders

/// The logos of the service and of the identity providers, as files that pages load.
struct PageLogos: Sendable {
    /// The logo of the service; nil if the pages show its name instead.
    let service: PageAsset?

    /// The logos of providers.
    let providers: [ProviderID: PageAsset]

    /// All files.
    var all: [PageAsset] { [service].compactMap(\.self) + providers.values }

    /// Creates the logos that the options contain.
    init(_ options: SignInPagesOptions = SignInPagesOptions()) {
        service = options.logo.map { PageAsset("/assets/logo", type: $0.type, $0.bytes) }
        providers = Dictionary(
            uniqueKeysWithValues: options.providerLogos.map { id, logo in
                (id, PageAsset(LocalPath("/assets/logos").appending(id.rawValue), type: logo.type, logo.bytes))
            }
        )
    }
}
#endif
