// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import Foundation
internal import LoginText
internal import SystemPackage

/// The configuration file, which is read again after each change.
///
/// Whoever can write it decides who can sign in. Therefore it must belong to the process's user or to root, and only its
/// owner may be able to write it, at the start and later.
struct WatchedFile: Sendable {
    /// The maximum size of the file: 1 MiB, enough for hundreds of providers.
    private static let byteLimit = 1024 * 1024

    /// A reading of the file: its bytes, or the reason why it cannot be read.
    enum Reading: Sendable, Hashable {
        case bytes([UInt8])
        case fault(String)

        /// Returns the parsed content.
        func content() throws(ServiceFile.Fault) -> ServiceFile {
            switch self {
            case .bytes(let bytes): try ServiceFile(bytes)
            case .fault(let reason): throw ServiceFile.Fault(description: reason)
            }
        }
    }

    /// The first reading.
    let first: Reading

    /// The content at the first reading.
    let content: ServiceFile

    private let path: String

    /// Reads the file for the first time.
    ///
    /// - Parameter path: The path of the file.
    /// - Throws: ``ConfigurationFault`` if the file cannot be read, or is invalid.
    init(_ path: String) throws(ConfigurationFault) {
        self.path = path
        first = Self.reading(path)
        if case .fault(let reason) = first { throw ConfigurationFault(reason) }
        do throws(ServiceFile.Fault) {
            content = try first.content()
        } catch {
            throw ConfigurationFault("\(printable(path)): \(error)")
        }
    }

    /// Reads the file on a thread that may block, as a file system over the network does when it does not respond.
    ///
    /// A start may read a pipe. Later, a pipe without a writer would block the service, and its end.
    func read() async -> Reading {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { [path] in
                // The reading reports the reason if there is no file.
                let kind = (try? FilePath(path).stat(followTargetSymlink: true))?.type
                let isReadable = kind == nil || kind == .regular
                continuation.resume(
                    returning: isReadable ? Self.reading(path) : .fault("\(printable(path)) is not a regular file")
                )
            }
        }
    }

    private static func reading(_ path: String) -> Reading {
        do {
            let file = try openFile(path)
            do throws(CheckedFile.Fault) {
                try CheckedFile.checkFileOrPipe(file.fileDescriptor, .reading)
            } catch {
                return .fault("\(printable(path)) \(error)")
            }
            do {
                let bytes = try file.readToEnd(limit: byteLimit + 1)
                try file.close()
                guard bytes.count <= byteLimit else {
                    return .fault("\(printable(path)) \(CheckedFile.Fault.tooLong(limit: byteLimit))")
                }
                return .bytes(Array(bytes))
            } catch {
                throw FileProblem("cannot read", path, error)
            }
        } catch {
            return .fault(printable("\(error)"))
        }
    }
}

/// The decision about readings of the file: a change counts once two readings agree.
///
/// A program that writes the file in place leaves a beginning of it for a moment, and the beginning of a YAML file up
/// to the end of a line is valid.
struct FileReadings: Sendable {
    /// The step after a reading.
    enum Step: Sendable, Hashable {
        /// The file is the same as before.
        case unchanged
        /// The file has changed, and must be read again, ``FileReadings/interval`` later.
        case readAgain
        /// Two readings of the changed file agree.
        case settled
    }

    /// The time between two readings of a changed file.
    static let interval = Duration.seconds(1)

    private var last: WatchedFile.Reading
    private var changing: WatchedFile.Reading?

    init(_ first: WatchedFile.Reading) { last = first }

    mutating func add(_ reading: WatchedFile.Reading) -> Step {
        if reading == last {
            changing = nil
            return .unchanged
        }
        guard reading == changing else {
            changing = reading
            return .readAgain
        }
        (last, changing) = (reading, nil)
        return .settled
    }
}
#endif
