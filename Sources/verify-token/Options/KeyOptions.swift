// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import ArgumentParser
internal import Foundation
internal import LoginTokens

/// The keys to verify with.
struct KeyOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The issuer's keys: a JWK set.", valueName: "file"), completion: .file())
    var keys: String?

    @Flag(help: "Also use keys whose private half everybody can read, as in examples: for tests only.")
    var allowPublishedTestKeys = false

    /// What was not said and has no default.
    ///
    /// Were the option required, the parser would tell of it alone, and the next time of the rest.
    var missing: [String] {
        keys == nil ? ["--keys <file>: the issuer's keys"] : []
    }

    /// Reads the keys; without them nothing is known about a token.
    ///
    /// - Parameter provider: Whose keys they must be, where that is known: the error then says where to get them.
    /// - Returns: The keys.
    /// - Throws: ``KeysUnavailable`` if there is no file of keys.
    func read(of provider: Provider? = nil) throws(KeysUnavailable) -> JSONWebKeySet {
        let keys = keys ?? ""
        let source = provider.flatMap { known in
            known.keySetURL.map { "; \(known.name) publishes its keys at \($0)" }
        }
        let hint = source ?? ""
        let content: Data
        do throws(FileProblem) {
            content = try readFile(keys, limit: Limits.keySetBytes)
        } catch {
            throw KeysUnavailable(detail: "\(error)\(hint)")
        }
        do throws(KeySetError) {
            return try JSONWebKeySet(json: content, allowPublishedTestKeys: allowPublishedTestKeys)
        } catch {
            throw KeysUnavailable(detail: "\(quoted(keys)): \(error)\(hint)")
        }
    }
}
#endif
