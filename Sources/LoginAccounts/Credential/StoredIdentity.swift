// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
internal import LoginProviders
internal import LoginTokens

/// A verified identity as it is stored with a pending credential, a pending sign-in or a login: with its claims and
/// permissions, without the provider's tokens.
struct StoredIdentity: Sendable {
    /// The identity.
    let identity: VerifiedIdentity

    /// Creates the stored form of an identity.
    init(_ identity: VerifiedIdentity) {
        self.identity = identity
    }
}

extension StoredIdentity: Codable {
    private enum CodingKeys: CodingKey {
        case providerID, subject, claims, granted, declined, expired, source, requested
    }

    /// Decodes an identity.
    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        let claims = try values.decodeIfPresent(String.self, forKey: .claims)
        var permissions: PermissionStatuses?
        if let granted = try values.decodeIfPresent(Set<Permission>.self, forKey: .granted) {
            permissions = PermissionStatuses(
                granted: granted,
                declined: try values.decode(Set<Permission>.self, forKey: .declined),
                expired: try values.decode(Set<Permission>.self, forKey: .expired)
            )
        }
        identity = VerifiedIdentity(
            providerID: try values.decode(ProviderID.self, forKey: .providerID),
            subject: try values.decode(String.self, forKey: .subject),
            claims: try claims.map { try Claims(Array($0.utf8)) },
            permissions: permissions,
            permissionSource: try values.decodeIfPresent(String.self, forKey: .source).map { PermissionSource($0) },
            requestedPermissions: try values.decodeIfPresent(Set<Permission>.self, forKey: .requested)
        )
    }

    /// Encodes the claims and the permissions.
    func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(identity.providerID, forKey: .providerID)
        try values.encode(identity.subject, forKey: .subject)
        try values.encodeIfPresent(identity.claims.map { String(decoding: $0.bytes, as: UTF8.self) }, forKey: .claims)
        try values.encodeIfPresent(identity.permissions?.granted, forKey: .granted)
        try values.encodeIfPresent(identity.permissions?.declined, forKey: .declined)
        try values.encodeIfPresent(identity.permissions?.expired, forKey: .expired)
        try values.encodeIfPresent(identity.permissionSource?.rawValue, forKey: .source)
        try values.encodeIfPresent(identity.requestedPermissions, forKey: .requested)
    }
}

extension StoredIdentity {
    /// Encrypts the identity for the row of a login.
    ///
    /// - Parameters:
    ///   - login: The ID of the row.
    ///   - secrets: The keys.
    /// - Returns: The encrypted identity.
    /// - Throws: ``StoreError``
    func sealed(for login: String, by secrets: AccountSecrets) throws(StoreError) -> [UInt8] {
        secrets.seal(Array(try JSONText.encode(self).utf8), login: login)
    }

    /// Decrypts the identity in the row of a login.
    ///
    /// A damaged one counts as none: it must prevent neither the sign-in that replaces it, nor reading the account.
    ///
    /// - Parameters:
    ///   - login: The row.
    ///   - secrets: The keys.
    /// - Returns: The identity; nil if the row has none, if it is damaged, or if its key was removed.
    static func identity(of login: IdentityRecord, by secrets: AccountSecrets) -> VerifiedIdentity? {
        guard let sealed = login.profile, let bytes = secrets.open(sealed, login: login.id) else { return nil }
        return try? JSONText.decode(String(decoding: bytes, as: UTF8.self), as: Self.self).identity
    }
}

/// The encryption of pending content with a key that is derived from the token of its holder.
///
/// A copy of the store reveals nothing.
enum WaitingContent {
    /// Encrypts a value.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - token: The token of the holder.
    /// - Returns: The encrypted value.
    /// - Throws: ``StoreError``
    static func seal(_ value: some Encodable, token: String) throws(StoreError) -> [UInt8] {
        key(token).seal(Array(try JSONText.encode(value).utf8), context: [])
    }

    /// Decrypts a value.
    ///
    /// - Parameters:
    ///   - sealed: The encrypted value.
    ///   - token: The token of the holder, whose hash was found with the value.
    /// - Returns: The value.
    /// - Throws: ``StoreError``: `damaged` if the value was not encrypted with the token.
    static func open<Value: Decodable>(_ sealed: [UInt8], token: String) throws(StoreError) -> Value {
        guard let bytes = key(token).open(sealed, context: []) else {
            throw StoreError(.damaged, "a pending identity was not encrypted with its token")
        }
        return try JSONText.decode(String(decoding: bytes, as: UTF8.self))
    }

    private static func key(_ token: String) -> SealingKey {
        SealingKey(Digest.sha256.authenticationCode(of: "limited-login waiting, version 1".utf8, key: token.utf8))
    }
}
