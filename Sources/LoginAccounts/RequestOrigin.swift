// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginTokens

/// From where a request came, roughly: enough to limit guessing and to show people their sessions, too little to follow anybody.
///
/// ```swift
/// let origin = RequestOrigin(address: request.remoteAddress, device: request.headers["User-Agent"])
/// ```
///
/// Give the address of the client, not that of a proxy of yours; what a client says of itself in a header is not one.
public struct RequestOrigin: Sendable, Hashable {
    /// The network of the address: of IPv4 the first 24 bits, of IPv6 the first 56, which is what one household has.
    ///
    /// Nil where there is no address.
    public let addressPrefix: String?

    /// The site of the network: an IPv6 /48, the usual assignment to one customer, or the IPv4 /24.
    package let site: String?

    /// What the device calls itself, on one line.
    public let device: String?

    /// How much of what a device calls itself is kept, in characters.
    private static let deviceCharacters = 200

    /// From where a request came.
    ///
    /// - Parameters:
    ///   - address: The client's address, IPv4 or IPv6 without a port; what is none is left out.
    ///   - device: What the device calls itself; its first 200 characters are kept.
    public init(address: String?, device: String? = nil) {
        let address = address.flatMap { IPAddress($0) }
        addressPrefix = address.map { Self.prefix($0, bits: 56) }
        site = address.map { Self.prefix($0, bits: 48) }
        self.device = device.map { oneLine($0, limit: Self.deviceCharacters) }
    }

    /// The first 24 bits of an IPv4 address, or the first `bits` of an IPv6 address.
    private static func prefix(_ address: IPAddress, bits: Int) -> String {
        switch address {
        case .v4(let number): return "\(IPAddress.v4((number >> 8) << 8))/24"
        // An IPv4-mapped IPv6 address (RFC 4291 §2.5.5.2) is the IPv4 address.
        case .v6(let number) where number >> 32 == 0xFFFF:
            return prefix(.v4(UInt32(truncatingIfNeeded: number)), bits: bits)
        case .v6(let number):
            let rest = 128 - bits
            return "\(IPAddress.v6((number >> rest) << rest))/\(bits)"
        }
    }
}

extension RequestOrigin: Redacted {
    /// A fixed text, without the content.
    public var description: String { "origin of a request" }
}
