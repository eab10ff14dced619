// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import ArgumentParser
internal import Foundation
internal import LoginServer
internal import LoginTokens

/// The `key` command: operations on one key.
struct KeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key",
        abstract: "Convert a public key.",
        subcommands: [ConvertKeyCommand.self]
    )
}

/// A command that converts a public key between PEM form and a JWK set.
struct ConvertKeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert",
        abstract: "Convert a public key between PEM form and a JWK set.",
        discussion: """
            A public key or a certificate in PEM form is converted to a JWK set, for --keys; a JWK or a JWK set is converted to \
            a public key in PEM form. Private keys are refused.

              verify-token key convert public.pem --key-id key-1 > keys.json

            Exit status: 0 converted; 2 not a public key, or the file cannot be read; 64 usage error, or the file does not exist.
            """
    )

    @Argument(help: ArgumentHelp("The file with the key.", valueName: "file"), completion: .file())
    var file: String

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The key ID (kid): of the written key, or of the key to read from a set.",
            valueName: "id"
        )
    )
    var keyID: String?

    func run() throws {
        do {
            let content = try readFile(file, limit: Limits.keySetBytes)
            if PEM.isPEM(content) {
                let keySet = try PEM.keySet(content, keyID: keyID)
                // Refuses weak keys, as verification does.
                if let unusable = try JSONWebKeySet(json: keySet, allowPublishedTestKeys: true).unusableKeys.first {
                    throw unusable
                }
                try show(String(decoding: keySet, as: UTF8.self))
            } else {
                try show(pem(JSONDocument.read(content.withoutByteOrderMark, limits: .keySet).root))
            }
        } catch let error as FileProblem {
            FileHandle.warn("\(error)")
            throw error.status
        } catch let error where !(error is ExitCode) {
            let reason = error is JSONError ? "it is neither PEM nor strict JSON: \(error)" : "\(error)"
            FileHandle.warn("cannot convert \(ShownArgument(file)): \(reason)")
            throw ExitCode.undecided
        }
    }

    /// Returns the PEM form of the key in a document.
    private func pem(_ root: JSONValue) throws -> String {
        let keys = (root["keys"]?.elements ?? [root]).filter { key in
            keyID.map { key["kid"]?.isString($0) == true } ?? true
        }
        guard let key = keys.first, keys.count == 1 else {
            throw PEMError("\(keys.count) keys match; select one with --key-id")
        }
        // Refuses private and weak keys.
        let publicKey = try JSONWebKey(key, allowPublishedTestKeys: true).publicKey
        guard let text = PEM.text(publicKey) else { throw PEMError("OpenSSL rejects its key") }
        return text
    }
}
#endif
