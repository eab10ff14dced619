// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The claims that are looked for in every token; ``StandardClaims`` has room for sixteen.
enum StandardClaim: String, CaseIterable {
    case iss, sub, aud, exp, nbf, iat, jti
    case azp, nonce, acr, amr
    case authTime = "auth_time"
    case atHash = "at_hash"
    case cHash = "c_hash"
    // Claims of other kinds of token.
    case events
    case tokenUse = "token_use"
}

/// Where the standard claims stand in a document: found in one pass, instead of one for each.
struct StandardClaims: Sendable {
    /// For each the index of its value; 0, which is the object itself, if it is missing.
    private var indices = SIMD16<Int32>()

    init(of object: JSONValue) {
        let document = object.document
        let nodes = document.nodes
        let (claims, keys) = (Self.claims, Self.keys)
        let end = Int(nodes[object.index].next)
        var current = object.index + 1
        while current < end {
            let node = nodes[current]
            for place in keys.indices
            where node.hasEscapes || keys[place] == Self.key(node.first, Int(node.end - node.start)) {
                guard document.string(node, equals: claims[place].rawValue) else { continue }
                indices[claims[place].place] = Int32(current + 1)
                break
            }
            current = Int(nodes[current + 1].next)
        }
    }

    /// The index of the value of a claim; nil if it is missing.
    subscript(claim: StandardClaim) -> Int? {
        let index = indices[claim.place]
        return index == 0 ? nil : Int(index)
    }

    private static let claims = StandardClaim.allCases
    private static let keys = claims.map { key($0.rawValue.utf8.first ?? 0, $0.rawValue.utf8.count) }

    /// What a name is first compared by: few share their first byte and their length.
    private static func key(_ first: UInt8, _ count: Int) -> Int {
        Int(first) << 32 | count
    }
}

extension StandardClaim {
    /// Its place among all.
    fileprivate var place: Int {
        switch self {
        case .iss: 0
        case .sub: 1
        case .aud: 2
        case .exp: 3
        case .nbf: 4
        case .iat: 5
        case .jti: 6
        case .azp: 7
        case .nonce: 8
        case .acr: 9
        case .amr: 10
        case .authTime: 11
        case .atHash: 12
        case .cHash: 13
        case .events: 14
        case .tokenUse: 15
        }
    }
}
