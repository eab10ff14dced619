// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Foundation
import LoginClient
import LoginClientURLSession
import Synchronization
import Tweaks

/// A client of the service that Tests/service/client.py controls.
///
///     ClientConsumer SERVICE_URL FILE preferences|tokens
///
/// The tokens are stored in a file of the application's own format, or in a `TokenFile`. Each line of standard input is
/// a command; each command prints the states that the handler of the session received, then `done`, or `error` with a
/// code. No output contains a token.
@main
struct ClientConsumer {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 4 else {
            preconditionFailure("usage: ClientConsumer SERVICE_URL FILE preferences|tokens")
        }
        let consumer = try Consumer(
            transport: URLSessionTransport(arguments[1], userAgent: "ClientConsumer/1.0"),
            cache: arguments[3] == "tokens" ? TokenFile(path: arguments[2]) : PreferenceFile(path: arguments[2]),
            tweaks: Tweaks(persistence: PreferenceFile(path: arguments[2]))
        )
        while let line = readLine() {
            do {
                let output = try await consumer.run(line.split(separator: " ", maxSplits: 1).map(String.init))
                say(([output].filter { !$0.isEmpty } + ["done"]).joined(separator: "\n"))
            } catch let error as LoginClientError {
                say("error \(error.code.rawValue)")
            } catch let error as TweakError {
                say("error \(error.code)")
            }
        }
    }
}

/// The session of the client, and its clock.
final class Consumer: Sendable {
    private let transport: URLSessionTransport
    private let cache: any TokenCachingStrategy
    private let tweaks: Tweaks
    private let state: Mutex<State>

    private struct State {
        var session: ClientSession
        var attempt: ClientAttempt?
    }

    /// The seconds by which the client's clock is ahead, so that its tokens have expired.
    private static let ahead = Mutex(0.0)

    init(transport: URLSessionTransport, cache: any TokenCachingStrategy, tweaks: Tweaks) {
        self.transport = transport
        self.cache = cache
        self.tweaks = tweaks
        state = Mutex(State(session: Self.session(transport, cache)))
    }

    private static func session(_ transport: URLSessionTransport, _ cache: any TokenCachingStrategy) -> ClientSession {
        say("state created")
        return ClientSession(transport: transport, caching: cache) { state, error in
            let reason = (error as? LoginClientError).map { " because of \($0.code.rawValue)" } ?? ""
            say("state \(state)\(reason)")
        } now: {
            Date(timeIntervalSinceNow: ahead.withLock { $0 })
        }
    }

    /// Runs a command, and returns its output.
    func run(_ words: [String]) async throws -> String {
        let session = state.withLock(\.session)
        switch (words[0], words.last ?? "") {
        case ("new", _):
            state.withLock { $0 = State(session: Self.session(transport, cache)) }
        case ("begin", let provider):
            let attempt = try await session.begin(provider: provider)
            state.withLock { $0.attempt = attempt }
            return "nonce \(attempt.nonce)"
        case ("sign-in", let token):
            guard let attempt = state.withLock(\.attempt) else { return "no attempt" }
            guard case .signedIn(let result) = try await session.signIn(with: .idToken(token, attempt: attempt)) else {
                return "not signed in"
            }
            return "account \(result.account.id)"
        case ("load", _): return "loaded \(try await session.load())"
        case ("open", _): try await session.open()
        case ("get", let path):
            return "status \(try await session.send(LoginClientRequest("GET", path)).status)"
        case ("account", _): return "account \(try await session.account().id)"
        case ("rename", let name):
            return "name \(try await session.user.updateProfile(displayName: name).displayName ?? "")"
        case ("current", _): return "level \(try await session.user.currentSession().level)"
        case ("keep", let token): try await session.keep(ClientProviderToken(token), of: "facebook")
        case ("kept", _): return await session.providerToken(of: "facebook") == nil ? "no token" : "token"
        case ("ahead", let seconds): Self.ahead.withLock { $0 = Double(seconds) ?? 0 }
        case ("close", _): try await session.closeKeepingTokens()
        case ("sign-out", _): try await session.signOut()
        case ("cancel", _): try await session.cancelSignIn()
        case ("cached", _): return try await cache.fetch() == nil ? "no tokens" : "tokens"
        case ("tweak", let value):
            try await tweaks.load()
            let pause = Tweak("Client", "Requests", "Pause", default: 30, in: 0...600, in: tweaks)
            if value != "tweak", let entry = tweaks.report.values.first {
                try await tweaks.set(entry.id, to: value, expecting: entry.revision, by: "ada")
            }
            return "pause \(pause.value)"
        default: return "unknown command"
        }
        return ""
    }
}

/// Prints a line, without a buffer: the program that reads it waits for it.
private func say(_ line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
}
