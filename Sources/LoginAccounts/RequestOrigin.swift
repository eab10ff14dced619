// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginTokens

/// The approximate origin of a request: precise enough to limit guessing and to list sessions, too coarse to track a
/// user.
///
/// ```swift
/// let origin = RequestOrigin(address: request.remoteAddress, device: request.headers["User-Agent"])
/// ```
///
/// Pass the address of the client, not that of your reverse proxy. A header that the client sets itself is not evidence
/// of its address.
public struct RequestOrigin: Sendable, Hashable {
    /// The network of the address: the first 24 bits of an IPv4 address, or the first 48 bits of an IPv6 address, the
    /// largest assignment to one customer.
    ///
    /// Nil if there is no address.
    public let addressPrefix: String?

    /// The name that the device reports, on one line.
    public let device: String?

    /// The maximum length of the device's name, in characters.
    private static let deviceCharacters = 200

    /// Creates an origin.
    ///
    /// - Parameters:
    ///   - address: The client's IPv4 or IPv6 address without a port. An invalid address is ignored.
    ///   - device: The name that the device reports, such as the `User-Agent` header. It is truncated to 200
    ///     characters.
    public init(address: String?, device: String? = nil) {
        self.init(addressPrefix: address.flatMap { IPAddress($0) }.map(Self.prefix), device: device)
    }

    private init(addressPrefix: String?, device: String?) {
        self.addressPrefix = addressPrefix
        self.device = device.map { oneLine($0, limit: Self.deviceCharacters) }
    }

    /// Returns the origin with the name that the device reports.
    package func with(device: String?) -> Self { Self(addressPrefix: addressPrefix, device: device) }

    private static func prefix(_ address: IPAddress) -> String {
        switch address {
        case .v4(let number): return "\(IPAddress.v4((number >> 8) << 8))/24"
        // An IPv4-mapped IPv6 address (RFC 4291 §2.5.5.2) is the IPv4 address.
        case .v6(let number) where number >> 32 == 0xFFFF: return prefix(.v4(UInt32(truncatingIfNeeded: number)))
        case .v6(let number): return "\(IPAddress.v6((number >> 80) << 80))/48"
        }
    }
}

extension RequestOrigin: Redacted {
    /// A fixed text, without the content.
    public var description: String { "origin of a request" }
}
