// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTokens

/// A mistake in the configuration of a provider or in a call of the server, never one of the user.
public struct LoginManagerError: Error, Sendable, Hashable {
    /// The stable name of a reason.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The name, for example `redirect-url`.
        public let rawValue: String

        private init(_ rawValue: String) { self.rawValue = rawValue }

        /// The name, as in ``rawValue``.
        public var description: String { rawValue }

        /// The redirect URI is invalid.
        public static let redirectURL = Self("redirect-url")
        /// The provider is not declared, its issuer is invalid, or its metadata lacks a member that the flow needs.
        public static let provider = Self("provider")
        /// The client ID or the client secret is empty, or a setting of the client is out of range.
        public static let client = Self("client")
        /// The authorization request is invalid, or for another kind of provider.
        public static let request = Self("request")
        /// The return path is not a path of this site.
        public static let returnTo = Self("return-to")

        /// All codes.
        public static let all: [Self] = [.redirectURL, .provider, .client, .request, .returnTo]
    }

    /// The stable name of the reason.
    public let code: Code

    /// The setting of the provider that is refused; nil if the reason is another.
    public let setting: SignInProvider.Setting?

    /// The reason, for the developer.
    public let detail: String

    private var provider: ProviderID?

    package init(_ code: Code, _ detail: String) {
        self.init(code, setting: nil, detail)
    }

    init(_ code: Code, setting: SignInProvider.Setting?, _ detail: String) {
        self.code = code
        self.setting = setting
        self.detail = oneLine(detail, limit: 4 * Limits.quotedCharacters)
    }
}

extension LoginManagerError {
    /// Returns the same error, naming the provider.
    func at(_ provider: ProviderID) -> Self {
        var error = self
        error.provider = provider
        return error
    }

    /// The request is for another kind of provider than the client.
    package static var otherProvider: Self {
        Self(.request, "the request is for another kind of provider than the client")
    }
}

extension LoginManagerError: CustomStringConvertible {
    /// The code and the reason, for the developer.
    public var description: String {
        let place = [provider?.rawValue, setting?.rawValue].compactMap(\.self).map { "\($0): " }.joined()
        return "login not possible: \(code): \(place)\(detail)"
    }
}
