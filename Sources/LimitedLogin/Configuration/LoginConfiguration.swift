// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginProviders
public import LoginTokens

/// The configuration of a login for Facebook's SDK: permissions, tracking, nonce and code verifier.
///
/// ```swift
/// let configuration = try await LoginConfiguration.issuing(
///     from: nonces, purpose: .signIn, binding: binding, permissions: [.email], tracking: .limited)
/// ```
///
/// A server encodes it for its app; decoding makes the checks of the initializers. It contains the nonce and the code
/// verifier: send it over TLS, only to the app whose attempt it is, and neither log nor store it.
public struct LoginConfiguration: Sendable, Hashable {
    /// The requested permissions.
    ///
    /// Every login requests `openid` as well.
    public let requestedPermissions: Set<Permission>

    /// Whether Facebook may use the login for advertising.
    public let tracking: LoginTracking

    /// The nonce, which binds the token to this login.
    ///
    /// Facebook copies it into the token unchanged.
    public internal(set) var nonce: String

    /// The ID of the page that the user is asked to contact by Messenger; nil for none.
    ///
    /// Only Facebook checks whether the page exists.
    public let messengerPageID: String?

    /// The repeated request to a user who has signed in before; nil for none.
    public let authType: LoginAuthType?

    /// Whether a phone may switch to Facebook's app.
    public let appSwitch: AppSwitch

    /// The code verifier of the login.
    public let codeVerifier: CodeVerifier

    /// Creates a configuration; nil if Facebook's documentation does not allow it.
    ///
    /// ``init(validating:tracking:nonce:messengerPageID:authType:appSwitch:codeVerifier:)`` throws the reason.
    ///
    /// - Parameters:
    ///   - permissions: The requested permissions.
    ///   - tracking: Whether Facebook may use the login for advertising.
    ///   - nonce: The nonce of the token: 1 to 256 bytes without white space; nil for one of 128 random bits.
    ///   - messengerPageID: The ID of the page that the user is asked to contact by Messenger; at most 256 bytes.
    ///   - authType: The repeated request to a user who has signed in before.
    ///   - appSwitch: Whether a phone may switch to Facebook's app.
    ///   - codeVerifier: The code verifier of the login.
    public init?(
        permissions: Set<Permission> = [],
        tracking: LoginTracking = .enabled,
        nonce: String? = nil,
        messengerPageID: String? = nil,
        authType: LoginAuthType? = .rerequest,
        appSwitch: AppSwitch = .enabled,
        codeVerifier: CodeVerifier = CodeVerifier()
    ) {
        do throws(LoginConfigurationError) {
            try self.init(
                validating: permissions,
                tracking: tracking,
                nonce: nonce,
                messengerPageID: messengerPageID,
                authType: authType,
                appSwitch: appSwitch,
                codeVerifier: codeVerifier
            )
        } catch {
            return nil
        }
    }

    /// Creates a configuration, or throws the reason why it is invalid.
    ///
    /// - Parameters:
    ///   - permissions: The requested permissions: at most 64, with names of lower-case letters and underscores of at
    ///     most 64 bytes; with `.limited` only those of `Permission.limited`.
    ///   - tracking: Whether Facebook may use the login for advertising.
    ///   - nonce: The nonce of the token: 1 to 256 bytes without white space; nil for one of 128 random bits. No store
    ///     has a random one. On a server, prefer
    ///     ``issuing(from:purpose:binding:lifetime:permissions:tracking:messengerPageID:authType:appSwitch:codeVerifier:)``.
    ///   - messengerPageID: The ID of the page that the user is asked to contact by Messenger; at most 256 bytes.
    ///   - authType: The repeated request to a user who has signed in before.
    ///   - appSwitch: Whether a phone may switch to Facebook's app.
    ///   - codeVerifier: The code verifier of the login.
    /// - Throws: ``LoginConfigurationError``, with a code of ``LoginConfigurationError/Code/all``.
    public init(
        validating permissions: Set<Permission>,
        tracking: LoginTracking = .enabled,
        nonce: String? = nil,
        messengerPageID: String? = nil,
        authType: LoginAuthType? = .rerequest,
        appSwitch: AppSwitch = .enabled,
        codeVerifier: CodeVerifier = CodeVerifier()
    ) throws(LoginConfigurationError) {
        if let nonce { try Self.check(nonce) }
        try Self.check(permissions, tracking: tracking)
        if let messengerPageID, messengerPageID.utf8.count > Limits.loginNonceBytes {
            throw LoginConfigurationError(
                .tooLarge,
                "the Messenger page ID has \(messengerPageID.utf8.count) bytes, which is too long"
            )
        }
        self.requestedPermissions = permissions
        self.tracking = tracking
        self.nonce = nonce ?? Nonce.random()
        self.messengerPageID = messengerPageID
        self.authType = authType
        self.appSwitch = appSwitch
        self.codeVerifier = codeVerifier
    }

