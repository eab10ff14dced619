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

    @Option(help: ArgumentHelp("The provider, where it is one of these.", valueName: "name"))
    var provider: ProviderName?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "With --provider microsoft, whose accounts: your tenant's ID; personal; or any, an organization's or not.",
            valueName: "id"
        ),
        completion: .list(["personal", "any"])
    )
    var tenant: String?

    @Option(help: ArgumentHelp("The provider by its issuer, compared byte for byte.", valueName: "url"))
    var issuer: String?

    /// Whether a provider or an issuer is given.
    var isGiven: Bool { provider != nil || issuer != nil }

    /// The missing options that the named provider needs.
    var missing: [String] {
        guard provider == .microsoft, tenant == nil else { return [] }
        return ["--tenant <id>: whose accounts you take, by your tenant's ID; personal; or any"]
    }

    func validate() throws {
        guard provider == nil || issuer == nil else {
            throw ValidationError("Give only one of --provider and --issuer.")
        }
        guard provider == .microsoft || tenant == nil else {
            throw ValidationError("--tenant goes with --provider microsoft.")
        }
        guard issuer != "" else { throw ValidationError("The value of --issuer is empty.") }
    }

    /// Returns the provider that the options name.
    func tokenProvider() throws(PolicyError) -> Provider {
        switch provider {
        case .facebook: .facebook
        case .google: .google
        case .apple: .apple
        case .microsoft: try Self.microsoft(tenant: tenant ?? "")
        case nil: .openID(issuers: [issuer ?? ""])
        }
    }

    private static func microsoft(tenant: String) throws(PolicyError) -> Provider {
        switch tenant {
        case "personal": .microsoftPersonal
        case "any": .microsoftAnyTenant
        default: try .microsoft(tenantID: tenant)
        }
    }
}
#endif
