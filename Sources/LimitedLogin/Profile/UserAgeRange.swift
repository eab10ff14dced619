// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTokens

/// The range a person's age lies in.
///
/// Facebook tells 13–17, 18–20 and 21 or more today; that is data, not a promise.
public struct UserAgeRange: Sendable, Hashable {
    /// The least age in years; nil where there is no lower bound.
    public let min: Int?
    /// The greatest age in years; nil where there is no upper bound.
    public let max: Int?

    /// A range; nil if both bounds are missing, one is negative, or the lower is not below the upper.
    public init?(min: Int?, max: Int?) {
        guard min != nil || max != nil, min ?? 0 >= 0, max ?? 0 >= 0 else { return nil }
        if let min, let max, min >= max { return nil }
        self.min = min
        self.max = max
    }

    init?(_ claim: JSONValue) {
        // A bound that is there and no whole number spoils the range: half of it would tell another age.
        guard ["min", "max"].allSatisfy({ claim[$0] == nil || claim[$0]?.integer != nil }) else { return nil }
        self.init(min: claim["min"]?.integer, max: claim["max"]?.integer)
    }

    /// Whether everybody in this range, or nobody, is at least `age` years old.
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

    /// Reads what `encode(to:)` writes, by the same rules as every other range.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let min = try container.decodeIfPresent(Int.self, forKey: .min)
        let max = try container.decodeIfPresent(Int.self, forKey: .max)
        guard let range = UserAgeRange(min: min, max: max) else {
            let context = DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "no range of ages")
            throw DecodingError.dataCorrupted(context)
        }
        self = range
    }
}