    static func check(_ nonce: String) throws(LoginConfigurationError) {
        guard let fault = NonceFault(in: nonce) else { return }
        switch fault {
        case .empty: throw LoginConfigurationError(.nonceEmpty, fault.description)
        case .tooLong: throw LoginConfigurationError(.tooLarge, fault.description)
        case .whiteSpace: throw LoginConfigurationError(.nonceWhiteSpace, fault.description)
        }
    }

    private static func check(
        _ permissions: Set<Permission>,
        tracking: LoginTracking
    ) throws(LoginConfigurationError) {
        guard permissions.count <= Limits.requestedPermissions else {
            let detail = "\(permissions.count) permissions, at most \(Limits.requestedPermissions) are allowed"
            throw LoginConfigurationError(.tooLarge, detail)
        }
        // Before sorting: strings are compared by their normal form, which an attacker can make slow.
        if let long = permissions.first(where: { $0.rawValue.utf8.count > Limits.permissionBytes }) {
            let detail = "the name of a permission has \(long.rawValue.utf8.count) bytes, which is too long"
            throw LoginConfigurationError(.tooLarge, detail, permissions: [long])
        }
        let sorted = permissions.sorted { $0.rawValue < $1.rawValue }
        let malformed = sorted.filter { !$0.isWellFormed }
        guard malformed.isEmpty else {
            let detail =
                "\(quoted(malformed.map(\.rawValue))): a permission consists of lower-case letters and underscores"
            throw LoginConfigurationError(.permission, detail, permissions: malformed)
        }
        guard tracking == .limited else { return }
        let foreign = sorted.filter { !$0.isAvailableInLimitedLogin }
        guard foreign.isEmpty else {
            let detail = "Limited Login does not support \(quoted(foreign.map(\.rawValue)))"
            throw LoginConfigurationError(.permissionNotLimited, detail, permissions: foreign)
        }
    }
}

extension LoginConfiguration: Codable {
    private enum CodingKeys: String, CodingKey {
        case requestedPermissions, tracking, nonce, messengerPageID, authType, appSwitch, codeVerifier
    }

    /// Decodes a configuration, with the checks of the initializers.
    ///
    /// Only ``messengerPageID`` and ``authType`` may be missing, and are nil then. A missing nonce is an error: the
    /// server would refuse the token of a generated one.
    ///
    /// - Throws: `DecodingError`, with a ``LoginConfigurationError`` as its underlying error if the configuration is
    ///   invalid.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let permissions = try container.decode([Permission].self, forKey: .requestedPermissions)
        let tracking = try container.decode(LoginTracking.self, forKey: .tracking)
        let nonce = try container.decode(String.self, forKey: .nonce)
        let messengerPageID = try container.decodeIfPresent(String.self, forKey: .messengerPageID)
        let authType = try container.decodeIfPresent(LoginAuthType.self, forKey: .authType)
        let appSwitch = try container.decode(AppSwitch.self, forKey: .appSwitch)
        let codeVerifier = try container.decode(CodeVerifier.self, forKey: .codeVerifier)
        do throws(LoginConfigurationError) {
            try self.init(
                validating: Set(permissions),
                tracking: tracking,
                nonce: nonce,
                messengerPageID: messengerPageID,
                authType: authType,
                appSwitch: appSwitch,
                codeVerifier: codeVerifier
            )
        } catch {
            let path = decoder.codingPath
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: path, debugDescription: error.description, underlyingError: error)
            )
        }
    }

    /// Encodes the configuration by the names of the properties, with sorted permissions.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        let permissions = requestedPermissions.sorted { $0.rawValue < $1.rawValue }
        try container.encode(permissions, forKey: .requestedPermissions)
        try container.encode(tracking, forKey: .tracking)
        try container.encode(nonce, forKey: .nonce)
        try container.encodeIfPresent(messengerPageID, forKey: .messengerPageID)
        try container.encodeIfPresent(authType, forKey: .authType)
        try container.encode(appSwitch, forKey: .appSwitch)
        try container.encode(codeVerifier, forKey: .codeVerifier)
    }
}

extension LoginConfiguration: Redacted {
    /// The tracking and the permissions, without nonce and code verifier.
    public var description: String {
        let permissions = requestedPermissions.map(\.rawValue).sorted().joined(separator: ",")
        return "login configuration, tracking \(tracking.rawValue), permissions \(quoted(permissions))"
    }
}
