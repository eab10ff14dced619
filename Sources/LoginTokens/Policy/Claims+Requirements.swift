// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// Checks of presence and type, for the claims that a policy or a provider uses; no other claim is checked.
///
/// A required claim that is `null` is missing, because `null` states nothing.
extension Claims {
    /// Throws if the claim is missing or `null`.
    func require(_ claim: StandardClaim) throws(TokenRefusal) {
        guard let kind = kind(claim), kind != .null else { throw TokenRefusal.missing(claim.rawValue) }
    }

    /// Throws if one of the claims is missing, `null`, or an empty string: an empty ID counts as missing.
    func require(_ names: [String]) throws(TokenRefusal) {
        for name in names {
            guard let value = value(of: name), !value.isString("") else { throw TokenRefusal.missing(name) }
        }
    }

    /// Throws if one of the required claims has another type than the one that its standard defines.
    ///
    /// A claim that no standard defines may have any type.
    func checkTypes(of names: [String]) throws(TokenRefusal) {
        for name in names {
            switch name {
            case "jti": try requireStringIfPresent(.jti)
            case "acr": try requireStringIfPresent(.acr)
            case "azp": try requireStringIfPresent(.azp)
            case "client_id": try requireStringIfPresent(.clientID)
            case "amr": try requireAttributes("amr")
            case "auth_time": _ = try time(.authTime)
            default: break
            }
        }
    }

    /// Throws if the claim is present and no array of strings or of objects with a text (``JSONValue/attributes``).
    func requireAttributes(_ name: String) throws(TokenRefusal) {
        guard let value = value(of: name), !value.isAttributeList else { return }
        throw TokenRefusal(.claimType, "\(name) is not an array of strings", member: name)
    }

    /// Throws if the claim is present and not a string; `null` is no string either.
    func requireStringIfPresent(_ claim: StandardClaim) throws(TokenRefusal) {
        guard let kind = kind(claim), kind != .string else { return }
        throw TokenRefusal(.claimType, "\(claim.rawValue) is not a string", member: claim.rawValue)
    }

    /// Throws if the claim is missing, `null`, or not a string.
    func requireString(_ claim: StandardClaim) throws(TokenRefusal) {
        try require(claim)
        try requireStringIfPresent(claim)
    }
}

extension JSONValue {
    /// Whether the value says nothing: `null`, `false`, an empty object, a string that is empty or white space, or an
    /// array without another element.
    var isEmpty: Bool {
        switch kind {
        case .null: true
        case .boolean: boolean == false
        case .number: false
        case .string: string?.unicodeScalars.allSatisfy(\.properties.isWhitespace) ?? false
        case .array: isArray { $0.isEmpty }
        case .object: members?.isEmpty ?? false
        }
    }

    /// The value, a string or an array of strings, as an array; nil for any other value.
    var strings: [JSONValue]? {
        if kind == .string { return [self] }
        guard let elements, elements.allSatisfy({ $0.kind == .string }) else { return nil }
        return elements
    }

    /// The elements of a multi-valued attribute: strings, or objects with the member `value` (RFC 7643 §2.4) or `method`;
    /// nil for any other value.
    var attributes: [String]? {
        guard let elements else { return nil }
        let texts = elements.compactMap { $0.string ?? $0["value"]?.string ?? $0["method"]?.string }
        return texts.count == elements.count ? texts : nil
    }

    /// Whether ``attributes`` is not nil.
    fileprivate var isAttributeList: Bool {
        isArray { $0.kind == .string || $0["value"]?.kind == .string || $0["method"]?.kind == .string }
    }
}

extension TokenRefusal {
    static func missing(_ claim: String) -> TokenRefusal {
        TokenRefusal(.missingClaim, "\(claim) is missing", member: claim)
    }
}
