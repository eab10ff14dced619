// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The maximum sizes of a token and of its header.
///
/// The defaults suit most issuers. Raise a limit for an issuer whose tokens are larger, for example because they list
/// hundreds of roles:
///
/// ```swift
/// let limits = try TokenLimits(tokenBytes: 32 * 1024)
/// let policy = try AccessTokenPolicy(issuer: issuer, audiences: audiences, limits: limits)
/// ```
///
/// A larger token costs more to read, and more to refuse. The web server must accept header fields of this size too.
public struct TokenLimits: Sendable, Hashable {
    let token: RaisableLimit
    let header: RaisableLimit

    /// The maximum size of a token in its compact serialization, in bytes.
    public var tokenBytes: Int { token.value }

    /// The maximum size of a decoded JOSE header, in bytes.
    public var headerBytes: Int { header.value }

    /// The default limits: a token of 16 KiB, and a header of 4 KiB.
    public static let standard = Self(
        tokenBytes: Limits.tokenBytes,
        "TokenLimits.tokenBytes",
        headerBytes: Limits.headerBytes,
        "TokenLimits.headerBytes"
    )

    /// The largest limits: a token of 64 KiB, and a header of 16 KiB.
    ///
    /// They are for tools that show tokens, whatever policy accepts them.
    public static let largest = Self(
        tokenBytes: Limits.tokenBytesRange.upperBound,
        nil,
        headerBytes: Limits.headerBytesRange.upperBound,
        nil
    )

    /// The default limits, for tokens whose size no setting raises: proofs.
    static let fixed = Self(tokenBytes: Limits.tokenBytes, nil, headerBytes: Limits.headerBytes, nil)

    /// Creates limits.
    ///
    /// - Parameters:
    ///   - tokenBytes: The maximum size of a token, within ``Limits/tokenBytesRange``: 16 KiB to 64 KiB.
    ///   - headerBytes: The maximum size of a decoded JOSE header, within ``Limits/headerBytesRange``: 4 KiB to 16 KiB.
    /// - Throws: ``PolicyError`` if a size is out of range.
    public init(
        tokenBytes: Int = Limits.tokenBytes,
        headerBytes: Int = Limits.headerBytes
    ) throws(PolicyError) {
        for (name, size, range) in [
            ("token bytes", tokenBytes, Limits.tokenBytesRange), ("header bytes", headerBytes, Limits.headerBytesRange),
        ] where !range.contains(size) {
            throw PolicyError("\(name): \(size) is not from \(range.lowerBound) to \(range.upperBound)")
        }
        let standard = Self.standard
        self.init(tokenBytes: tokenBytes, standard.token.setting, headerBytes: headerBytes, standard.header.setting)
    }

    private init(tokenBytes: Int, _ tokenSetting: String?, headerBytes: Int, _ headerSetting: String?) {
        token = RaisableLimit(tokenBytes, upTo: Limits.tokenBytesRange.upperBound, setting: tokenSetting)
        header = RaisableLimit(headerBytes, upTo: Limits.headerBytesRange.upperBound, setting: headerSetting)
    }

    /// Returns the same limits for a program with settings of its own, which refusals (`too-large`) then name.
    ///
    /// - Parameters:
    ///   - tokenSetting: The name of the setting for ``tokenBytes``, for example `--max-token-bytes`.
    ///   - headerSetting: The name of the setting for ``headerBytes``.
    /// - Returns: The limits.
    public func named(tokenBytes tokenSetting: String, headerBytes headerSetting: String) -> Self {
        Self(tokenBytes: tokenBytes, tokenSetting, headerBytes: headerBytes, headerSetting)
    }

    /// Checks the size of a token in its compact serialization.
    ///
    /// - Throws: ``TokenRefusal`` with the code `too-large`.
    func checkToken(_ size: Int) throws(TokenRefusal) {
        try token.check(size, of: "the token")
    }
}

/// A limit that a setting can raise.
struct RaisableLimit: Sendable, Hashable {
    let value: Int
    let maximum: Int

    /// The name of the setting; nil if there is none.
    let setting: String?

    init(_ value: Int, upTo maximum: Int, setting: String?) {
        self.value = value
        self.maximum = maximum
        self.setting = setting
    }

    /// The end of a message about something beyond the limit, which names the setting; empty at the maximum.
    var remedy: String {
        guard let setting, value < maximum else { return "" }
        return "; \(setting) can be up to \(maximum)"
    }

    /// Checks a size in bytes.
    ///
    /// - Throws: ``TokenRefusal`` with the code `too-large`, which names the setting.
    func check(_ size: Int, of part: String) throws(TokenRefusal) {
        guard size <= value else { throw TokenRefusal(.tooLarge, "\(part) has more than \(value) bytes\(remedy)") }
    }
}
