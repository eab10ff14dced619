// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import Configuration
internal import Foundation
internal import Logging
internal import SystemPackage

/// The file of the configuration, which is read again when it has changed.
struct WatchedFile: Sendable {
    /// How often it is looked at: as often as its provider does.
    static let pause = Duration.seconds(15)

    /// What reads it.
    let provider: ReloadingFileProvider<ServiceFile>

    private let path: String

    /// What the provider keeps to itself: that there is nothing to read.
    private let absence: FileFaults

    /// Reads it.
    ///
    /// - Parameters:
    ///   - path: Where it is.
    ///   - logger: Who is told what is wrong with it later.
    /// - Throws: ``ConfigurationFault``
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
            throw ConfigurationFault("\(printable(path)): it cannot be read")
        }
        self.path = path
        absence = FileFaults(logger)
        absence.note(nil)
    }

    /// Says so where it cannot be read.
    ///
    /// - Parameter isAsked: Whether somebody wants to know, also where it was told before.
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
            // Of a directory only that fails.
            _ = try file.readToEnd(limit: 1)
            try file.close()
        } catch {
            throw FileProblem("cannot read", path, error)
        }
    }
}
#endif
