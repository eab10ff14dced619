// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginText

/// The error codes of providers.
enum ErrorName {
    /// Returns an error code as a text for the operator.
    ///
    /// A code of unusual form is omitted, since it may contain anything.
    static func shown(_ name: String) -> String {
        let isName =
            (1...64).contains(name.utf8.count)
            && name.utf8.allSatisfy {
                (0x61...0x7A).contains($0) || (0x41...0x5A).contains($0) || $0 == UInt8(ascii: "_")
            }
        return isName ? "the error \(name)" : "an error without a valid name"
    }

    /// Returns an error code of RFC 6749 §4.1.2.1 as a text for the operator.
    ///
    /// Any other code is omitted: it is for responses that anyone can make up.
    static func shownIfStandard(_ name: String) -> String {
        let names = [
            "invalid_request", "unauthorized_client", "access_denied", "unsupported_response_type", "invalid_scope",
            "server_error", "temporarily_unavailable",
        ]
        return names.contains { isEqual($0, name) } ? shown(name) : "an error that RFC 6749 does not define"
    }
}
