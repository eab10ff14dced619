// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A small file that a ``Provider/Documents`` names.
package struct ConfiguredFile: Sendable {
    /// The reason why a file cannot be used, without its content.
    package struct Fault: Error, Sendable, CustomStringConvertible {
        package let description: String
    }

    private let path: String

    /// Creates a file, without reading it.
    ///
    /// - Parameter path: The path. Symbolic links are followed: Kubernetes replaces mounted files with them.
    package init(_ path: String) {
        self.path = path
    }

    /// Reads the whole file.
    ///
    /// - Parameter limit: The maximum size, in bytes.
    /// - Returns: The content; never empty.
    /// - Throws: ``Fault`` if the file is not a regular one, is empty or too large, or can be written by every user.
    package func read(limit: Int) throws(Fault) -> [UInt8] {
        let url = URL(filePath: path).resolvingSymlinksInPath()
        // Reading something else, for example a pipe, could block for ever.
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: url.path),
            attributes[.type] as? FileAttributeType == .typeRegular
        else { throw fault("does not exist, is inaccessible, or is not a regular file") }
        let mode = attributes[.posixPermissions] as? Int ?? (attributes[.posixPermissions] as? UInt).map { Int($0) }
        guard mode.map({ $0 & 0o002 == 0 }) == true else {
            throw fault("can be written by every user; set its mode to 0644")
        }
        let size = attributes[.size] as? UInt64 ?? (attributes[.size] as? UInt).map { UInt64($0) }
        // Foundation leaks its read buffer if the file is empty.
        guard let size, (1...UInt64(limit)).contains(size) else {
            throw fault("is empty, or has more than \(limit) bytes")
        }
        guard let data = try? Data(contentsOf: url), (1...limit).contains(data.count) else {
            throw fault("cannot be read")
        }
        return Array(data)
    }

    /// Reads a bearer token (RFC 6750 §2.1), without the line break at its end.
    ///
    /// Kubernetes mounts its tokens so that every user of the container can read them.
    ///
    /// - Returns: The token.
    /// - Throws: ``Fault``, without the content.
    package func bearerToken() throws(Fault) -> String {
        var bytes = try read(limit: Limits.tokenBytes)
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        guard !bytes.isEmpty, bytes.allSatisfy(Self.isOfToken) else { throw fault("does not contain one bearer token") }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isOfToken(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
            || "-._~+/=".utf8.contains(byte)
    }

    private func fault(_ reason: String) -> Fault {
        Fault(description: "the file \(quoted(path)) \(reason)")
    }
}
