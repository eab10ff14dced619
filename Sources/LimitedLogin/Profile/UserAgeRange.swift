// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTokens

/// The range of a user's age.
///
/// Facebook's ranges are 13–17, 18–20 and 21 or more at present; they may change.
public struct UserAgeRange: Sendable, Hashable {
    /// The minimum age in years; nil if there is no lower bound.
    public let min: Int?
    /// The maximum age in years; nil if there is no upper bound.
    public let max: Int?

    /// Creates a range; nil if both bounds are missing, one is negative, or the lower is not below the upper.
    public init?(min: Int?, max: Int?) {
        guard min != nil || max != nil, min ?? 0 >= 0, max ?? 0 >= 0 else { return nil }
        if let min, let max, min >= max { return nil }
        self.min = min
        self.max = max
    }

    init?(_ claim: JSONValue) {
        let (min, max) = (claim["min"], claim["max"])
        let (minimum, maximum) = (min?.integer, max?.integer)
        // A bound that is not an integer makes the range invalid: half of it would be another range.
        guard (min == nil) == (minimum == nil), (max == nil) == (maximum == nil) else { return nil }
        self.init(min: minimum, max: maximum)
    }

    /// Returns whether the user is at least `age` years old: yes if all ages in the range are, no if none is, and
    /// unknown otherwise.
    public func isAtLeast(_ age: Int) -> AgeGate {
        if let min, min >= age { return .yes }
        if let max, max < age { return .no }
        return .unknown
    }
}

extension UserAgeRange: Codable {
    private enum CodingKeys: CodingKey {
        case min, max
    }

    /// Decodes a range, with the checks of the initializer.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let min = try container.decodeIfPresent(Int.self, forKey: .min)
        let max = try container.decodeIfPresent(Int.self, forKey: .max)
        guard let range = UserAgeRange(min: min, max: max) else {
            let context = DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "not an age range")
            throw DecodingError.dataCorrupted(context)
        }
        self = range
    }
}
