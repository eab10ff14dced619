// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import Foundation
internal import NIOCore
internal import NIOPosix

/// The Unix socket on which operators look: what binds it takes away a socket that is there, whoever listens on it.
struct AdminSocket: Sendable {
    let path: String

    /// Refuses a path at which there is something else than a socket.
    ///
    /// - Throws: ``ConfigurationFault``
    func check() throws(ConfigurationFault) {
        let path = URL(filePath: path).resolvingSymlinksInPath().path
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: path) else { return }
        guard attributes[.type] as? FileAttributeType == .typeSocket else {
            throw ConfigurationFault("admin.listen: \(printable(path)) is there, and is no socket")
        }
    }

    /// Refuses a socket on which somebody answers, most likely this service, begun before.
    ///
    /// - Throws: ``OperationFailure``
    func checkSilence() async throws(OperationFailure) {
        guard await isAnswered else { return }
        throw OperationFailure("cannot serve: admin.listen: another service answers at \(printable(path))")
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
                // It has more to do than it can take, or is somebody else's.
                return true
            } catch {
                // Nobody is there, or nobody any more: it was left by a service that was killed.
                return false
            }
        }
    }
}

extension ServiceConfiguration.AdminSettings {
    /// The socket on which operators look; nil where that is an address.
    var socket: AdminSocket? {
        guard case .unix(let path) = listen else { return nil }
        return AdminSocket(path: path)
    }
}
#endif
