// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import LoginCrypto
internal import LoginTokens

/// A file that pages load: the style sheet, a script, or an image.
///
/// Its URL contains its hash, so that browsers can cache it without limit, and load a new one as soon as a page links
/// to it.
struct PageAsset: Sendable {
    /// The path of the route.
    let route: String

    /// The media type.
    let type: String

    /// The content.
    let bytes: [UInt8]

    /// The first 8 bytes of the hash, in hexadecimal.
    let version: String

    /// The path with the hash.
    let path: LocalPath

    /// The files that every service has.
    static let all = [StyleSheet.asset, FragmentScript.asset]

    /// Creates a file.
    ///
    /// - Parameters:
    ///   - route: The path of the route.
    ///   - type: The media type.
    ///   - content: The content.
    init(_ route: LocalPath, type: String, _ content: some Collection<UInt8>) {
        self.route = route.text
        self.type = type
        bytes = Array(content)
        version = hexadecimal(Digest.sha256.hash(bytes).prefix(8))
        path = route.with("v", version)
    }
}
#endif
