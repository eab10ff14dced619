// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The meanings and categories of Facebook's error codes.
///
/// The codes are those of Facebook's guides to error handling and to rate limits, and some that only its SDKs have.
enum GraphErrorTable {
    /// The meaning of a code.
    struct Row: Sendable {
        let category: GraphError.Category
        let meaning: String

        init(_ category: GraphError.Category, _ meaning: String) {
            self.category = category
            self.meaning = meaning
        }
    }

    /// Returns the meaning of an error by code and subcode, or else by code, by the range of the code, or by its type.
    ///
    /// - Parameters:
    ///   - code: The code.
    ///   - subcode: The subcode.
    ///   - type: The type.
    /// - Returns: The meaning.
    static func find(code: Int?, subcode: Int?, type: String?) -> Row {
        if let code {
            if let subcode, let row = subcodes(of: code)[subcode] { return row }
            if let row = codes[code] { return row }
            if let row = ranges.first(where: { $0.range.contains(code) })?.row { return row }
        }
        // Without a known code, Facebook's login reports errors of the token by this type.
        if type == "OAuthException" { return Row(.relogin, "the login or the token is invalid") }
        return Row(.other, code == nil ? "an error without a code" : "an unknown code")
    }

    /// Returns the category of an error that Facebook may have marked as transient.
    ///
    /// Throttled calls are marked too, but a retry would prolong the throttling.
    static func category(_ known: GraphError.Category, isTransient: Bool) -> GraphError.Category {
        isTransient && known != .throttle && known != .blocked ? .transient : known
    }

    private static func subcodes(of code: Int) -> [Int: Row] {
        switch code {
        case 100: parameterSubcodes
        case 102, 190: tokenSubcodes
        default: [:]
        }
    }

    private static let codes: [Int: Row] = [
        1: Row(.transient, "an unknown error at Facebook"),
        2: Row(.transient, "a service of Facebook is unavailable"),
        3: Row(.appConfiguration, "the app is not allowed to make this call"),
        4: Row(.throttle, "the app made too many calls"),
        9: Row(.transient, "Facebook requests a delay"),
        10: Row(.permission, "a permission was not granted, or was revoked"),
        17: Row(.throttle, "too many calls were made for this user"),
        32: Row(.throttle, "too many calls were made for this page"),
        100: Row(.caller, "a parameter is invalid, or the object that it names does not exist"),
        101: Row(.appConfiguration, "the app is unknown to Facebook"),
        102: Row(.relogin, "the session is no longer valid"),
        104: Row(.appConfiguration, "appsecret_proof is missing or wrong"),
        190: Row(.relogin, "the token is expired, revoked, or malformed"),
        341: Row(.throttle, "the app reached a limit"),
        368: Row(.blocked, "temporarily blocked for a policy violation"),
        412: Row(.relogin, "a login is required"),
        506: Row(.caller, "the same content was posted twice in a row"),
        613: Row(.throttle, "too many calls of the same kind"),
        1_609_005: Row(.caller, "the link could not be posted"),
    ]

    /// The errors of authorization codes, which Facebook reports as errors of a parameter.
    private static let parameterSubcodes: [Int: Row] = [
        33: Row(.caller, "the object does not exist, or is not visible with this token"),
        36_007: Row(.relogin, "the authorization code has expired"),
        36_008: Row(.appConfiguration, "the redirect URI is not that of the authorization request"),
        36_009: Row(.relogin, "the authorization code was used before"),
    ]

    private static let tokenSubcodes: [Int: Row] = [
        456: Row(.relogin, "the token is malformed"),
        457: Row(.relogin, "the session has an invalid origin"),
        458: Row(.relogin, "the user removed the app"),
        459: Row(.userMustAct, "the user must complete a checkpoint at Facebook"),
        460: Row(.relogin, "the user changed the password"),
        461: Row(.relogin, "the app was reinstalled"),
        462: Row(.relogin, "the session is stale"),
        463: Row(.relogin, "the token has expired"),
        464: Row(.userMustAct, "the user's account is not confirmed"),
        465: Row(.relogin, "the user is unknown"),
        466: Row(.relogin, "the token was invalidated"),
        467: Row(.relogin, "the token is invalid, or the user logged out"),
        468: Row(.relogin, "the session was not used for a long time"),
        490: Row(.userMustAct, "the user must complete a checkpoint at Facebook"),
        492: Row(.relogin, "the user's role on the page changed"),
        493: Row(.relogin, "the user did not use the app for a long time, and must authorize it again"),
    ]

    private static let ranges: [(range: ClosedRange<Int>, row: Row)] = [
        (200...299, Row(.permission, "a permission is missing")),
        (80_000...80_014, Row(.throttle, "too many calls were made for this business")),
    ]
}
