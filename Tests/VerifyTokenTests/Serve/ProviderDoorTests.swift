// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine && Hummingbird
import Foundation
import Logging
import LoginAccounts
import LoginHummingbird
import LoginTesting
import Testing

@testable import verify_token

/// Where people log in at one provider.
@Suite struct ProviderDoorTests {
    private static func door(secretFile: String) throws -> ProviderDoor {
        let flags = [
            "providers": "facebook", "provider.facebook.app-ids": "1234567890",
            "provider.facebook.app-secret-file": secretFile,
        ]
        let reader = ConfigurationFileReader(flags: flags, environment: ["HOME": "/h"])
        let auth = Auth(
            store: InMemoryAccountStore(),
            providers: [],
            secrets: AccountSecrets([[UInt8](repeating: 7, count: 32)])
        )
        return try ProviderDoor(
            try #require(try reader.configuration(nil).providers.first),
            publicURL: "http://localhost:8080",
            attempts: auth.loginAttempts,
            keys: TestIssuer.facebook(appID: "1234567890").keys,
            transport: StubTransport(),
            logger: Logger(label: "door") { _ in SwiftLogNoOpLogHandler() }
        )
    }

    @Test(.timeLimit(.minutes(10))) func `the secret is that of the start, until the next`() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "secret-\(UUID().uuidString)")
        #expect(
            FileManager.default.createFile(
                atPath: file.path,
                contents: Data("hunter2\n".utf8),
                attributes: [.posixPermissions: 0o600]
            )
        )
        let door = try Self.door(secretFile: file.path)
        try FileManager.default.removeItem(at: file)
        let provider = try door.provider()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await door.run() }
            _ = try await provider.manager()
            group.cancelAll()
        }
        #expect(throws: ConfigurationFault.self) { _ = try Self.door(secretFile: file.path) }
    }
}
#endif
