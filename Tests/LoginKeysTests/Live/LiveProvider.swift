// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTPClient
internal import Foundation
internal import Synchronization
internal import Testing

/// An OpenID provider that others wrote, run for one test on this machine by `Tests/Providers/provider.py`.
///
/// It ends with the pipe to its standard input, so it does not outlive the test program, however that ends.
struct LiveProvider: Sendable {
    /// Which one, as `provider.py` calls it.
    enum Kind: String, CaseIterable, Sendable {
        /// oidc-provider-mock, a new key at each start, whose tokens do not name it.
        case mock
        /// django-oidc-provider, whose keys outlive a restart, and whose tokens name theirs.
        case django
    }

    /// A person's login: the token, and what the relying party knows beside it.
    struct Login: Sendable {
        let nonce: String
        let token: String
        let accessToken: String
        /// Who logged in, by the provider's userinfo endpoint.
        let subject: String
    }

    /// What the provider could not do, or why there is none.
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

    /// Runs a provider for as long as the body takes.
    ///
    /// - Parameters:
    ///   - kind: Which one.
    ///   - body: What needs it.
    /// - Throws: ``Failure`` if it does not run or does not do as it is told, and what the body throws.
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

    /// Logs somebody in by the authorization code flow, as a browser and a relying party would.
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

    /// Logs somebody in who was sent to this URL, as a browser would.
    ///
    /// - Returns: Where the browser is sent back to.
    func visit(_ url: String, as user: String = "alice") async throws -> String {
        try Self.member("url", of: try await order(["do": "visit", "user": user, "url": url]))
    }

    /// Has it sign with a new key, and serve no other.
    func rotate() async throws { _ = try await order(["do": "rotate"]) }

    /// Has it serve a second key beside the one it signs with.
    func announce() async throws { _ = try await order(["do": "announce"]) }

    /// Has it sign with the announced key, and serve no other.
    func retire() async throws { _ = try await order(["do": "retire"]) }

    /// Kills its server, so that nobody listens at its port.
    func stop() async throws { _ = try await order(["do": "stop"]) }

    /// Starts its server again, at the same port.
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

    /// What a program prints, line by line, read without holding up a thread.
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
