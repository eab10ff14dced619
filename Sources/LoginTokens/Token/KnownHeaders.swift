// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginText
internal import Synchronization

/// The headers of tokens that were verified lately.
///
/// All tokens that a provider signs with one key have the same header, to the byte. What it says is read once.
final class KnownHeaders: Sendable {
    /// A provider signs with one key, or two while it changes them.
    private static let capacity = 4

    /// The latest first.
    private let headers = Mutex<[(segment: [UInt8], header: JOSEHeader)]>([])

    /// The header whose segment, as received, is this part of a token.
    func header(of text: String, segment: Range<Int>) -> JOSEHeader? {
        headers.withLock { headers in
            withUTF8(of: text, upTo: segment.upperBound) { bytes in
                for known in headers {
                    let received = bytes.extracting(segment)
                    if isEqual(known.segment.span, received) { return known.header }
                }
                return nil
            }
        }
    }

    /// Remembers the header of a token.
    ///
    /// - Parameter token: A token whose signature was valid: else strangers would decide what is remembered.
    func remember(_ token: CompactJWS) {
        let segment = token.headerSegment
        headers.withLock { headers in
            guard !headers.contains(where: { $0.segment == segment }) else { return }
            headers.insert((segment, token.header), at: 0)
            if headers.count > Self.capacity { headers.removeLast() }
        }
    }
}
