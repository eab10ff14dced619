// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
/// A header field that responses of many operations have, described once in the OpenAPI document.
enum CommonHeader: String, CaseIterable, Sendable {
    case requestID = "X-Request-ID"
    case retryAfter = "Retry-After"
    case challenge = "WWW-Authenticate"
    case authError = "X-Auth-Error"

    /// Returns the header fields of every response with a status.
    static func all(of status: Int) -> [Self] {
        switch status {
        case 401: [.requestID, .challenge, .authError]
        case 429, 503: [.requestID, .retryAfter]
        default: [.requestID]
        }
    }

    /// The description of the header field.
    var field: Field {
        switch self {
        case .requestID: .optional(rawValue, .text(1...64), "What the request is known by, in the log too.")
        case .retryAfter:
            .optional(rawValue, .integer(1...1_000_000_000), "After how many seconds it may be tried again.")
        case .challenge: .optional(rawValue, .text(1...1000), "That a bearer is wanted, and what was wrong with it.")
        case .authError: .optional(rawValue, .text(1...64), "The code, for a proxy that reads no body.")
        }
    }
}
#endif
