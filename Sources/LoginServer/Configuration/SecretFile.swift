// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import Foundation
internal import SystemPackage

/// A file that holds one secret.
enum SecretFile {
    /// The bytes of a secret at most: 16 KiB, room for a private key of any kind.
    static let byteLimit = 16 * 1024

    /// The secret: the file without the line break at its end.
    ///
    /// - Parameters:
    ///   - path: The file. It is a file, it is this process's user's or root's, and nobody but its owner may have access to it.
    ///   - key: The key of the configuration that names it, for errors.
    /// - Returns: The secret.
    /// - Throws: ``ConfigurationFault``, without the content.
    static func read(_ path: String, key: String) throws(ConfigurationFault) -> String {
        let url = URL(filePath: path).resolvingSymlinksInPath()
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: url.path),
            attributes[.type] as? FileAttributeType == .typeRegular
        else { throw ConfigurationFault("\(key): it is not there, cannot be reached, or is no file") }
        // In the directory that systemd has for credentials a group may read, and systemd lets nobody else in.
        let credentials = ProcessInfo.processInfo.environment["CREDENTIALS_DIRECTORY"] ?? ""
        let isCredential = !credentials.isEmpty && path.hasPrefix(credentials + "/")
        guard let mode = attributes[.posixPermissions] as? NSNumber,
            mode.intValue & (isCredential ? 0o037 : 0o077) == 0
        else {
            throw ConfigurationFault("\(key): others than its owner have access to it; it should have the mode 0600")
        }
        let owner = (attributes[.ownerAccountID] as? NSNumber)?.uint32Value
        guard owner == 0 || owner == geteuid() else { throw ConfigurationFault("\(key): it is another user's") }
        guard let size = (attributes[.size] as? NSNumber)?.intValue, (1...byteLimit).contains(size),
            let data = try? Data(contentsOf: url), let text = String(validating: data, as: UTF8.self)
        else { throw ConfigurationFault("\(key): it cannot be read, is empty, or has more than \(byteLimit) bytes") }
        let secret = text.hasSuffix("\r\n") ? text.dropLast() : text.hasSuffix("\n") ? text.dropLast() : text[...]
        guard !secret.isEmpty else { throw ConfigurationFault("\(key): it is empty") }
        return String(secret)
    }

    /// Makes a file with 32 random bytes as hexadecimal digits, unless one is there: the keys of a store that is new.
    ///
    /// Where several make it at once, all use the one that was first. Nobody ever sees a part of it.
    ///
    /// - Parameters:
    ///   - path: Where.
    ///   - random: Gives so many random bytes.
    /// - Throws: ``ConfigurationFault``; ``OperationFailure`` where there is no room for it now.
    static func makeKeys(at path: String, random: (Int) -> [UInt8]) throws {
        guard !FileManager.default.fileExists(atPath: path) else { return }
        let temporary = path + ".\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: temporary) }
        do {
            let digits = random(32).map { String(UInt16($0) + 0x100, radix: 16).dropFirst() }.joined()
            let file = try FileDescriptor.open(
                FilePath(temporary),
                .writeOnly,
                options: [.create, .exclusiveCreate],
                permissions: [.ownerReadWrite]
            )
            try file.closeAfter { _ = try file.writeAll((digits + "\n").utf8) }
            // A link, unlike a renaming, replaces nothing.
            try FileManager.default.linkItem(atPath: temporary, toPath: path)
        } catch {
            guard !FileManager.default.fileExists(atPath: path) else { return }
            let fault = "secrets-file: \(printable(path)) cannot be made"
            guard !isLackOfSpace(error) else { throw OperationFailure("\(fault): no space is left") }
            throw ConfigurationFault(fault)
        }
    }
}

/// Whether something could not be written because the disk is full: that passes, and is no matter of the configuration.
func isLackOfSpace(_ error: any Error) -> Bool {
    switch error {
    case let error as Errno: error == .noSpace || error == .diskQuotaExceeded
    case let error as CocoaError: error.code == .fileWriteOutOfSpace
    default: false
    }
}
#endif
