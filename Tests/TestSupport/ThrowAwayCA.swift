// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation

/// A certificate authority for one test, created with the `openssl` command.
public struct ThrowAwayCA {
    /// A certificate and its private key, in PEM.
    public struct Pair: Sendable {
        /// The certificate.
        public let certificate: String
        /// The private key.
        public let privateKey: String
    }

    /// A kind of certificate.
    public enum Kind: Sendable {
        /// Valid for a day from now.
        case good
        /// Expired yesterday.
        case expired
        /// Self-signed, not signed by the authority.
        case selfSigned
    }

    private let directory: URL

    /// The path of the authority's own certificate.
    public var certificatePath: String { directory.appendingPathComponent("ca.pem").path }

    /// Creates an authority for the duration of `body`.
    ///
    /// - Parameter body: Uses the authority, whose files are removed afterwards.
    /// - Returns: The result of `body`.
    /// - Throws: Rethrows errors of `body`, or throws the output of a failed `openssl`.
    public static func run<Result>(_ body: (ThrowAwayCA) async throws -> Result) async throws -> Result {
        let name = "limited-login-\(UUID().uuidString)"
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(name)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: directory) }
        let authority = ThrowAwayCA(directory: directory)
        try await authority.openssl(
            ["req", "-x509"] + newKey("ca") + ["-subj", "/CN=a test", "-days", "2", "-out", "ca.pem"]
        )
        return try await body(authority)
    }

    /// Creates a certificate.
    ///
    /// - Parameters:
    ///   - names: The subject alternative names in OpenSSL's form, for example `DNS:localhost` or `IP:127.0.0.1`.
    ///     Without any, there is only the common name.
    ///   - commonName: Its common name.
    ///   - kind: Its validity.
    /// - Returns: The certificate and its private key.
    /// - Throws: The output of a failed `openssl`.
    public func pair(for names: [String], commonName: String = "a server", kind: Kind = .good) async throws -> Pair {
        let id = UUID().uuidString
        let extensions =
            ["basicConstraints=critical,CA:FALSE"]
            + (names.isEmpty ? [] : ["subjectAltName=\(names.joined(separator: ","))"])
        try await openssl(["req", "-new"] + Self.newKey(id) + ["-subj", "/CN=\(commonName)", "-out", "\(id).csr"])
        try Data(extensions.joined(separator: "\n").utf8).write(to: directory.appendingPathComponent("\(id).ext"))
        let signer = kind == .selfSigned ? ["-signkey", "\(id).key"] : ["-CA", "ca.pem", "-CAkey", "ca.key"]
        try await openssl(
            ["x509", "-req", "-in", "\(id).csr", "-extfile", "\(id).ext", "-set_serial", "7", "-out", "\(id).pem"]
                + ["-days", kind == .expired ? "-1" : "1"] + signer
        )
        return Pair(certificate: try read("\(id).pem"), privateKey: try read("\(id).key"))
    }

    private static func newKey(_ name: String) -> [String] {
        ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "\(name).key"]
    }

    private func read(_ name: String) throws -> String {
        try String(contentsOf: directory.appendingPathComponent(name), encoding: .utf8)
    }

    private func openssl(_ arguments: [String]) async throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        process.currentDirectoryURL = directory
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        let errors = directory.appendingPathComponent("errors-\(UUID().uuidString)")
        try Data().write(to: errors)
        process.standardError = try FileHandle(forWritingTo: errors)
        // Blocking here would take a thread from tests that measure time.
        try await withCheckedThrowingContinuation { (ended: CheckedContinuation<Void, any Error>) in
            process.terminationHandler = { _ in ended.resume() }
            do {
                try process.run()
            } catch {
                process.terminationHandler = nil
                ended.resume(throwing: error)
            }
        }
        guard process.terminationStatus == 0 else {
            throw OpenSSLCommandError(description: try String(contentsOf: errors, encoding: .utf8))
        }
    }
}

/// The output of an `openssl` command that failed.
private struct OpenSSLCommandError: Error, CustomStringConvertible {
    let description: String
}
