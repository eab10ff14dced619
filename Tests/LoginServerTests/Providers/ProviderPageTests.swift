// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
import Foundation
import LoginAccounts
import LoginKeys
import LoginProviders
import LoginTesting
import LoginTokens
import Testing

@testable import LoginPages
@testable import LoginServer

/// The pages of `docs/guides/providers`, each against a stand-in for its provider.
@Suite struct ProviderPageTests {
    private static let publicURL = "https://login.example.com"
    private static let secret = "0123456789abcdef0123456789abcdef"

    /// The result of a login: the user, or the failure in the words of the log.
    private enum Outcome: Sendable {
        case user(ProviderStandIn.User)
        case failure(String)

        /// The result in the words of a page or of the log.
        var words: String {
            switch self {
            case .failure(let text): text
            case .user(let user):
                [
                    user.name == nil ? "no name" : "name",
                    user.email == nil
                        ? "no e-mail address"
                        : user.isEmailVerified ? "verified e-mail address" : "unverified e-mail address",
                ].joined(separator: ", ")
            }
        }
    }

    /// Runs the service with a configuration, and signs a user in.
    private static func outcome(_ yaml: String, at provider: ProviderStandIn) async throws -> Outcome {
        let directory = FileManager.default.temporaryDirectory.appending(path: "providers-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        for match in yaml.matches(of: #//etc/login/([a-z0-9.]+)/#) {
            _ = FileManager.default.createFile(
                atPath: directory.appending(path: match.1).path,
                contents: Data(match.1.hasSuffix(".pem") ? StandInServer.clientKeyPEM.utf8 : "\(secret)\n".utf8),
                attributes: [.posixPermissions: 0o600]
            )
        }
        let file = directory.appending(path: "service.yaml")
        try Data(yaml.replacing("/etc/login/", with: "\(directory.path)/").utf8).write(to: file)
        do {
            let reader = ConfigurationFileReader(
                flags: ["public-url": publicURL],
                environment: ["HOME": directory.path]
            )
            let configuration = try reader.configuration(try ServiceFile(Array(try Data(contentsOf: file))))
            let declared = try configuration.signInProviders()
            let keys = try configuration.keyProviders(beside: declared.filter(\.usesKeys).map(\.provider))
            return .user(try await user(try #require(declared.first), keys: keys, at: provider))
        } catch {
            return .failure(words(error))
        }
    }

    /// Signs a user in with a browser.
    private static func user(
        _ declared: SignInProvider,
        keys: [Provider],
        at provider: ProviderStandIn
    ) async throws -> ProviderStandIn.User {
        let clock = ManualClock()
        let redirectURI = try ProviderPage(named: provider.page).redirectURI.replacing("https://HOST", with: publicURL)
        let server = StandInServer(provider, redirectURI: redirectURI, secret: secret, clock: clock)
        let auth = Auth(
            store: InMemoryAccountStore(),
            providers: try SignInProviders(
                [declared],
                keys: try KeyCache(providers: keys, transport: server, wallClock: clock),
                transport: server,
                clock: clock
            ),
            secrets: AccountSecrets(repeating: 7),
            clock: clock
        )
        let logins = BrowserLogin(auth: auth, publicURL: publicURL)
        let name = declared.id.rawValue
        let started = try await logins.begin(.signIn, at: name, returnTo: nil)
        #expect(started.postsForm == (provider.form != nil))
        let outcome = try await logins.finish(
            try server.visit(started.url),
            at: name,
            started.pendingLogin,
            session: nil,
            from: RequestOrigin(address: "198.51.100.7")
        )
        guard case .signIn(let signIn, _) = outcome else { throw Cancelled() }
        let result = try signIn.get()
        return ProviderStandIn.User(
            subject: try #require(result.identity?.subject),
            email: result.account.email,
            isEmailVerified: result.account.isEmailVerified,
            name: result.account.displayName
        )
    }

    /// The user cancelled, or the provider says so.
    private struct Cancelled: Error, CustomStringConvertible {
        let description = "cancelled"
    }

    private static func words(_ error: any Error) -> String {
        guard let failure = error as? BrowserLogin.Failure else { return "\(error)" }
        return failure.reason.map { "\($0)" } ?? failure.error.map { "\($0)" } ?? "\(failure.problem)"
    }

    @Test(arguments: ProviderStandIn.all)
    func `the configuration of a page signs a user in`(_ provider: ProviderStandIn) async throws {
        let yaml = try ProviderPage(named: provider.page).configuration(provider.configuration)
        switch try await Self.outcome(yaml, at: provider) {
        case .user(let user): #expect(user == provider.user)
        case .failure(let words): Issue.record("\(words)")
        }
    }

    @Test(arguments: ProviderStandIn.all.filter { $0.declaration != nil })
    func `the declaration of a page signs the same user in, or one with what only Swift can request`(
        _ provider: ProviderStandIn
    ) async throws {
        let credential = provider.authentication == [.assertion] ? StandInServer.clientKeyPEM : Self.secret
        let declared = try #require(try provider.declaration?(credential))
        let user = try await Self.user(declared, keys: [declared.provider], at: provider)
        #expect(user == provider.declaredUser ?? provider.user)
    }

    @Test(arguments: ProviderStandIn.all)
    func `a usual mistake has the result that its page names`(_ provider: ProviderStandIn) async throws {
        let page = try ProviderPage(named: provider.page)
        let yaml = try page.configuration(provider.configuration)
        let correct = try await Self.outcome(yaml, at: provider).words
        for (mistake, result) in zip(provider.mistakes, page.results.dropFirst(provider.firstResult)) {
            var (changedYAML, changed) = (yaml, provider)
            mistake.change(&changedYAML, &changed)
            let words = try await Self.outcome(changedYAML, at: changed).words
            #expect(!result.isEmpty && result.allSatisfy(words.contains), "\(result) is not: \(words)")
            #expect(!result.allSatisfy(correct.contains), "\(result) needs no mistake: \(correct)")
        }
    }

    @Test func `every page has a stand-in, and every result on it is that of a tested mistake`() throws {
        let pages = try ProviderPage.names
        #expect(pages == Set(ProviderStandIn.all.map(\.page)).sorted())
        for name in pages {
            let page = try ProviderPage(named: name)
            let tested = ProviderStandIn.all.filter { $0.page == name }.flatMap { provider in
                provider.mistakes.indices.map { $0 + provider.firstResult }
            }
            #expect(tested.sorted() == Array(page.results.indices), "\(name)")
            // The last line ends with a line break.
            #expect(page.lines.count <= 41, "\(name) has more than 40 lines")
        }
    }
}
#endif
