// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import Foundation
internal import LoginText
internal import LoginTokens
internal import SystemPackage

/// A file that contains one secret.
enum SecretFile {
    /// The maximum size of a secret: 16 KiB, enough for any private key.
    static let byteLimit = 16 * 1024

    /// Reads a secret of one line, without the line break at its end.
    ///
    /// - Parameters:
    ///   - path: The path of a regular file that belongs to this process's user or root, and that only its owner can
    ///     access.
    ///   - key: The configuration key of the path, for error messages.
    /// - Returns: The secret.
    /// - Throws: ``ConfigurationFault``, without the content.
    static func read(_ path: String, key: String) throws(ConfigurationFault) -> String {
        let text = try content(path, key: key)
        do throws(SecretLine.Fault) {
            return try SecretLine(text).text
        } catch {
            throw ConfigurationFault("\(key): \(error)")
        }
    }

    /// Reads a secret text of several lines, such as a private key in PEM.
    ///
    /// - Parameters:
    ///   - path: The path, as for ``read(_:key:)``.
    ///   - key: The configuration key of the path, for error messages.
    /// - Returns: The whole content of the file.
    /// - Throws: ``ConfigurationFault``, without the content.
    static func content(_ path: String, key: String) throws(ConfigurationFault) -> String {
        let url = URL(filePath: path).resolvingSymlinksInPath()
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: url.path),
            attributes[.type] as? FileAttributeType == .typeRegular
        else { throw ConfigurationFault("\(key): the file does not exist, is inaccessible, or is not a regular file") }
        // Credentials of systemd may be readable by a group: systemd itself restricts access to their directory.
        let credentials = ProcessInfo.processInfo.environment["CREDENTIALS_DIRECTORY"] ?? ""
        let isCredential = !credentials.isEmpty && path.hasPrefix(credentials + "/")
        guard let mode = attributes[.posixPermissions] as? NSNumber,
            mode.intValue & (isCredential ? 0o037 : 0o077) == 0
        else {
            throw ConfigurationFault("\(key): other users have access to the file; set its mode to 0600")
        }
        let owner = (attributes[.ownerAccountID] as? NSNumber)?.uint32Value
        guard owner == 0 || owner == geteuid() else {
            throw ConfigurationFault("\(key): the file belongs to another user")
        }
        guard let size = (attributes[.size] as? NSNumber)?.intValue, (1...byteLimit).contains(size),
            let data = try? Data(contentsOf: url), let text = String(validating: data, as: UTF8.self)
        else {
            throw ConfigurationFault(
                "\(key): the file is unreadable, empty, not UTF-8, or longer than \(byteLimit) bytes"
            )
        }
        return text
    }

    /// Creates the key file of a new store, with 32 random bytes in hexadecimal, unless it exists.
    ///
    /// Of several concurrent calls one creates the file, and all use that file. No reader sees a partially written
    /// file. The keys are flushed to disk before the store exists, so that no power loss leaves a store without its
    /// keys.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - random: Returns the given number of random bytes.
    /// - Throws: ``ConfigurationFault`` if the file cannot be created; ``OperationFailure`` if the disk is full.
    static func makeKeys(at path: String, random: (Int) -> [UInt8]) throws {
        guard !FileManager.default.fileExists(atPath: path) else { return }
        let temporary = path + ".\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: temporary) }
        do {
            let digits = hexadecimal(random(32))
            let file = try FileDescriptor.open(
                FilePath(temporary),
                .writeOnly,
                options: [.create, .exclusiveCreate],
                permissions: [.ownerReadWrite]
            )
            try file.closeAfter {
                _ = try file.writeAll((digits + "\n").utf8)
                try synchronize(file)
            }
            // Unlike a rename, a hard link never replaces an existing file.
            try FileManager.default.linkItem(atPath: temporary, toPath: path)
            let directory = FilePath(path).removingLastComponent()
            let folder = try FileDescriptor.open(directory, .readOnly, options: [.directory])
            try folder.closeAfter { try synchronize(folder) }
        } catch {
            guard !FileManager.default.fileExists(atPath: path) else { return }
            let fault = "secrets-file: \(printable(path)) cannot be created"
            guard !isLackOfSpace(error) else { throw OperationFailure("\(fault): the disk is full") }
            throw ConfigurationFault(fault)
        }
    }

    /// Flushes the written data to disk.
    private static func synchronize(_ file: FileDescriptor) throws {
        while fsync(file.rawValue) != 0 {
            guard errno == EINTR else { throw Errno(rawValue: errno) }
        }
    }
}

/// Returns whether a write failed because the disk is full, which is temporary and not an error in the configuration.
func isLackOfSpace(_ error: any Error) -> Bool {
    switch error {
    case let error as Errno: error == .noSpace || error == .diskQuotaExceeded
    case let error as CocoaError: error.code == .fileWriteOutOfSpace
    default: false
    }
}
#endif
