// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginTokens

/// How large a profile picture is wanted; Facebook gives the nearest it has.
public struct PictureSize: Sendable, Hashable {
    /// Names and values of the query.
    let parameters: [[String]]

    /// 50 × 50 pixels.
    public static let square = Self(parameters: [["type", "square"]])
    /// At least 50 pixels wide.
    public static let small = Self(parameters: [["type", "small"]])
    /// At least 100 pixels wide.
    public static let normal = Self(parameters: [["type", "normal"]])
    /// 50 × 50 pixels, as albums show it.
    public static let album = Self(parameters: [["type", "album"]])
    /// At least 200 pixels wide.
    public static let large = Self(parameters: [["type", "large"]])

    /// So many pixels; one of the two may be left to Facebook.
    ///
    /// - Parameters:
    ///   - width: 1 … 4,096 pixels.
    ///   - height: 1 … 4,096 pixels.
    /// - Returns: The size; nil if both are left out, or one is out of range.
    public static func pixels(width: Int? = nil, height: Int? = nil) -> PictureSize? {
        let sides = [("width", width), ("height", height)].compactMap { name, side in side.map { (name, $0) } }
        guard !sides.isEmpty, sides.allSatisfy({ (1...4096).contains($0.1) }) else { return nil }
        return Self(parameters: sides.map { [$0.0, String($0.1)] })
    }
}

extension GraphAPI {
    /// Where the Graph API has a person's picture.
    ///
    /// No token stands in it. Asked without one, Facebook mostly shows a silhouette: send an access token, the app's
    /// own (`{app-id}|{app-secret}`) or the person's, in the head `Authorization: Bearer`. Facebook answers by a
    /// redirect to another host, which must not get the token.
    ///
    /// - Parameters:
    ///   - userID: The person's ID within the app, as in ``Profile/userID``.
    ///   - size: How large.
    /// - Returns: The address; nil if the ID is not 1 to 64 digits.
    public func pictureURL(of userID: String, size: PictureSize = .normal) -> EndpointURL? {
        guard (1...64).contains(userID.utf8.count), userID.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        let parameters = size.parameters.map { (name: $0[0], value: $0[1]) }
        return try? GraphCall(path: [userID, "picture"], parameters: parameters).request(for: app).url
    }
}
