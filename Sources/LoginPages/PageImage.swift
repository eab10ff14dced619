// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
/// An image that the pages show: the logo of the service, or of an identity provider.
///
/// The pages serve the image under their own origin, so that browsers request nothing from other servers. An SVG image
/// has a content security policy that forbids scripts and further requests.
public struct PageImage: Sendable, Hashable {
    /// The maximum size in bytes: 64 KiB.
    ///
    /// Every visitor of the sign-in page loads the image.
    public static let byteLimit = 64 * 1024

    /// The content of the file.
    let bytes: [UInt8]

    /// The media type.
    let type: String

    /// Creates an image from the content of a file.
    ///
    /// - Parameter bytes: A PNG, WebP or SVG image of at most ``byteLimit`` bytes.
    /// - Throws: ``PageImageError/tooLarge`` or ``PageImageError/unsupportedFormat``.
    public init(_ bytes: [UInt8]) throws(PageImageError) {
        guard bytes.count <= Self.byteLimit else { throw .tooLarge }
        guard let type = Self.type(of: bytes) else { throw .unsupportedFormat }
        self.bytes = bytes
        self.type = type
    }

    /// Returns the media type of an image by its first bytes; nil for another format.
    private static func type(of bytes: [UInt8]) -> String? {
        // Portable Network Graphics (Third Edition) §5.2.
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return "image/png" }
        // RFC 9649 §2.4.
        if bytes.starts(with: "RIFF".utf8), bytes.dropFirst(8).starts(with: "WEBP".utf8) { return "image/webp" }
        guard let text = String(validating: bytes, as: UTF8.self)?.drop(while: \.isWhitespace) else { return nil }
        let isSVG = text.hasPrefix("<svg") || text.hasPrefix("<?xml") && text.contains("<svg")
        return isSVG ? "image/svg+xml" : nil
    }
}

/// The reason why a file cannot be an image of the pages.
public enum PageImageError: Error, Hashable, CustomStringConvertible {
    /// The file has more than ``PageImage/byteLimit`` bytes.
    case tooLarge
    /// The file is neither a PNG, nor a WebP, nor an SVG image.
    case unsupportedFormat

    /// The reason, in words.
    public var description: String {
        switch self {
        case .tooLarge: "the image is larger than \(PageImage.byteLimit) bytes"
        case .unsupportedFormat: "the file is not a PNG, WebP or SVG image"
        }
    }
}
#endif
