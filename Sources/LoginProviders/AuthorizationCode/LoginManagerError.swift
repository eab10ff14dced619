// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTokens

/// Why a login cannot be begun so: a mistake of the server's own, never of the person's.
public struct LoginManagerError: Error, Sendable, Hashable {
    /// The stable name of a reason.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The name, for example `redirect-url`.
        public let rawValue: String

        private init(_ rawValue: String) { self.rawValue = rawValue }

        /// The name, as in ``rawValue``.
        public var description: String { rawValue }

        /// The redirect URL is none that a browser may be sent to.
        public static let redirectURL = Self("redirect-url")
        /// The provider, as it describes itself, cannot do what is needed, or is another one.
        public static let provider = Self("provider")
        /// The client ID is empty, or the secret.
        public static let client = Self("client")
        /// The request is for another kind of provider, or no request.
        public static let request = Self("request")
        /// The place to return to is not a path of this site.
        public static let returnTo = Self("return-to")

        /// All of them.
        public static let all: [Self] = [.redirectURL, .provider, .client, .request, .returnTo]
    }

    /// The stable name of the reason.
    public let code: Code

    private let detail: String

    package init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = oneLine(detail, limit: 4 * Limits.quotedCharacters)
    }
}

extension LoginManagerError {
    /// The request is for another kind of provider than the client.
    package static var otherProvider: Self {
        Self(.request, "the request is for another kind of provider than the client")
    }
}

extension LoginManagerError: CustomStringConvertible {
    /// The code and what is wrong, for the developer.
    public var description: String { "no login: \(code): \(detail)" }
}
