// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import Foundation
internal import Testing

@testable internal import LoginServer

/// The directories that systemd names in the environment: that of the state, and that of the credentials.
@Suite struct ServiceDirectoryTests {
    private static func read(_ environment: [String: String], flags: [String: String] = [:]) throws
        -> ServiceConfiguration
    {
        try ConfigurationFileReader(flags: flags, environment: ["HOME": "/h"].merging(environment) { $1 })
            .configuration(nil)
    }

    private static func fault(_ environment: [String: String], flags: [String: String] = [:]) -> String? {
        do {
            _ = try read(environment, flags: flags)
            return nil
        } catch {
            return "\(error)"
        }
    }

    /// Runs a body with a directory of credentials with these names.
    private static func withCredentials(_ names: String..., body: (_ environment: [String: String]) throws -> Void)
        throws
    {
        let directory = FileManager.default.temporaryDirectory.appending(path: "credentials-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        for name in names { try Data("secret\n".utf8).write(to: directory.appending(path: name)) }
        try body(["CREDENTIALS_DIRECTORY": directory.path])
    }

    private static let google = ["providers": "google", "provider.google.client-id": "x"]

    @Test(
        arguments: ["STATE_DIRECTORY", "HOME", "CREDENTIALS_DIRECTORY"],
        ["", " ", " /var/lib/verify-token", "/var/lib/verify-token\n"]
    )
    func `a variable of a directory that is set but blank, or has blank ends, is refused by name`(
        _ variable: String,
        _ value: String
    ) {
        #expect(Self.fault([variable: value])?.hasPrefix(variable) == true)
    }

    @Test func `a list of state directories must begin with one`() throws {
        #expect(Self.fault(["STATE_DIRECTORY": ":/other"])?.hasPrefix("STATE_DIRECTORY") == true)
        #expect(try Self.read(["STATE_DIRECTORY": "/one:/other"]).store == "/one/accounts.sqlite")
        // An empty XDG_STATE_HOME counts as unset, and a relative one is ignored.
        for state in ["", "relative"] {
            let store = try Self.read(["XDG_STATE_HOME": state]).store
            #expect(store == "/h/.local/state/verify-token/accounts.sqlite")
        }
    }

    @Test func `a credential that exists but cannot be used is not missing`() throws {
        try Self.withCredentials { environment in
            #expect(try Self.read(environment).secretsFile == nil)
            let directory = try #require(environment["CREDENTIALS_DIRECTORY"])
            let path = directory + "/secrets"
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: directory + "/nowhere")
            #expect(try Self.read(environment).secretsFile == path)
        }
        let missing = ["CREDENTIALS_DIRECTORY": "/nowhere/credentials"]
        #expect(Self.fault(missing)?.hasPrefix("CREDENTIALS_DIRECTORY: ") == true)
        #expect(Self.fault(["CREDENTIALS_DIRECTORY": "/dev/null"])?.hasPrefix("CREDENTIALS_DIRECTORY: ") == true)
    }

    @Test(arguments: [
        ("secret", "secrets"), ("secrets-file", "secrets"), ("secrtes", "secrets"), ("admin-token", "admin.token"),
        ("provider.gogle.client-secret", "provider.google.client-secret"),
        ("provider.google.client_secret", "provider.google.client-secret"),
        ("provider.google.client-secret-file", "provider.google.client-secret"),
    ])
    func `a credential that is almost named like a missing secret is refused with the name`(
        _ name: String,
        _ meant: String
    )
        throws
    {
        try Self.withCredentials(name) { environment in
            let fault = Self.fault(environment, flags: Self.google)
            #expect(fault?.hasPrefix("unknown credential ") == true)
            #expect(fault?.hasSuffix("did you mean \(meant)?") == true)
        }
        // The secret is there, so the other credential has another purpose.
        try Self.withCredentials(name, meant) { environment in
            #expect(Self.fault(environment, flags: Self.google) == nil)
        }
    }

    @Test func `a credential with another purpose, or of a provider that was removed, is accepted`() throws {
        try Self.withCredentials("database", "tls.certificate", "provider.apple.client-secret", "mail.password") {
            #expect(Self.fault($0, flags: Self.google) == nil)
        }
    }
}
#endif
