// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import Configuration
internal import Foundation
internal import Logging
internal import SystemPackage

/// The configuration file, which is reloaded after each change.
struct WatchedFile: Sendable {
    /// The interval between two checks of the file, which is also the poll interval of the provider.
    static let pause = Duration.seconds(15)

    /// The configuration provider that reads and reloads the file.
    let provider: ReloadingFileProvider<ServiceFile>

    private let path: String

    /// The log of read errors, which the provider itself does not report.
    private let absence: FileFaults

    /// Reads the file for the first time.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - logger: The logger for later errors.
    /// - Throws: ``ConfigurationFault`` if the file cannot be read, or is invalid.
    init(_ path: String, logger: Logger) async throws(ConfigurationFault) {
        let faults = FileFaults(logger)
        do {
            provider = try await ReloadingFileProvider<ServiceFile>(
                parsingOptions: ServiceFile.ParsingOptions { faults.note($0) },
                filePath: FilePath(path),
                pollInterval: Self.pause,
                logger: logger
            )
        } catch let fault as ServiceFile.Fault {
            throw ConfigurationFault("\(printable(path)): \(fault)")
        } catch {
            throw ConfigurationFault("\(printable(path)): the file cannot be read")
        }
        self.path = path
        absence = FileFaults(logger)
        absence.note(nil)
    }

    /// Logs an error if the file cannot be read.
    ///
    /// - Parameter isAsked: Whether to log the error again if it is the same as before.
    func look(isAsked: Bool = false) {
        do throws(FileProblem) {
            try read()
            absence.note(nil)
        } catch {
            absence.note(ServiceFile.Fault(description: printable(error.description)), isAsked: isAsked)
        }
    }

    private func read() throws(FileProblem) {
        let file = try openFile(path)
        do {
            // A directory can be opened, but not read.
            _ = try file.readToEnd(limit: 1)
            try file.close()
        } catch {
            throw FileProblem("cannot read", path, error)
        }
    }
}
#endif
