// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginProviders
internal import LoginTokens

/// The reason why a login configuration is invalid.
public struct LoginConfigurationError: Error, Sendable, Hashable {
    /// The stable name of a reason.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The name, for example `nonce-empty`.
        public let rawValue: String

        private init(_ rawValue: String) {
            self.rawValue = rawValue
        }

        /// The name, as in ``rawValue``.
        public var description: String { rawValue }

        /// The nonce is empty.
        public static let nonceEmpty = Self("nonce-empty")
        /// There is white space in the nonce, line breaks included.
        public static let nonceWhiteSpace = Self("nonce-white-space")
        /// The name of a permission has characters other than lower-case letters and underscores.
        public static let permission = Self("permission")
        /// Limited Login does not offer a requested permission.
        public static let permissionNotLimited = Self("permission-not-limited")
        /// The nonce, a page ID or a name is too long, or there are too many permissions.
        public static let tooLarge = Self("too-large")

        /// All codes.
        public static let all: [Self] = [.nonceEmpty, .nonceWhiteSpace, .permission, .permissionNotLimited, .tooLarge]
    }

    /// The stable name of the reason.
    public let code: Code

    /// The permissions that are the reason, sorted by name; empty for another reason.
    public let permissions: [Permission]

    /// The finding; never the nonce.
    private let detail: String

    init(_ code: Code, _ detail: String, permissions: [Permission] = []) {
        self.code = code
        self.permissions = permissions
        self.detail = detail
    }
}

extension LoginConfigurationError: CustomStringConvertible {
    /// The code and the finding, for the developer.
    public var description: String { "invalid login configuration: \(code.rawValue): \(detail)" }
}
