// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginText

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Returns the value of the header field `Authorization` for HTTP Basic authentication of a client.
///
/// ID and secret are form-encoded first (RFC 6749 §2.3.1), so that a colon in one of them is no separator.
///
/// - Parameters:
///   - clientID: The client ID.
///   - secret: The client secret.
/// - Returns: The value, beginning with `Basic`.
package func basicCredentials(clientID: String, secret: String) -> String {
    let pair = PercentEncoding.encode(clientID) + ":" + PercentEncoding.encode(secret)
    return "Basic \(Data(pair.utf8).base64EncodedString())"
}
