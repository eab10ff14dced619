// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import ArgumentParser
internal import Foundation
internal import LimitedLoginTesting
internal import LoginServer
internal import LoginTesting
internal import LoginTokens

/// A command that creates sample keys and tokens, to try the other commands offline.
struct SampleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sample",
        abstract: "Create keys and tokens, valid and invalid, to try the other commands offline.",
        discussion: """
            The ID tokens are for the client sample-app, the access tokens for the API https://api.sample.invalid; one of them is \
            bound to the key of a DPoP proof. The issuer is https://sample.invalid, a reserved name that no real issuer can have. \
            The private keys are not stored.
            """
    )

    @Argument(
        help: ArgumentHelp("The folder to write to. Existing files are not overwritten.", valueName: "dir"),
        completion: .directory
    )
    var folder: String

    @Option(help: ArgumentHelp("The signature algorithm.", valueName: "name"))
    var algorithm = SignatureAlgorithm.rs256

    func validate() throws {
        guard !folder.isEmpty else { throw ValidationError("The name of the folder is empty.") }
        guard !ShownArgument(folder).hasToken else {
            throw ValidationError(
                "The name of the folder looks like a token. Give the name of a folder for the sample."
            )
        }
    }

    func run() throws {
        let sample = Sample(algorithm)
        var written: [URL] = []
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            // Enter the folder as the system resolves it: a URL would remove `link/..` before the link is followed.
            guard FileManager.default.changeCurrentDirectoryPath(folder) else { throw CocoaError(.fileNoSuchFile) }
            for file in sample.files {
                // Neither write through another user's file of this name, nor overwrite an existing file.
                let url = URL(filePath: file.name)
                if !FileManager.default.fileExists(atPath: file.name) { written.append(url) }
                try Data((file.content + "\n").utf8).write(to: url, options: .withoutOverwriting)
            }
        } catch {
            // A partial sample would block the next attempt.
            for url in written { try? FileManager.default.removeItem(at: url) }
            let problem = FileProblem("cannot write a sample to", folder, error)
            FileHandle.warn(problem.isExisting ? "\(problem). Choose an empty folder." : "\(problem)")
            throw problem.status
        }
        try show(sample.guide(folder: folder))
    }
}

/// The files of one sample, and a guide to them.
private struct Sample {
    /// The identifier of the API that the access tokens are for.
    private static let api = "https://api.sample.invalid"

    /// The URL of the request that the proof is for.
    private static let resource = "https://api.sample.invalid/orders"

    private let nonce: String
    private let issuer: TestIssuer
    private let accessTokens: TestIssuer
    private let prover: TestProver
    private let facebook: FacebookStandIn

    init(_ algorithm: SignatureAlgorithm) {
        nonce = Nonce.random()
        issuer = TestIssuer(
            provider: .openID(issuers: ["https://sample.invalid"]),
            audience: "sample-app",
            clock: ManualClock(Date()),
            key: TestKey(algorithm)
        )
        accessTokens = TestIssuer(
            accessTokensOf: AccessTokenIssuer(issuer.provider),
            audience: Self.api,
            clock: issuer.clock,
            key: issuer.key
        )
        prover = TestProver(clock: issuer.clock)
        facebook = FacebookStandIn(appSecret: Nonce.random(), clock: issuer.clock)
    }

    var files: [(name: String, content: String)] {
        let bound = accessToken { $0.claims["cnf"] = prover.confirmation }
        return [
            ("keys.json", issuer.keySet.text),
            ("good.jwt", token()),
            ("expired.jwt", twoHoursAgo { token() }),
            ("another-app.jwt", token { $0.claims["aud"] = "another-app" }),
            ("another-key.jwt", token { $0.signing = .key(TestKey(issuer.key.algorithm)) }),
            ("no-subject.jwt", token { $0.claims["sub"] = nil }),
            ("access.jwt", accessToken()),
            ("access-expired.jwt", twoHoursAgo { accessToken() }),
            ("access-another-api.jwt", accessToken { $0.claims["aud"] = "https://another-api.sample.invalid" }),
            ("access-bound.jwt", bound),
            ("proof.jwt", prover.proof(method: "GET", url: Self.resource, token: bound)),
            ("signed-request.txt", facebook.signedRequest()),
            ("app-secret.txt", facebook.appSecret),
        ]
    }

    private func token(_ change: (inout TestToken) -> Void = { _ in }) -> String {
        issuer.token(nonce: nonce) { token in
            token.claims["name"] = "Sam Sample"
            token.claims["email"] = "sam@sample.invalid"
            change(&token)
        }
    }

    private func accessToken(_ change: (inout TestToken) -> Void = { _ in }) -> String {
        accessTokens.accessToken(scopes: ["orders:read"]) { token in
            change(&token)
        }
    }

    /// Issues a token with the clock set back by two hours.
    private func twoHoursAgo(_ issue: () -> String) -> String {
        issuer.clock.advance(by: .seconds(-7200))
        defer { issuer.clock.advance(by: .seconds(7200)) }
        return issue()
    }

    func guide(folder: String) -> String {
        // The command as it was called, because it may not be in the shell's search path.
        let command = shellWord(CommandLine.arguments.first ?? "verify-token")
        let file = { (name: String) in
            shellWord((folder.hasPrefix("-") ? "./" : "") + folder + (folder.hasSuffix("/") ? "" : "/") + name)
        }
        let algorithm = issuer.key.algorithm == .rs256 ? "" : " --algorithm \(issuer.key.algorithm.rawValue)"
        let options =
            "--issuer https://sample.invalid --audience sample-app --nonce \(nonce) --keys \(file("keys.json"))\(algorithm)"
        let access =
            "--issuer https://sample.invalid --audience \(Self.api) --scope orders:read --keys \(file("keys.json"))\(algorithm)"
        let request =
            "--proof \(file("proof.jwt")) --method GET --url \(Self.resource) --at \(Int(issuer.clock.now.timeIntervalSince1970))"
        let callback = "--app-id \(facebook.appID) --app-secret-file \(file("app-secret.txt"))"
        return """
            wrote \(files.map(\.name).joined(separator: ", ")); good.jwt, access.jwt, access-bound.jwt and signed-request.txt are \
            valid for an hour, and proof.jwt for a minute, or as of its time with --at. Try:

              \(command) verify \(file("good.jwt")) \(options) --explain
              \(command) verify \(file("another-app.jwt")) \(options)
              \(command) access \(file("access.jwt")) \(access) --explain
              \(command) access \(file("access-another-api.jwt")) \(access)
              \(command) access \(file("access-bound.jwt")) \(access) \(request)
              \(command) inspect \(file("good.jwt"))
              \(command) jws \(file("good.jwt")) --keys \(file("keys.json"))\(algorithm)
              \(command) signed-request \(file("signed-request.txt")) \(callback)
            """
    }
}

/// Returns the text as one word for a shell, quoted if necessary.
private func shellWord(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "-")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "+"): true
        default: false
        }
    }
    guard text.isEmpty || !isPlain else { return text }
    return "'" + printable(text).replacing("'", with: "'\\''") + "'"
}
#endif
