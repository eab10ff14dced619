// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
/// The address for users who need help: a web page, or an e-mail address.
///
/// Error pages link to it.
public struct SupportLink: Sendable, Hashable {
    /// The URL, of ASCII characters without spaces.
    let text: String

    /// Creates a link; nil for another scheme, and for a URL with spaces or characters that are not ASCII.
    ///
    /// - Parameter text: A URL with the scheme `https` or `mailto` (RFC 6068), for example
    ///   `mailto:help@example.com`. Characters that are not ASCII must be percent-encoded.
    public init?(_ text: String) {
        let isComplete = ["https://", "mailto:"].contains { text.hasPrefix($0) && text.utf8.count > $0.utf8.count }
        guard isComplete, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        self.text = text
    }
}
#endif
