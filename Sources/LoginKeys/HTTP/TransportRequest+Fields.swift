// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTokens

extension TransportRequest {
    /// The names of fields that only the transport sets: those for framing, routing and connection management.
    private static let ownFields: Set<String> = [
        "accept-encoding", "connection", "content-length", "expect", "host", "keep-alive", "te", "trailer",
        "transfer-encoding", "upgrade", "user-agent",
    ]

    /// Throws an error if a header field could change the framing or the destination of the request.
    ///
    /// - Throws: `TransportFailure` with the code `url`; no value is quoted.
    func checkFields() throws(TransportFailure) {
        for (name, value) in headers {
            guard !name.isEmpty, name.utf8.allSatisfy(Self.isToken) else {
                throw TransportFailure(.url, "invalid request: \(quoted(name)) is not a valid field name")
            }
            guard !Self.ownFields.contains(name.lowercased()) else {
                throw TransportFailure(.url, "invalid request: the field \(name) is set by the transport")
            }
            // Control characters are rejected, line breaks in particular (RFC 9110 §5.5).
            guard value.utf8.allSatisfy({ $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) }) else {
                throw TransportFailure(
                    .url,
                    "invalid request: the field \(name) has a control character"
                )
            }
        }
    }

    /// Returns whether a byte may occur in a field name (RFC 9110 §5.6.2).
    private static func isToken(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
            || "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
}
