// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import ArgumentParser
internal import LoginTokens

/// The expected issuer of the token, or the provider of the keys.
struct IssuerOptions: ParsableArguments {
    enum ProviderName: String, ExpressibleByArgument, CaseIterable {
        case facebook, google, apple, microsoft
    }

    @Option(help: ArgumentHelp("The provider, if it is one of these.", valueName: "name"))
    var provider: ProviderName?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "With --provider microsoft, the accepted accounts: the ID of your tenant, personal, or any (all organizations and personal).",
            valueName: "id"
        ),
        completion: .list(["personal", "any"])
    )
    var tenant: String?

    @Option(help: ArgumentHelp("The issuer, compared byte for byte.", valueName: "url"))
    var issuer: String?

    /// Whether a provider or an issuer is given.
    var isGiven: Bool { provider != nil || issuer != nil }

    /// The missing options that the named provider needs.
    var missing: [String] {
        guard provider == .microsoft, tenant == nil else { return [] }
        return ["--tenant <id>: the accepted accounts, which are the ID of your tenant, personal, or any"]
    }

    func validate() throws {
        guard provider == nil || issuer == nil else {
            throw ValidationError("Give only one of --provider and --issuer.")
        }
        guard provider == .microsoft || tenant == nil else {
            throw ValidationError("--tenant requires --provider microsoft.")
        }
        guard issuer != "" else { throw ValidationError("The value of --issuer is empty.") }
    }

    /// Returns the provider that the options name.
    func tokenProvider() throws(PolicyError) -> Provider {
        switch provider {
        case .facebook: .facebook
        case .google: .google
        case .apple: .apple
        case .microsoft: try .microsoft(tenant: tenant ?? "")
        case nil: .openID(issuers: [issuer ?? ""])
        }
    }
}
#endif
