// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import ArgumentParser
internal import LoginServer
internal import LoginTokens

/// The shared secret that tokens are signed with instead of a key.
struct SharedSecretOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A file with the secret that the issuer shares with your client or API, which only you can access; one line break at the end is ignored.",
            valueName: "file"
        ),
        completion: .file()
    )
    var secretFile: String?

    @Option(
        help: ArgumentHelp(
            "The form of the secret in the file; by default text, whose octets are used as written.",
            valueName: "encoding"
        )
    )
    var secretEncoding: SharedSecret.Encoding?

    func validate() throws {
        guard secretFile != "" else { throw ValidationError("The value of --secret-file is empty.") }
        guard secretFile != nil || secretEncoding == nil else {
            throw ValidationError("--secret-encoding requires --secret-file.")
        }
    }

    /// The missing options for keys, unless there is a secret.
    func missing(_ keys: KeyOptions) -> [String] { secretFile == nil ? keys.missing : [] }

    /// Checks that the policy is for the one client that has the secret.
    func check(_ policy: PolicyOptions) throws(ValidationError) {
        guard secretFile != nil else { return }
        if let provider = policy.issuer.provider {
            throw ValidationError("--secret-file requires --issuer: \(provider.rawValue) signs ID tokens with keys.")
        }
        guard policy.audiences.count <= 1, policy.trustedAudiences.isEmpty, policy.authorizedParties.isEmpty else {
            throw ValidationError(
                "--secret-file: a secret is that of one client; give one --audience, and neither --trusted-audience nor --authorized-party."
            )
        }
    }

    /// Returns the source of a provider's keys, after a check that the options are either for keys or for a secret.
    ///
    /// - Parameters:
    ///   - keys: The options for keys.
    ///   - algorithms: The values of `--algorithm`.
    ///   - provider: The provider of the keys.
    /// - Returns: The source; one without keys if there is a secret.
    /// - Throws: `ValidationError` for a usage error.
    func source(
        or keys: KeyOptions,
        _ algorithms: [AcceptedAlgorithm],
        of provider: Provider
    ) throws(ValidationError) -> any ReportingKeySource {
        guard secretFile != nil else {
            if let algorithm = algorithms.ofSecret.first {
                throw ValidationError("--algorithm \(algorithm.rawValue) requires --secret-file: no key has it.")
            }
            return try keys.source(of: provider)
        }
        if let option = (keys.ofKeys + keys.fetching.given).first {
            throw ValidationError(
                "\(option) cannot be combined with --secret-file: tokens are signed with a key or with a secret."
            )
        }
        guard algorithms.ofKeys.isEmpty, algorithms.count <= 1 else {
            throw ValidationError("--algorithm: with --secret-file, it is one of HS256, HS384 and HS512.")
        }
        return NoKeys(of: provider)
    }

    /// Reads the secret; nil if there is none.
    ///
    /// - Parameters:
    ///   - algorithms: The values of `--algorithm`; empty for HS256.
    ///   - allowPublished: Whether to accept a published secret.
    /// - Returns: The secret.
    /// - Throws: `FileProblem` if the file cannot be read, or does not contain a secret.
    func read(_ algorithms: [AcceptedAlgorithm], allowPublished: Bool) throws(FileProblem) -> SharedSecret? {
        guard let secretFile else { return nil }
        let text = try readSecret(secretFile, isPrivate: true)
        do throws(PolicyError) {
            return try SharedSecret(
                text,
                encoding: secretEncoding ?? .text,
                algorithm: algorithms.ofSecret.first ?? .hs256,
                allowPublishedTestSecrets: allowPublished
            )
        } catch {
            throw FileProblem("cannot use \(ShownArgument(secretFile)): \(error.detail)")
        }
    }

    /// Returns a verifier, or a usage error if the secret is not one for the other options.
    static func checked<Verifier>(_ create: () throws(PolicyError) -> Verifier) throws(ValidationError) -> Verifier {
        do throws(PolicyError) {
            return try create()
        } catch {
            throw ValidationError("--secret-file: \(error.detail)")
        }
    }
}

/// The source for a verifier with a secret.
struct NoKeys: ReportingKeySource {
    private let snapshot: KeySnapshot

    init(of provider: Provider) {
        snapshot = KeySnapshot(provider: provider, keys: JSONWebKeySet([]))
    }

    var origin: KeyOrigin? { KeyOrigin(place: .secret) }

    var mayHaveOthersLater: Bool { false }

    func snapshot(for issuer: String) async throws(VerificationUnavailable) -> KeySnapshot { snapshot }

    func refreshed(for issuer: String, unknownKeyID: String?) async throws(VerificationUnavailable) -> KeySnapshot {
        snapshot
    }
}
#endif
