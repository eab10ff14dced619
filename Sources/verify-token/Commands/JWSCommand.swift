// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import ArgumentParser
internal import Foundation
internal import LoginServer
internal import LoginTokens

/// A command that verifies only the signature of a token.
struct JWSCommand: WaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "jws",
        abstract: "Verify only the signature, and print the payload.",
        usage: """
            verify-token jws [<file>] (--keys <file or url> | --secret-file <file>)
                [--algorithm <name> ...] [<options>]
            """,
        discussion: """
            The issuer, the audience and the times of an ID token are not checked. A refusal is written to standard error, with \
            the reason.
            """
    )

    @OptionGroup var input: TokenInput
    @OptionGroup(title: "The keys") var keys: KeyOptions
    @OptionGroup(title: "The secret, instead of keys") var secret: SharedSecretOptions

    @Option(
        name: .customLong("algorithm"),
        help: ArgumentHelp(
            "An accepted algorithm; RS256 by default, and HS256 with --secret-file. May be repeated for keys.",
            valueName: "name"
        )
    )
    var algorithms: [AcceptedAlgorithm] = []

    /// The accepted algorithms of keys.
    private var keyAlgorithms: Set<SignatureAlgorithm> { algorithms.ofKeys.isEmpty ? [.rs256] : algorithms.ofKeys }

    @OptionGroup var limits: LimitOptions

    func validate() throws {
        let isMissing = keys.keys == nil && secret.secretFile == nil
        try VerifyToken.require(nothing: isMissing ? ["--keys <file or url>: the issuer's keys"] : [])
        _ = try secret.source(or: keys, algorithms, of: keys.unnamedProvider)
    }

    func run() async throws {
        var notes: [String] = []
        let text = try input.read(notes: &notes, limit: self.limits.maxTokenBytes)
        let source = try secret.source(or: keys, algorithms, of: keys.unnamedProvider)
        let limits = try self.limits.tokenLimits()
        let payload: [UInt8]
        do {
            let token = try CompactJWS(text, limits: limits)
            let sharedSecret = try secret.read(algorithms, allowPublished: keys.fetching.allowPublishedTestKeys)
            payload =
                if let sharedSecret {
                    try token.verified(with: sharedSecret).payload
                } else {
                    try await verified(token, from: source).payload
                }
        } catch let unavailable as VerificationUnavailable {
            FileHandle.warn("\(unavailable)")
            throw source.failureStatus
        } catch let problem as FileProblem {
            FileHandle.warn("\(problem)")
            throw problem.status
        } catch {
            warn(about: error, text, limits)
            throw ExitCode.refused
        }
        do {
            try print(payload)
        } catch {
            FileHandle.warn("\(FileProblem("cannot write", "standard output", error))")
            throw ExitCode.undecided
        }
    }

    /// Writes a refusal to standard error.
    ///
    /// For input that is not a token, adds what was recognized and the command for it.
    private func warn(about error: any Error, _ text: String, _ limits: TokenLimits) {
        guard let refusal = error as? TokenRefusal else { return FileHandle.warn("\(error)") }
        do throws(TokenRefusal) {
            _ = try UnverifiedToken(inspecting: text, limits: limits)
            FileHandle.warn("\(refusal)")
        } catch {
            // This error has the same code, and also names the recognized input.
            let shown = error.code == refusal.code ? error : refusal
            let hint = RefusalHints.command(for: shown.recognizedAs).map { "\n  hint: \($0)" } ?? ""
            FileHandle.warn("\(shown)\(hint)")
        }
    }

    /// Verifies the signature while the key source is running.
    private func verified(_ token: CompactJWS, from source: any ReportingKeySource) async throws -> VerifiedJWS {
        let result: Result<VerifiedJWS, any Error> = await source.serving {
            do {
                return .success(try await verified(token, with: source))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    /// Verifies the token with the current keys, and again with newer keys if none of them has signed it.
    private func verified(_ token: CompactJWS, with source: any ReportingKeySource) async throws -> VerifiedJWS {
        let provider = keys.unnamedProvider
        let keyID = token.header.keyID
        do {
            return try token.verified(with: await source.keys(of: provider), algorithms: keyAlgorithms)
        } catch let refusal as TokenRefusal where refusal.code == .signature && keyID != nil {
            // The issuer may have reused the ID for a new key. If no newer keys are available, the current key
            // decides.
            guard let newer = try? await source.refreshedKeys(of: provider, unknownKeyID: nil) else { throw refusal }
            return try token.verified(with: newer, algorithms: keyAlgorithms)
        } catch let refusal as TokenRefusal where [.keyNotFound, .signature].contains(refusal.code) {
            let newer = try await source.refreshedKeys(of: provider, unknownKeyID: keyID)
            return try token.verified(with: newer, algorithms: keyAlgorithms)
        }
    }

    /// Prints the payload byte for byte; on a terminal, with unsafe characters escaped.
    private func print(_ payload: [UInt8]) throws {
        guard isatty(STDOUT_FILENO) == 1 else {
            return try FileHandle.standardOutput.write(contentsOf: Data(payload))
        }
        let text = String(decoding: payload, as: UTF8.self)
        let shown = escaping(text, where: { $0 != "\n" && isObeyedByTerminals($0) }) { printable(String($0)) }
        try FileHandle.standardOutput.write(contentsOf: Data((shown + "\n").utf8))
        if !shown.utf8.elementsEqual(payload) {
            FileHandle.warn(
                "characters that are unsafe on a terminal are escaped; a file or a pipe receives the payload unchanged"
            )
        }
    }
}
#endif
