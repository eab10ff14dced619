// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTokens

/// The path to which a browser may be sent after a login.
package enum ReturnPath {
    /// Whether a text is a path of the same site for every reader.
    ///
    /// Browsers take `//` and `/\` at the beginning for another host, and drop tabs and line breaks first; servers in
    /// between may take dot segments out of `/.//` before that. None of them is a path here.
    ///
    /// - Parameter text: The text, for example of a request.
    /// - Returns: Whether it is one.
    package static func isLocal(_ text: String) -> Bool {
        guard text.utf8.count <= Limits.urlBytes, text.hasPrefix("/"),
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") })
        else { return false }
        let path = text.prefix { $0 != "?" && $0 != "#" }
        // Whoever decodes it before it stands in `Location` makes a slash of one of these.
        let second = path.dropFirst().prefix(3).lowercased()
        guard second != "%2f", second != "%5c" else { return false }
        let segments = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        return segments.dropLast().allSatisfy { !["", ".", ".."].contains($0) } && ![".", ".."].contains(segments.last)
    }
}
