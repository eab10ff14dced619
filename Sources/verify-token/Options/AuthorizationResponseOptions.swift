// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import ArgumentParser
internal import Foundation
internal import LoginServer
internal import LoginTokens

/// The access token and authorization code that came with the token, to compare with its hashes.
///
/// Both are secrets, so they are read from files only: other users of the machine can see arguments.
struct AuthorizationResponseOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The access token received with the ID token; at_hash must be its hash.", valueName: "file"),
        completion: .file()
    )
    var accessTokenFile: String?

    @Option(
        help: ArgumentHelp(
            "The authorization code received with the ID token; c_hash must be its hash.",
            valueName: "file"
        ),
        completion: .file()
    )
    var codeFile: String?

    @Flag(help: "Accept a token without these hashes, for example one from the token endpoint.")
    var hashesIfPresent = false

    func validate() throws {
        guard !hashesIfPresent || accessTokenFile != nil || codeFile != nil else {
            throw ValidationError("--hashes-if-present requires --access-token-file or --code-file.")
        }
    }

    /// Reads the access token; nil if no file is given.
    func accessToken() throws(FileProblem) -> HashExpectation? {
        try accessTokenFile.map(expectation)
    }

    /// Reads the authorization code; nil if no file is given.
    func code() throws(FileProblem) -> HashExpectation? {
        try codeFile.map(expectation)
    }

    private func expectation(_ path: String) throws(FileProblem) -> HashExpectation {
        let value = try readCredential(path)
        return hashesIfPresent ? .ifPresent(value) : .required(value)
    }
}
#endif
