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
    /// - Parameters:
    ///   - limit: The maximum size, in bytes.
    ///   - mayBeWritable: Whether every user of the machine may be able to write to the file.
    /// - Returns: The content; never empty.
    /// - Throws: ``Fault`` if the file is not a regular one, is empty or too large, or may not be trusted.
    package func read(limit: Int, mayBeWritable: Bool) throws(Fault) -> [UInt8] {
        let url = URL(filePath: path).resolvingSymlinksInPath()
        // Reading something else, for example a pipe, could block for ever.
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: url.path),
            attributes[.type] as? FileAttributeType == .typeRegular
        else { throw fault("does not exist, is inaccessible, or is not a regular file") }
        let mode = attributes[.posixPermissions] as? Int ?? (attributes[.posixPermissions] as? UInt).map { Int($0) }
        guard mayBeWritable || mode.map({ $0 & 0o002 == 0 }) == true else {
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

    private func fault(_ reason: String) -> Fault {
        Fault(description: "the file \(quoted(path)) \(reason)")
    }
}
