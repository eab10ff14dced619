// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTPClient
internal import Foundation
internal import Synchronization
internal import Testing

/// An independent OpenID provider, run for one test on this machine by `Tests/Providers/provider.py`.
///
/// It exits when its standard input is closed, so it never outlives the test program.
struct LiveProvider: Sendable {
    /// The implementation, by its name in `provider.py`.
    enum Kind: String, CaseIterable, Sendable {
        /// oidc-provider-mock, with a new key at each start, whose tokens have no `kid`.
        case mock
        /// django-oidc-provider, whose keys survive a restart, and whose tokens have a `kid`.
        case django
    }

    /// A user's login: the token, and the values known to the relying party.
    struct Login: Sendable {
        let nonce: String
        let token: String
        let accessToken: String
        /// The user's subject, from the provider's userinfo endpoint.
        let subject: String
    }

    /// The reason why the provider failed or could not be started.
    struct Failure: Error, CustomStringConvertible {
        let description: String

        init(_ description: String) {
            self.description = description
        }
    }

    let issuer: String
    let clientID: String
    let clientSecret: String
    let redirectURL: String

    private let input: FileHandle
    private let answers: AsyncStream<String>

    /// Runs a provider for the duration of the body.
    ///
    /// - Parameters:
    ///   - kind: The implementation.
    ///   - body: Uses the provider.
    /// - Throws: ``Failure`` if the provider cannot be started or controlled; rethrows errors of the body.
    static func running(_ kind: Kind, _ body: (LiveProvider) async throws -> Void) async throws {
        guard FileManager.default.isExecutableFile(atPath: python.path()) else {
            throw Failure("the OpenID providers are not installed: run `scripts/check-providers --prepare`")
        }
        let process = Process()
        process.executableURL = python
        process.arguments = [launcher.path(), kind.rawValue]
        process.environment = ["PYTHONDONTWRITEBYTECODE": "1", "PYTHONUTF8": "1"]
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        let answers = lines(of: output.fileHandleForReading)
        let (ended, end) = AsyncStream.makeStream(of: Never.self)
        process.terminationHandler = { _ in end.finish() }
        try process.run()
        let result: Result<Void, any Error>
        do {
            try await body(LiveProvider(input: input.fileHandleForWriting, answers: answers))
            result = .success(())
        } catch {
            result = .failure(error)
        }
        try? input.fileHandleForWriting.close()
        for await _ in ended {}
        try result.get()
    }

    private init(input: FileHandle, answers: AsyncStream<String>) async throws {
        self.input = input
        self.answers = answers
        let about = try await Self.answer(in: answers)
        issuer = try Self.member("issuer", of: about)
        clientID = try Self.member("client_id", of: about)
        clientSecret = try Self.member("client_secret", of: about)
        redirectURL = try Self.member("redirect_url", of: about)
    }

    /// Logs in a user with the authorization code flow, as a browser and a relying party would.
    func logIn(as user: String = "alice") async throws -> Login {
        let nonce = UUID().uuidString
        let answer = try await order(["do": "token", "user": user, "nonce": nonce])
        return Login(
            nonce: nonce,
            token: try Self.member("id_token", of: answer),
            accessToken: try Self.member("access_token", of: answer),
            subject: try Self.member("sub", of: answer)
        )
    }

    /// Logs in a user at this URL, as a browser would.
    ///
    /// - Returns: The URL to which the browser is redirected.
    func visit(_ url: String, as user: String = "alice") async throws -> String {
        try Self.member("url", of: try await order(["do": "visit", "user": user, "url": url]))
    }

    /// Makes the provider sign with a new key, and serve no other.
    func rotate() async throws { _ = try await order(["do": "rotate"]) }

    /// Makes the provider serve a second key beside the one it signs with.
    func announce() async throws { _ = try await order(["do": "announce"]) }

    /// Makes the provider sign with the announced key, and serve no other.
    func retire() async throws { _ = try await order(["do": "retire"]) }

    /// Kills the server, so that nothing listens at its port.
    func stop() async throws { _ = try await order(["do": "stop"]) }

    /// Starts the server again at the same port.
    func start() async throws { _ = try await order(["do": "start"]) }

    private func order(_ order: [String: String]) async throws -> [String: Any] {
        try input.write(contentsOf: try JSONEncoder().encode(order) + Data("\n".utf8))
        return try await Self.answer(in: answers)
    }

    private static func answer(in answers: AsyncStream<String>) async throws -> [String: Any] {
        for await line in answers {
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            guard let object else { throw Failure("the launcher says \(line)") }
            if let error = object["error"] { throw Failure("\(error)") }
            return object
        }
        throw Failure("the launcher has ended")
    }

    private static func member(_ name: String, of answer: [String: Any]) throws -> String {
        guard let value = answer[name] as? String else { throw Failure("the launcher's answer has no \(name)") }
        return value
    }

    /// Returns the lines that a program prints, read without blocking a thread of the tests.
    private static func lines(of file: FileHandle) -> AsyncStream<String> {
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        let rest = Mutex(Data())
        file.readabilityHandler = { file in
            let data = file.availableData
            guard !data.isEmpty else {
                file.readabilityHandler = nil
                return continuation.finish()
            }
            let lines = rest.withLock { rest in
                rest += data
                let parts = rest.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
                rest = Data(parts.last ?? Data())
                return parts.dropLast().map { String(decoding: $0, as: UTF8.self) }
            }
            for line in lines { continuation.yield(line) }
        }
        return stream
    }

    private static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    private static let python = root.appending(path: ".build-providers/bin/python")
    private static let launcher = root.appending(path: "Tests/Providers/provider.py")
}
#endif
