// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTPClient

internal import Foundation

/// A client that connects to a port of this machine with plain sockets.
///
/// It shares no code with the server under test. Reading blocks for at most twenty seconds.
final class LoopbackClient {
    /// The end of the server's output.
    enum End: Equatable {
        case closed
        case reset
        case silence
    }

    private let descriptor: CInt

    /// Connects.
    ///
    /// - Parameter port: The port on 127.0.0.1.
    /// - Throws: `POSIXError` if nothing listens there.
    init(port: Int) throws {
        descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        var patience = timeval(tv_sec: 20, tv_usec: 0)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe connect(descriptor, pointer, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        // The descriptor is closed by `deinit` if this throws.
        guard result == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    }

    deinit {
        close(descriptor)
    }

    func send(_ text: String) {
        let bytes = Array(text.utf8)
        _ = unsafe Foundation.send(descriptor, bytes, bytes.count, CInt(MSG_NOSIGNAL))
    }

    /// Reads until the server ends the connection, or until the limit is reached.
    func read(atMost limit: Int = .max) -> (bytes: [UInt8], end: End?) {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while bytes.count < limit {
            let count = unsafe recv(descriptor, &buffer, min(buffer.count, limit - bytes.count), 0)
            if count == 0 { return (bytes, .closed) }
            if count < 0 { return (bytes, errno == ECONNRESET ? .reset : .silence) }
            bytes += buffer.prefix(count)
        }
        return (bytes, nil)
    }

    /// Sends a request, and reads the whole response.
    static func ask(_ server: Int, for target: String = "/") throws -> (text: String, end: End?) {
        let client = try LoopbackClient(port: server)
        client.send("GET \(target) HTTP/1.1\r\nHost: localhost\r\n\r\n")
        let (bytes, end) = client.read()
        return (String(decoding: bytes, as: UTF8.self), end)
    }
}

#endif
