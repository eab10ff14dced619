// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginTokens

/// The size of a profile picture.
///
/// Facebook returns the nearest size that it has.
public struct PictureSize: Sendable, Hashable {
    /// The names and values of the query.
    let parameters: [[String]]

    /// 50 × 50 pixels.
    public static let square = Self(parameters: [["type", "square"]])
    /// At least 50 pixels wide.
    public static let small = Self(parameters: [["type", "small"]])
    /// At least 100 pixels wide.
    public static let normal = Self(parameters: [["type", "normal"]])
    /// 50 × 50 pixels, as in albums.
    public static let album = Self(parameters: [["type", "album"]])
    /// At least 200 pixels wide.
    public static let large = Self(parameters: [["type", "large"]])

    /// Returns a size in pixels.
    ///
    /// Facebook chooses a dimension that is nil.
    ///
    /// - Parameters:
    ///   - width: 1 to 4,096 pixels.
    ///   - height: 1 to 4,096 pixels.
    /// - Returns: The size; nil if both are nil, or one is out of range.
    public static func pixels(width: Int? = nil, height: Int? = nil) -> PictureSize? {
        let sides = [("width", width), ("height", height)].compactMap { name, side in side.map { (name, $0) } }
        guard !sides.isEmpty, sides.allSatisfy({ (1...4096).contains($0.1) }) else { return nil }
        return Self(parameters: sides.map { [$0.0, String($0.1)] })
    }
}

extension GraphAPI {
    /// Returns the URL of a user's picture at the Graph API.
    ///
    /// It contains no token. Without a token, Facebook mostly returns a silhouette: send the app access token
    /// (`{app-id}|{app-secret}`) or the user's in the header `Authorization: Bearer`. Facebook redirects to another
    /// host, which must not get the token.
    ///
    /// - Parameters:
    ///   - userID: The user's ID within the app, as in ``Profile/userID``.
    ///   - size: The size.
    /// - Returns: The URL; nil if the ID is not 1 to 64 digits.
    public func pictureURL(of userID: String, size: PictureSize = .normal) -> EndpointURL? {
        guard GraphCall.isUserID(userID) else { return nil }
        let parameters = size.parameters.map { (name: $0[0], value: $0[1]) }
        return try? GraphCall(path: [userID, "picture"], parameters: parameters).request(for: app).url
    }
}
