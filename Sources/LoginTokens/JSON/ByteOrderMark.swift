// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

extension Collection<UInt8> {
    /// The bytes of a JSON document that a provider publishes, without the UTF-8 byte order mark that some servers put
    /// before it (RFC 8259 §8.1 lets a parser ignore it).
    ///
    /// A token has no byte order mark, so its header and its payload are read without this.
    package var withoutByteOrderMark: [UInt8] {
        guard first == 0xEF, starts(with: [0xEF, 0xBB, 0xBF]) else { return Array(self) }
        return Array(dropFirst(3))
    }
}
