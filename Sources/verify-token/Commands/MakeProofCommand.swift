// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import ArgumentParser
internal import Foundation
internal import LoginCrypto
internal import LoginServer
internal import LoginTesting
internal import LoginTokens

/// A command that makes a DPoP proof for one request.
struct MakeProofCommand: WaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "make",
        abstract: "Make a DPoP proof for one request, and print it.",
        usage: """
            verify-token dpop make (--key <file> | --new-key <file>)
                --method <method> --url <url> [--access-token-file <file>]
                [--nonce <value>] [<options>]
            """,
        discussion: """
            For developers who test an API or a token endpoint. Each proof has a new ID, and servers accept it for about a minute.

              verify-token dpop make --new-key client.pem --method POST \\
                --url https://login.example.com/token --format json
              curl https://api.example/orders -H "Authorization: DPoP $(cat token)" \\
                -H "DPoP: $(verify-token dpop make --key client.pem --method GET \\
                --url https://api.example/orders --access-token-file token)"

            With --format json, an object has the proof, its algorithm, and the thumbprint of the key, which is the cnf.jkt of \
            tokens that are bound to it.

            Exit status: 0 made; 2 the key cannot be used, or a file cannot be read or written; 64 usage error, a file that does \
            not exist, or an existing file that would be created.
            """
    )

    @Option(
        help: ArgumentHelp(
            "A file with the private key in PEM form, not encrypted: RSA, EC (P-256, P-384, P-521) or Ed25519.",
            valueName: "file"
        ),
        completion: .file()
    )
    var key: String?

    @Option(
        help: ArgumentHelp(
            "Generate a key, and store it in this new file, which only you can read. An existing file is not overwritten.",
            valueName: "file"
        ),
        completion: .file()
    )
    var newKey: String?

    @Option(
        help: ArgumentHelp(
            "The algorithm, one of the key's type. By default ES256 for a new key; for an RSA key RS256.",
            valueName: "name"
        )
    )
    var algorithm: SignatureAlgorithm?

    @OptionGroup var request: ProofRequestOptions
    @OptionGroup var token: PresentedTokenOptions

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The nonce of the server, from its field DPoP-Nonce.", valueName: "value")
    )
    var nonce: String?

    @OptionGroup var time: TimeOptions

    @Option(help: "The output: the proof alone, or an object.")
    var format = ReportFormat.text

    func validate() throws {
        let isKeyMissing = key == nil && newKey == nil
        try VerifyToken.require(
            nothing: (isKeyMissing ? ["--key <file> or --new-key <file>: the private key"] : []) + request.missing
        )
        guard key == nil || newKey == nil else { throw ValidationError("Give only one of --key and --new-key.") }
        guard key != "", newKey != "", nonce != "" else {
            throw ValidationError("The value of --key, --new-key or --nonce is empty.")
        }
        guard !ShownArgument(newKey ?? "").hasToken else {
            throw ValidationError("The value of --new-key looks like a token. Give the name of a file for the key.")
        }
    }

    func run() async throws {
        do {
            let token = try token.read()
            let privateKey = try privateKey()
            let algorithm = try signingAlgorithm(of: privateKey)
            let made = try await proof(by: TestKey(privateKey: privateKey, algorithm: algorithm), for: token)
            // The key is stored only with a proof, so that the next attempt is not refused because of the file.
            if let newKey { try store(privateKey, in: newKey) }
            switch format {
            case .text: try show(made.proof)
            case .json: try show(encodedJSON(made, pretty: false))
            }
        } catch let error as FileProblem {
            FileHandle.warn("\(error)")
            throw error.status
        }
    }

    /// Makes a proof, and checks it as a server does.
    private func proof(by key: TestKey, for token: String?) async throws -> MadeProof {
        let clock = ManualClock(try time.clock().now)
        let prover = TestProver(key: key, clock: clock)
        let text = prover.proof(method: request.method ?? "", url: request.target, token: token, nonce: nonce)
        let policy = try DPoPPolicy(algorithms: [key.algorithm])
        let verifier = DPoPVerifier(policy: policy, ledger: InMemoryDPoPLedger(capacity: 1), clock: clock)
        do throws(VerificationError) {
            let proof = try await verifier.verify(request.request(proofs: [text]))
            return MadeProof(proof: text, algorithm: key.algorithm.rawValue, keyThumbprint: proof.keyThumbprint)
        } catch {
            throw ValidationError(error.code == .proofURL ? "--url: \(error)." : "\(error).")
        }
    }

    /// Reads or generates the private key.
    private func privateKey() throws(FileProblem) -> PrivateKey {
        guard let key else { return Self.generatedKey(algorithm ?? .es256) }
        let content = try readFile(key, limit: Limits.keySetBytes)
        do throws(PEMError) {
            return try PEM.privateKey(content)
        } catch {
            throw FileProblem("cannot use \(ShownArgument(key)): \(error)")
        }
    }

    /// Returns the algorithm, which must fit the key; the key must be strong enough.
    private func signingAlgorithm(of privateKey: PrivateKey) throws -> SignatureAlgorithm {
        let accepted = privateKey.algorithms
        let algorithm = algorithm ?? accepted[0]
        guard accepted.contains(algorithm) else {
            let names = accepted.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("--algorithm: the key can sign with \(names), not with \(algorithm.rawValue).")
        }
        do throws(UnusableKey) {
            _ = try TestKey(privateKey: privateKey, algorithm: algorithm).publicKey()
        } catch {
            throw FileProblem("cannot use \(ShownArgument(key ?? "")): \(error)")
        }
        return algorithm
    }

    private static func generatedKey(_ algorithm: SignatureAlgorithm) -> PrivateKey {
        switch algorithm {
        case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512: PrivateKey(rsaBits: 2048)
        case .es256: PrivateKey(curve: .p256)
        case .es384: PrivateKey(curve: .p384)
        case .es512: PrivateKey(curve: .p521)
        case .edDSA, .ed25519: PrivateKey.ed25519()
        }
    }

    /// Stores a key in a new file that only its owner can read.
    private func store(_ privateKey: PrivateKey, in path: String) throws(FileProblem) {
        guard let pem = PEM.privateKeyText(privateKey) else {
            throw FileProblem("OpenSSL cannot encode the new key")
        }
        let file = try Descriptor.makePrivateFile(path)
        do {
            try file.write(contentsOf: Data((pem + "\n").utf8))
            try file.synchronize()
            try file.close()
        } catch {
            // A partial key would block the next attempt.
            try? FileManager.default.removeItem(atPath: path)
            throw FileProblem("cannot write", path, error)
        }
    }
}

/// A proof with the facts about its key.
private struct MadeProof: Encodable {
    let proof: String
    let algorithm: String
    let keyThumbprint: String
}

extension PrivateKey {
    /// The algorithms that the key can sign with, the usual one first.
    fileprivate var algorithms: [SignatureAlgorithm] {
        switch numbers {
        case .rsa: [.rs256, .ps256, .rs384, .ps384, .rs512, .ps512]
        case .ec(.p256, _, _): [.es256]
        case .ec(.p384, _, _): [.es384]
        case .ec(.p521, _, _): [.es512]
        case .ed25519: [.edDSA, .ed25519]
        }
    }
}
#endif
