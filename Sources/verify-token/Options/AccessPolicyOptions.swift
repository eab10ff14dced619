// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import ArgumentParser
internal import LoginTokens

/// The policy for an access token.
struct AccessPolicyOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The issuer, compared byte for byte, if its access tokens follow RFC 9068.",
            valueName: "url"
        )
    )
    var issuer: String?

    @Option(
        help: ArgumentHelp(
            "The issuer, if its access tokens have the form of one of the presets above.",
            valueName: "name:value"
        ),
        completion: .list(AccessTokenPreset.allCases.map { "\($0.rawValue):" })
    )
    var preset: String?

    @Option(
        name: .customLong("jwt-mark"),
        help: ArgumentHelp(
            "With --issuer: its access tokens are JWTs without the typ of RFC 9068, and this separates them from its other tokens.",
            valueName: "claim[=value]"
        )
    )
    var mark: String?

    @Option(
        name: .customLong("jwt-client-claim"),
        help: ArgumentHelp(
            "With --jwt-mark: the claim that names the client, client_id unless given; none if tokens name none.",
            valueName: "claim"
        )
    )
    var clientClaim: String?

    @Option(
        name: .customLong("jwt-scope-claim"),
        help: ArgumentHelp(
            "With --jwt-mark: the claim with the scopes, scope unless given.",
            valueName: "claim"
        )
    )
    var scopeClaim: String?

    @Option(
        name: .customLong("audience"),
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("An identifier of your API at the issuer. May be repeated.", valueName: "id")
    )
    var audiences: [String] = []

    @Option(
        name: .customLong("scope"),
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("A scope that the token must contain. May be repeated.", valueName: "scope")
    )
    var scopes: [String] = []

    @Option(
        name: .customLong("client"),
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "The ID of a client that may call the API; without it, any client of the issuer. May be repeated.",
            valueName: "id"
        )
    )
    var clients: [String] = []

    @Option(
        name: .customLong("require-value"),
        help: ArgumentHelp(
            "A value that a claim must have, or contain as an element. Repeated for a claim, one of its values suffices.",
            valueName: "claim=value"
        )
    )
    var valueRequirements: [String] = []

    @Option(
        name: .customLong("algorithm"),
        help: ArgumentHelp(
            "An accepted algorithm; without it, those of the issuer, and HS256 with --secret-file. May be repeated for keys.",
            valueName: "name"
        )
    )
    var algorithms: [AcceptedAlgorithm] = []

    @OptionGroup var validity: ValidityOptions
    @OptionGroup var limits: LimitOptions

    /// The missing options, which have no default.
    var missing: [String] {
        (issuer == nil && preset == nil ? ["--issuer <url> or --preset <name:value>: the issuer of the token"] : [])
            + (audiences.isEmpty ? ["--audience <id>: the identifier of your API"] : [])
    }

    func validate() throws {
        guard issuer == nil || preset == nil else { throw ValidationError("Give only one of --issuer and --preset.") }
        guard preset == nil || mark == nil else {
            throw ValidationError("--jwt-mark is for --issuer: a preset has its own.")
        }
        guard mark != nil || (clientClaim == nil && scopeClaim == nil) else {
            throw ValidationError("--jwt-client-claim and --jwt-scope-claim require --jwt-mark.")
        }
        try VerifyToken.requireValues(of: [
            "--issuer": [issuer].compactMap(\.self), "--preset": [preset].compactMap(\.self),
            "--jwt-mark": [mark].compactMap(\.self), "--jwt-client-claim": [clientClaim].compactMap(\.self),
            "--jwt-scope-claim": [scopeClaim].compactMap(\.self), "--audience": audiences, "--scope": scopes,
            "--client": clients, "--require-value": valueRequirements,
        ])
        do {
            if missing.isEmpty { _ = try accessTokenPolicy() }
        } catch {
            throw ValidationError("\(error)")
        }
    }

    private static func issuer(_ preset: String) throws -> AccessTokenIssuer {
        do throws(PolicyError) {
            return try AccessTokenPreset.issuer(preset)
        } catch {
            throw ValidationError("--preset: \(error.detail)")
        }
    }

    /// Returns the issuer with the form of its tokens.
    private func form() throws -> AccessTokenIssuer {
        if let preset { return try Self.issuer(preset) }
        guard let mark else { return .rfc9068(issuers: [issuer ?? ""]) }
        return try .jwt(issuer ?? "", mark: mark, clientClaim: clientClaim, scopeClaim: scopeClaim)
    }

    /// Returns the policy that the options describe.
    func accessTokenPolicy() throws -> AccessTokenPolicy {
        try AccessTokenPolicy(
            issuer: form(),
            audiences: audiences,
            requiredScopes: scopes,
            allowedClients: clients,
            requiredValues: requiredValues(),
            algorithms: algorithms.ofKeys.isEmpty ? nil : algorithms.ofKeys,
            leeway: .seconds(validity.leeway),
            maximumAge: validity.maxAge.map { .seconds($0) },
            limits: limits.tokenLimits()
        )
    }

    /// Returns the verifier for the options: with the secret if there is one, or else with keys.
    func verifier(_ secret: SharedSecret?, keys: any KeySource, clock: any WallClock) throws -> AccessTokenVerifier {
        let policy = try accessTokenPolicy()
        return try SharedSecretOptions.checked { () throws(PolicyError) in
            try AccessTokenVerifier(policy: policy, secret: secret, otherwise: keys, clock: clock)
        }
    }

    /// Returns the policy for the answer of an introspection endpoint.
    ///
    /// - Parameter optionalMembers: The members that the answer may omit.
    /// - Returns: The policy.
    /// - Throws: `ValidationError` for a usage error, `PolicyError` for an invalid value.
    func introspectionPolicy(optionalMembers: Set<IntrospectionPolicy.Member>) throws -> IntrospectionPolicy {
        guard preset == nil, mark == nil, algorithms.isEmpty else {
            throw ValidationError(
                "--preset, --jwt-mark and --algorithm are for tokens with a signature, not for --introspect."
            )
        }
        return try IntrospectionPolicy(
            issuers: [issuer ?? ""],
            audiences: audiences,
            requiredScopes: scopes,
            allowedClients: clients,
            requiredValues: requiredValues(),
            optionalMembers: optionalMembers,
            leeway: .seconds(validity.leeway),
            maximumAge: validity.maxAge.map { .seconds($0) },
            limits: limits.tokenLimits()
        )
    }

    /// Returns the accepted values, by the name of the claim.
    private func requiredValues() throws(ValidationError) -> [String: [String]] {
        do throws(PolicyError) {
            return try AccessTokenPolicy.requiredValues(valueRequirements)
        } catch {
            throw ValidationError("--require-value: \(error.detail)")
        }
    }
}
#endif
