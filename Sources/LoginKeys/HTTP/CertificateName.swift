// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// A name that a certificate was issued for.
struct CertificateName {
    private let name: String

    /// - Parameter bytes: The name as it stands in the certificate (RFC 5280 §4.2.1.6).
    init(_ bytes: some Sequence<UInt8>) {
        name = String(decoding: Array(bytes), as: UTF8.self)
    }

    /// Whether this is a host's name: letter for letter but for case, or with `*` for its whole first label (RFC 9525 §6.3).
    ///
    /// - Parameter host: The host's name, in lower case.
    /// - Returns: Whether it is.
    func matches(_ host: String) -> Bool {
        let name = name.lowercased()
        if name == host { return true }
        guard name.hasPrefix("*."), let dot = host.firstIndex(of: "."), dot > host.startIndex else { return false }
        let rest = name.dropFirst(2)
        // Nobody is everybody under a top-level domain.
        return rest == host[host.index(after: dot)...] && rest.contains(".")
    }
}
