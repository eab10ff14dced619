// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginText

/// A small file that a ``Provider/Documents`` names.
///
/// Whoever can write a key set decides whose tokens are accepted. Therefore the file must belong to the process's user or
/// to root, and only its owner may be able to write it. Others may read it: Kubernetes mounts its tokens with the mode
/// 0644, or 0640 for the group of the pod.
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
    /// - Throws: ``Fault`` if the file is not a regular one, is empty or too large, belongs to another user, or can be
    ///   written by others.
    package func read(limit: Int) throws(Fault) -> [UInt8] {
        let content: [UInt8]
        do throws(CheckedFile.Fault) {
            content = try CheckedFile(path, limit: limit, access: .reading).contents()
        } catch {
            throw fault(error.description)
        }
        guard !content.isEmpty else { throw fault("is empty") }
        return content
    }

    /// Reads a bearer token (RFC 6750 §2.1), without the line break at its end.
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
