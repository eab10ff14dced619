// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// A DNS name in a certificate.
struct CertificateName {
    private let name: String

    /// Creates a name.
    ///
    /// - Parameter bytes: The name as encoded in the certificate (RFC 5280 §4.2.1.6).
    init(_ bytes: some Sequence<UInt8>) {
        name = String(decoding: Array(bytes), as: UTF8.self)
    }

    /// Returns whether the name matches a host: without regard to case, or with `*` as its whole first label (RFC 9525
    /// §6.3).
    ///
    /// - Parameter host: The host name, in lowercase.
    /// - Returns: Whether it matches.
    func matches(_ host: String) -> Bool {
        let name = name.lowercased()
        if name == host { return true }
        guard name.hasPrefix("*."), let dot = host.firstIndex(of: "."), dot > host.startIndex else { return false }
        let rest = name.dropFirst(2)
        // A wildcard directly below a top-level domain is rejected.
        return rest == host[host.index(after: dot)...] && rest.contains(".")
    }
}
