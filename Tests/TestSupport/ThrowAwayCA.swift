// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation

/// A certificate authority that exists for one test, made with the `openssl` command.
public struct ThrowAwayCA {
    /// A certificate and its private key, in PEM.
    public struct Pair: Sendable {
        /// The certificate.
        public let certificate: String
        /// The private key.
        public let privateKey: String
    }

    /// What to make of a certificate.
    public enum Kind: Sendable {
        /// Good for a day from now.
        case good
        /// Ended yesterday.
        case expired
        /// Signed by itself, not by the authority.
        case selfSigned
    }

    private let directory: URL

    /// The path of the authority's own certificate.
    public var certificatePath: String { directory.appendingPathComponent("ca.pem").path }

    /// Makes an authority for as long as `body` runs.
    ///
    /// - Parameter body: What is done with it; its files are removed afterwards.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws, or what `openssl` said.
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

    /// Makes a certificate.
    ///
    /// - Parameters:
    ///   - names: Whom it is for, as OpenSSL writes alternative names, for example `DNS:localhost` or `IP:127.0.0.1`. With none
    ///     there is only the common name.
    ///   - commonName: Its common name.
    ///   - kind: What is wrong with it, if anything.
    /// - Returns: The certificate and its private key.
    /// - Throws: What `openssl` said.
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
        // Waiting here would take a thread from tests that measure time.
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

/// Why `openssl` made no certificate.
private struct OpenSSLCommandError: Error, CustomStringConvertible {
    let description: String
}
