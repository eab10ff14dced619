// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
import Foundation
import LoginProviders
import TestSupport
import Testing

@testable import LoginServer

/// The protection of logins that a configuration weakens by name, and the UserInfo endpoint.
@Suite struct ConfiguredProtectionTests {
    private static func configuration(
        _ settings: [String: String],
        of name: String = "corp",
        secretFile: String? = nil
    ) throws -> ServiceConfiguration {
        var flags = ["providers": name]
        switch name {
        case "facebook": flags["provider.facebook.app-ids"] = "1234567890"
        case "corp":
            flags["provider.corp.issuer"] = "https://corp.example"
            flags["provider.corp.client-id"] = "c"
        default: flags["provider.\(name).client-id"] = "c"
        }
        flags["provider.\(name).client-secret-file"] = secretFile
        for (key, value) in settings { flags["provider.\(name).\(key)"] = value }
        return try ConfigurationFileReader(flags: flags, environment: ["HOME": "/h"]).configuration(nil)
    }

    /// Runs a body with a file that contains a client secret.
    private static func withSecret<Value>(_ body: (String) throws -> Value) throws -> Value {
        let file = FileManager.default.temporaryDirectory.appending(path: "secret-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        _ = FileManager.default.createFile(
            atPath: file.path,
            contents: Data("hunter2\n".utf8),
            attributes: [.posixPermissions: 0o600]
        )
        return try body(file.path)
    }

    private static func provider(_ settings: [String: String], of name: String = "corp") throws -> SignInProvider {
        try withSecret { file in
            let configuration = try configuration(settings, of: name, secretFile: file)
            return try #require(try configuration.signInProviders().first)
        }
    }

    @Test func `without settings, logins need nonce and PKCE, and the UserInfo endpoint is not asked`() throws {
        let corp = try Self.provider([:])
        #expect(corp.appNonce == .plain && corp.browserNonce == .required && corp.pkce == .required)
        #expect(corp.codeInjection == .protected && corp.userInfo == .off)
    }

    @Test(.rule("T-292")) func `each setting is that of the configuration`() throws {
        #expect(try Self.provider(["app-nonce": "sha256"]).appNonce == .sha256)
        #expect(try Self.provider(["app-nonce": "absent"], of: "google").appNonce == .absent)
        #expect(try Self.provider(["nonce": "absent"]).browserNonce == .absent)
        #expect(try Self.provider(["pkce": "off"], of: "google").pkce == .off)
        #expect(try Self.provider(["user-info": "used"]).userInfo == .used)
        let linkedIn = try Self.provider(["nonce": "absent", "pkce": "off", "code-injection": "unprotected"])
        #expect(linkedIn.codeInjection == .unprotected && linkedIn.browserNonce == .absent && linkedIn.pkce == .off)
    }

    @Test(
        .rule("T-292"),
        arguments: [
            (["nonce": "absent"], false, "nonce"), (["pkce": "off"], false, "pkce"),
            (["nonce": "absent", "pkce": "off"], true, "code-injection"),
            (["code-injection": "unprotected"], true, "code-injection"),
            (["code-injection": "unprotected", "pkce": "off"], true, "code-injection"),
            (["nonce": "absent", "pkce": "off", "code-injection": "unprotected"], false, "nonce"),
        ]
    )
    func `a combination without protection is refused with its key`(
        settings: [String: String],
        hasSecret: Bool,
        key: String
    ) throws {
        let error = try Self.withSecret { file in
            let configuration = try Self.configuration(settings, secretFile: hasSecret ? file : nil)
            return #expect(throws: ConfigurationFault.self) { try configuration.signInProviders() }
        }
        #expect(error?.description.hasPrefix("provider.corp.\(key): ") == true)
    }

    @Test(arguments: ["app-nonce", "nonce", "pkce", "code-injection", "user-info"])
    func `another word is refused with the possible ones`(key: String) {
        let error = #expect(throws: ConfigurationFault.self) { try Self.configuration([key: "none"]) }
        #expect(error?.description.contains("provider.corp.\(key) must be one of ") == true)
    }

    @Test(arguments: [("nonce", "absent"), ("pkce", "off"), ("code-injection", "unprotected"), ("user-info", "used")])
    func `a setting for logins without effect at Facebook is refused`(key: String, value: String) {
        let error = #expect(throws: ConfigurationFault.self) {
            try Self.configuration([key: value], of: "facebook")
        }
        #expect(
            error?.description.hasPrefix("provider.facebook.\(key) can be set only for providers of the kind ") == true
        )
    }

    @Test(
        arguments: [
            ([:], []), (["app-nonce": "sha256", "user-info": "used"], []),
            (["app-nonce": "absent"], ["ID tokens that apps send for this provider have no nonce"]),
            (["pkce": "off"], ["logins at this provider do not use PKCE"]),
            (["nonce": "absent"], ["ID tokens of logins at this provider may have no nonce"]),
            (
                ["nonce": "absent", "code-injection": "unprotected"],
                [
                    "ID tokens of logins at this provider may have no nonce",
                    "nothing may protect logins at this provider from stolen codes",
                ]
            ),
        ] as [([String: String], [String])]
    )
    func `a weakened protection is in the log at each start`(settings: [String: String], warnings: [String]) throws {
        let log = LogLines()
        try Self.configuration(settings).logWarnings(to: log.logger)
        #expect(log.lines.count == warnings.count)
        for (line, warning) in zip(log.lines, warnings) {
            #expect(line.contains(warning) && line.contains("corp"))
        }
    }
}
#endif
