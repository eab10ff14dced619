// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginText
internal import Synchronization

/// A cache of the headers of recently verified tokens.
///
/// All tokens that a provider signs with one key have an identical header, so each header is parsed once.
final class KnownHeaders: Sendable {
    /// The capacity; a provider signs with one key, or with two during a key rotation.
    private static let capacity = 4

    /// The cached headers, the most recent first.
    private let headers = Mutex<[(segment: [UInt8], header: JOSEHeader)]>([])

    /// Returns the known header whose segment equals this part of a token.
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

    /// Stores the header of a token.
    ///
    /// - Parameter token: A token with a valid signature; otherwise an attacker could control the cache.
    func remember(_ token: CompactJWS) {
        let segment = token.headerSegment
        headers.withLock { headers in
            guard !headers.contains(where: { $0.segment == segment }) else { return }
            headers.insert((segment, token.header), at: 0)
            if headers.count > Self.capacity { headers.removeLast() }
        }
    }
}
