// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import ArgumentParser
internal import Foundation
internal import LoginTokens

/// The keys to verify with.
struct KeyOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The issuer's keys: a JWK set.", valueName: "file"), completion: .file())
    var keys: String

    @Flag(help: "Also use keys whose private half everybody can read, as in examples: for tests only.")
    var allowPublishedTestKeys = false

    /// Reads the keys; without them nothing is known about a token.
    func read() throws(KeysUnavailable) -> JSONWebKeySet {
        let content: Data
        do throws(FileProblem) {
            content = try readFile(keys, limit: Limits.keySetBytes)
        } catch {
            throw KeysUnavailable(detail: "\(error)")
        }
        do throws(KeySetError) {
            return try JSONWebKeySet(json: content, allowPublishedTestKeys: allowPublishedTestKeys)
        } catch {
            throw KeysUnavailable(detail: "\(quoted(keys)): \(error)")
        }
    }
}
#endif
