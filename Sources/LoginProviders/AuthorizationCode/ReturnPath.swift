// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTokens

/// The path to which a browser may be sent after a login.
package enum ReturnPath {
    /// Returns whether a text is a path of the same site for every parser.
    ///
    /// Browsers read `//` and `/\` at the beginning as another host, and first remove tabs and line breaks. Proxies may
    /// before that remove dot segments from `/.//`. All of these are refused.
    ///
    /// - Parameter text: The text, for example from a request.
    /// - Returns: Whether it is such a path.
    package static func isLocal(_ text: String) -> Bool {
        guard text.utf8.count <= Limits.urlBytes, text.hasPrefix("/"),
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") })
        else { return false }
        let path = text.prefix { $0 != "?" && $0 != "#" }
        // A proxy that decodes the path makes a slash, or a control character that browsers remove, of each of these.
        let second = path.dropFirst().prefix(3).lowercased()
        guard second != "%2f", second != "%5c", !second.hasPrefix("%0"), !second.hasPrefix("%1") else { return false }
        let segments = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        return segments.dropLast().allSatisfy { !["", ".", ".."].contains($0) } && ![".", ".."].contains(segments.last)
    }
}
