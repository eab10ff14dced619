// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
package import HTTPTypes
internal import Hummingbird

/// The session token that a request shows, unread.
struct ShownSession: Sendable, Hashable {
    let token: String
    let transport: SessionTransport

    /// Reads the headers of a request.
    ///
    /// A bearer is looked for first: who sends one means it, while a browser sends its cookie always.
    ///
    /// - Throws: ``Problem``: `invalid-request` where it is not one credential, said in one way.
    init?(_ request: Request) throws(Problem) {
        if let token = try Self.bearer(request.headers) {
            self.init(token: token, transport: .bearer)
        } else if let token = request.headers.cookie(SessionCookies.sessionName) {
            self.init(token: token, transport: .cookie)
        } else {
            return nil
        }
    }

    private init(token: String, transport: SessionTransport) {
        self.token = token
        self.transport = transport
    }

    /// The bearer in `Authorization` (RFC 6750 §2.1); nil where there is none, or another scheme, which is somebody else's.
    private static func bearer(_ headers: HTTPFields) throws(Problem) -> String? {
        let values = headers[values: .authorization]
        // Two of them would be read by one server as the first and by the next as the last.
        guard values.count <= 1 else { throw malformed }
        guard let value = values.first else { return nil }
        let parts = value.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
        // RFC 9110 §11.1: the scheme is compared without case.
        guard let scheme = parts.first, scheme.lowercased() == "bearer" else { return nil }
        guard parts.count == 2 else { throw malformed }
        let token = parts[1].drop { $0 == " " }
        guard !token.isEmpty, token.utf8.allSatisfy(isTokenCharacter) else { throw malformed }
        return String(token)
    }

    /// RFC 6750 §2.1, `b68token`.
    private static func isTokenCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "-._~+/=".utf8.contains(byte)
        }
    }

    private static var malformed: Problem {
        let challenge = BearerChallenge(.invalidRequest)
        var problem = Problem(
            .invalidRequest,
            "The header Authorization has to hold one bearer.",
            headers: [.wwwAuthenticate: challenge.text]
        )
        // RFC 6750 §3.1 has 400 here. Proxies that ask whether a request may pass know 401 alone, and take all else for a failure.
        problem.status = .unauthorized
        return problem
    }
}

extension HTTPFields {
    /// The value of a cookie (RFC 6265 §4.2.1); nil where the request has none of this name, or several.
    ///
    /// A browser keeps one of each name that begins with `__Host-`. Where two arrive, one of them was put in between.
    package func cookie(_ name: String) -> String? {
        var found: Substring.UTF8View?
        for value in self[values: .cookie] {
            for pair in value.utf8.split(separator: UInt8(ascii: ";")) {
                let pair = pair.drop { $0 == 0x20 || $0 == 0x09 }
                guard pair.starts(with: name.utf8) else { continue }
                let rest = pair.dropFirst(name.utf8.count)
                guard rest.first == UInt8(ascii: "=") else { continue }
                guard found == nil else { return nil }
                found = rest.dropFirst()
            }
        }
        return found.map { String(Substring($0)) }
    }
}
#endif
