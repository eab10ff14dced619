// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The claims that are looked up in every token; ``StandardClaims`` has capacity for sixteen.
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

/// The positions of the standard claims in a document, found in a single pass.
struct StandardClaims: Sendable {
    /// The node index of each claim's value; 0, the object itself, if the claim is missing.
    private var indices = SIMD16<Int32>()

    init(of object: JSONValue) {
        let document = object.document
        let (bytes, nodes) = (document.bytes, document.nodes)
        let (names, starts) = (Self.names, Self.starts)
        let end = Int(nodes[object.index].next)
        var current = object.index + 1
        while current < end {
            let node = nodes[current]
            if node.hasEscapes {
                for claim in StandardClaim.allCases where document.string(node, equals: claim.rawValue) {
                    indices[claim.place] = Int32(current + 1)
                }
            } else {
                let kind = Self.kind(node.first, Int(node.end - node.start))
                let alike = starts[kind]..<starts[kind + 1]
                if !alike.isEmpty {
                    let number = Self.number(bytes, Int(node.start), Int(node.end))
                    for name in alike where names[name].number == number {
                        indices[names[name].place] = Int32(current + 1)
                    }
                }
            }
            current = Int(nodes[current + 1].next)
        }
    }

    /// Returns the node index of a claim's value; nil if the claim is missing.
    subscript(claim: StandardClaim) -> Int? {
        let index = indices[claim.place]
        return index == 0 ? nil : Int(index)
    }

    /// The claim names as numbers, sorted by hash bucket.
    private static let names: [(kind: Int, number: UInt128, place: Int)] = StandardClaim.allCases.map { claim in
        let name = Array(claim.rawValue.utf8)
        return (kind(name[0], name.count), number(name, 0, name.count), claim.place)
    }.sorted { $0.kind < $1.kind }

    /// The index of the first name of each bucket; most buckets are empty.
    private static let starts = (0...kindCount).map { kind in names.count { $0.kind < kind } }

    private static let kindCount = 64

    /// Returns the hash bucket of a name; most other names in a token fall into an empty bucket.
    private static func kind(_ first: UInt8, _ count: Int) -> Int {
        (Int(first) &+ 11 &* count) % kindCount
    }

    /// Returns a name of at most sixteen bytes as a number; 0 for a longer name.
    ///
    /// Different names have different numbers, because no name contains a zero byte (RFC 8259 §7).
    private static func number(_ name: [UInt8], _ start: Int, _ end: Int) -> UInt128 {
        guard end - start <= 16 else { return 0 }
        var number: UInt128 = 0
        for offset in start..<end { number = number << 8 | UInt128(name[offset]) }
        return number
    }
}

extension StandardClaim {
    /// The index of the claim in ``StandardClaims``.
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
