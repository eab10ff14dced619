// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginText

/// The claims that are looked up in every token; ``StandardClaims`` has capacity for 32.
enum StandardClaim: String, CaseIterable {
    case iss, sub, aud, exp, nbf, iat, jti
    case azp, nonce, acr, amr
    case authTime = "auth_time"
    case atHash = "at_hash"
    case cHash = "c_hash"
    // Claims of access tokens.
    case scope, roles, groups, entitlements, cnf, typ
    case clientID = "client_id"
    case tokenType = "token_type"
    // Claims of other kinds of token.
    case events
    case tokenUse = "token_use"
}

/// The positions of the standard claims in a document, found in a single pass.
struct StandardClaims: Sendable {
    /// The node index of each claim's value; 0, the object itself, if the claim is missing.
    ///
    /// Every index fits, because a document has no more nodes than bytes, of which ``Limits/tokenBytes`` are allowed.
    private var indices = SIMD32<UInt16>()

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
                    indices[claim.place] = UInt16(current + 1)
                }
            } else {
                let kind = Self.kind(node.first, Int(node.end - node.start))
                let alike = starts[kind]..<starts[kind + 1]
                if !alike.isEmpty {
                    let number = Self.number(bytes.span.extracting(Int(node.start)..<Int(node.end)))
                    for name in alike where names[name].number == number {
                        indices[names[name].place] = UInt16(current + 1)
                    }
                }
            }
            current = Int(nodes[current + 1].next)
        }
    }

    /// Returns the node index of a claim's value; nil if the claim is missing.
    subscript(claim: StandardClaim) -> Int? { index(at: claim.place) }

    private func index(at place: Int) -> Int? {
        let index = indices[place]
        return index == 0 ? nil : Int(index)
    }

    /// Returns the node index of a claim's value, and whether it is one of the standard claims; any other must be searched
    /// for.
    func index(of name: String) -> (isStandard: Bool, index: Int?) {
        // One byte more, so that a longer name is not taken for a standard one.
        withUTF8(of: name, upTo: Self.nameBytes + 1) { name in
            // A zero byte would not count in the number.
            guard !name.isEmpty, name[0] != 0 else { return (false, nil) }
            let kind = Self.kind(name[0], name.count)
            let alike = Self.starts[kind]..<Self.starts[kind + 1]
            guard !alike.isEmpty else { return (false, nil) }
            let number = Self.number(name)
            for other in alike where Self.names[other].number == number {
                return (true, index(at: Self.names[other].place))
            }
            return (false, nil)
        }
    }

    /// The claim names as numbers, sorted by hash bucket.
    private static let names: [(kind: Int, number: UInt128, place: Int)] = StandardClaim.allCases.map { claim in
        let name = Array(claim.rawValue.utf8)
        return (kind(name[0], name.count), number(name.span), claim.place)
    }.sorted { $0.kind < $1.kind }

    /// The index of the first name of each bucket; most buckets are empty.
    private static let starts = (0...kindCount).map { kind in names.count { $0.kind < kind } }

    private static let kindCount = 64

    /// The maximum length of a standard claim's name, in bytes.
    private static let nameBytes = 16

    /// Returns the hash bucket of a name; most other names in a token fall into an empty bucket.
    private static func kind(_ first: UInt8, _ count: Int) -> Int {
        (Int(first) &+ 11 &* count) % kindCount
    }

    /// Returns a name of at most sixteen bytes as a number; 0 for a longer name.
    ///
    /// Different names have different numbers, because no name contains a zero byte (RFC 8259 §7).
    private static func number(_ name: Span<UInt8>) -> UInt128 {
        guard name.count <= nameBytes else { return 0 }
        var number: UInt128 = 0
        for offset in name.indices { number = number << 8 | UInt128(name[offset]) }
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
        case .scope: 16
        case .roles: 17
        case .groups: 18
        case .entitlements: 19
        case .cnf: 20
        case .typ: 21
        case .clientID: 22
        case .tokenType: 23
        }
    }
}
