// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import ArgumentParser
internal import Foundation
internal import LoginServer
internal import LoginTokens

/// The policy for the token.
struct PolicyOptions: ParsableArguments {
    @OptionGroup var issuer: IssuerOptions

    @Option(
        name: [.customLong("audience"), .customLong("app-id")],
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "An accepted audience: your client ID; for Facebook, your app ID; for Apple, your bundle ID or services ID. May be repeated.",
            valueName: "id"
        )
    )
    var audiences: [String] = []

    @Option(
        name: .customLong("trusted-audience"),
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Another audience that the token may have in addition to yours. May be repeated.",
            valueName: "id"
        )
    )
    var trustedAudiences: [String] = []

    @Option(
        name: .customLong("authorized-party"),
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "An accepted authorized party (azp) other than your audience, for example your Android app at Google. May be repeated.",
            valueName: "id"
        )
    )
    var authorizedParties: [String] = []

    @Option(
        name: .customLong("algorithm"),
        help: ArgumentHelp(
            "An accepted algorithm; RS256 by default, and HS256 with --secret-file. May be repeated for keys.",
            valueName: "name"
        )
    )
    var algorithms: [AcceptedAlgorithm] = []

    @OptionGroup var validity: ValidityOptions
    @OptionGroup var limits: LimitOptions

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The maximum time since the user was authenticated (auth_time, which is then required).",
            valueName: "seconds"
        )
    )
    var maxAuthAge: Int?

    @Option(
        name: .customLong("acr"),
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "An accepted authentication context class (acr, which is then required). May be repeated.",
            valueName: "value"
        )
    )
    var acceptedACRs: [String] = []

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The organization the account must belong to (hd, which is then required).",
            valueName: "domain"
        )
    )
    var hostedDomain: String?

    /// The missing options, which have no default.
    var missing: [String] {
        var missing = issuer.missing
        if !issuer.isGiven {
            missing.append("--provider <name> or --issuer <url>: the issuer of the token")
        }
        if audiences.isEmpty {
            missing.append("--audience <id> or --app-id <id>: the audience of the token")
        }
        return missing
    }

    func validate() throws {
        try VerifyToken.requireValues(of: [
            "--audience or --app-id": audiences, "--trusted-audience": trustedAudiences,
            "--authorized-party": authorizedParties, "--acr": acceptedACRs,
            "--hosted-domain": hostedDomain.map { [$0] } ?? [],
        ])
        if issuer.provider == .facebook, let audience = audiences.first(where: { !isFacebookAppID($0) }) {
            throw ValidationError(
                "--app-id: \(ShownArgument(audience)) is not a Facebook app ID, which has 1 to 20 digits."
            )
        }
        if let age = maxAuthAge, age < 0 { throw ValidationError("--max-auth-age: \(age) s is negative.") }
        do {
            if missing.isEmpty { _ = try tokenPolicy() }
        } catch {
            throw ValidationError("\(error)")
        }
    }

    private func isFacebookAppID(_ text: String) -> Bool {
        (1...20).contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    func tokenPolicy() throws -> TokenPolicy {
        try TokenPolicy(
            provider: issuer.tokenProvider(),
            audiences: audiences,
            trustedAudiences: .listed(trustedAudiences),
            authorizedParties: authorizedParties,
            algorithms: algorithms.ofKeys.isEmpty ? [.rs256] : algorithms.ofKeys,
            leeway: .seconds(validity.leeway),
            maximumAge: validity.maxAge.map { .seconds($0) },
            maximumAuthenticationAge: maxAuthAge.map { .seconds($0) },
            acceptedACRs: acceptedACRs,
            hostedDomain: hostedDomain,
            limits: limits.tokenLimits()
        )
    }

    /// Returns the verifier for the options: with the secret if there is one, or else with keys.
    func verifier(_ secret: SharedSecret?, keys: any KeySource) throws -> TokenVerifier {
        let (policy, clock) = (try tokenPolicy(), try clock())
        return try SharedSecretOptions.checked { () throws(PolicyError) in
            try TokenVerifier(policy: policy, secret: secret, otherwise: keys, clock: clock)
        }
    }

    func clock() throws -> any WallClock { try validity.time.clock() }
}
#endif
