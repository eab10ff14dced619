// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import Foundation
internal import NIOCore
internal import NIOPosix

/// The Unix socket of the admin listener.
///
/// Binding replaces an existing socket, even one in use, so it is checked first.
struct AdminSocket: Sendable {
    let path: String

    /// Checks that the path is unused, or is a socket.
    ///
    /// - Throws: ``ConfigurationFault`` if the path is another kind of file.
    func check() throws(ConfigurationFault) {
        let path = URL(filePath: path).resolvingSymlinksInPath().path
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: path) else { return }
        guard attributes[.type] as? FileAttributeType == .typeSocket else {
            throw ConfigurationFault("admin.listen: \(printable(path)) exists and is not a socket")
        }
    }

    /// Checks that no process listens on the socket, such as another instance of this service.
    ///
    /// - Throws: ``OperationFailure`` if one does.
    func checkSilence() async throws(OperationFailure) {
        guard await isAnswered else { return }
        throw OperationFailure("cannot serve: admin.listen: another process listens on \(printable(path))")
    }

    private var isAnswered: Bool {
        get async {
            do {
                let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                    .connect(unixDomainSocketPath: path)
                    .get()
                try? await channel.close()
                return true
            } catch let error as IOError where [EAGAIN, EACCES].contains(error.errnoCode) {
                // The listener's backlog is full, or the socket belongs to another user.
                return true
            } catch {
                // There is no socket, or a killed service has left it behind.
                return false
            }
        }
    }
}

extension ServiceConfiguration.AdminSettings {
    /// The Unix socket of the admin listener; nil for a TCP listener.
    var socket: AdminSocket? {
        guard case .unix(let path) = listen else { return nil }
        return AdminSocket(path: path)
    }
}
#endif
