// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The claims of an ID token or an access token (RFC 7519 §4, OpenID Connect Core §2, RFC 9068 §2.2).
///
/// The claims of a ``VerifiedToken`` or a ``VerifiedAccessToken`` come from the issuer. Those of an ``UnverifiedToken`` may come from anybody.
public struct Claims: Sendable {
    package let value: JSONValue
    private let standard: StandardClaims

    package init(_ payload: [UInt8]) throws(TokenRefusal) {
        do throws(JSONError) {
            value = try JSONDocument.read(payload).root
        } catch {
            throw TokenRefusal(.payload, "not strict JSON: \(error)")
        }
        guard value.kind == .object else { throw TokenRefusal(.payload, "not a JSON object") }
        standard = StandardClaims(of: value)
    }

    /// Creates claims from the members of others.
    ///
    /// - Parameter members: The names and values; no name may occur twice.
    /// - Throws: ``TokenRefusal`` if there are too many, or they are too large.
    package init(members: [(name: String, value: JSONValue)]) throws(TokenRefusal) {
        try self.init(
            JSONWriter.object { json in
                for (name, value) in members {
                    if let text = value.string { json.add(name, text) } else { json.add(name, json: value.source) }
                }
            }
        )
    }

    /// The text of the claims: of a token, as it was signed.
    package var bytes: [UInt8] { value.document.bytes }

    /// Returns the claim with this name, whatever its type.
    public subscript(name: String) -> JSONValue? {
        let (isStandard, index) = standard.index(of: name)
        guard isStandard else { return value[name] }
        return index.map { JSONValue(document: value.document, index: $0) }
    }

    /// Returns the claim with this name; nil if it is missing or `null`, which states nothing.
    func value(of name: String) -> JSONValue? {
        self[name].flatMap { $0.kind == .null ? nil : $0 }
    }

    /// Returns the claim; nil if it is missing or `null`, which states nothing.
    func value(of claim: StandardClaim) -> JSONValue? {
        kind(claim) == .null ? nil : self[claim]
    }

    /// Returns whether the claim is present, whatever its type.
    func has(_ claim: StandardClaim) -> Bool { standard[claim] != nil }

    /// Returns the type of the claim; nil if it is missing.
    func kind(_ claim: StandardClaim) -> JSONNode.Kind? {
        standard[claim].map { value.document.nodes[$0].kind }
    }

    /// Returns whether the claim is a string equal to `text`, byte for byte.
    func isString(_ claim: StandardClaim, _ text: String) -> Bool {
        guard let index = standard[claim] else { return false }
        let node = value.document.nodes[index]
        return node.kind == .string && value.document.string(node, equals: text)
    }

    /// Returns the claim, whatever its type.
    subscript(claim: StandardClaim) -> JSONValue? {
        standard[claim].map { JSONValue(document: value.document, index: $0) }
    }

    /// The names of all claims, in the order of the token.
    public var names: [String] { value.members?.map(\.name) ?? [] }

    /// The issuer, `iss`.
    public var issuer: String? { self[.iss]?.string }

    /// The subject, `sub`: unique within the issuer, and at Facebook within your app.
    public var subject: String? { self[.sub]?.string }

    /// The audiences, `aud`, as a list even if the claim is a single string.
    public var audiences: [String] {
        guard let audience = self[.aud] else { return [] }
        return audience.string.map { [$0] } ?? audience.elements?.compactMap(\.string) ?? []
    }

    /// The authorized party, `azp`.
    public var authorizedParty: String? { self[.azp]?.string }

    /// The expiry time, `exp`.
    public var expiresAt: Date? { date(.exp) }

    /// The time before which the token is not valid, `nbf`.
    public var notBefore: Date? { date(.nbf) }

    /// The time at which the token was issued, `iat`.
    public var issuedAt: Date? { date(.iat) }

    /// The nonce, which ties the token to one sign-in attempt.
    public var nonce: String? { self[.nonce]?.string }

    /// The time at which the user was authenticated, `auth_time`.
    public var authenticatedAt: Date? { date(.authTime) }

    /// The authentication context class, `acr`.
    public var authenticationContextClass: String? { self[.acr]?.string }

    /// The authentication methods, `amr`, for example `pwd` and `otp` (RFC 8176).
    ///
    /// Some providers write an object for each method, whose member `method` is its name. Empty if the claim has another
    /// form.
    public var authenticationMethods: [String] { self[.amr]?.attributes ?? [] }

    /// The token ID, `jti`.
    public var tokenID: String? { self[.jti]?.string }

    /// Whether the token has a token ID; unlike ``tokenID``, this creates no string.
    package var hasTokenID: Bool { kind(.jti) == .string }

    /// Refuses tokens that a claim identifies as another kind of token.
    ///
    /// Security event tokens (RFC 8417 §2.2), including logout tokens, have the claim `events`; they may have no `typ`,
    /// and otherwise look the same. Access tokens from Amazon Cognito have a `token_use` other than `id`, and Keycloak names
    /// its other tokens in `typ`.
    func refuseOtherTokens() throws(TokenRefusal) {
        guard !has(.events) else {
            throw TokenRefusal(.tokenType, "the claim events belongs to another kind of token", member: "events")
        }
        if let use = self[.tokenUse], !use.isString("id") {
            throw TokenRefusal(.tokenType, "token_use is \(quoted(use)), not \"id\"", member: "token_use")
        }
        try refuseKinds { $0 != .id }
    }

    /// Refuses tokens of which a claim names one of some kinds; a word that names no kind says nothing.
    func refuseKinds(where isRefused: (ClaimedTokenKind) -> Bool) throws(TokenRefusal) {
        for claim in ClaimedTokenKind.claims {
            guard let value = self[claim], ClaimedTokenKind.kinds(value).contains(where: isRefused) else { continue }
            let name = claim.rawValue
            throw TokenRefusal(.tokenType, "\(name) is \(quoted(value)), another kind of token", member: name)
        }
    }

    /// Returns a time claim (RFC 7519 §2, NumericDate) in seconds since 1970; nil if it is missing or invalid.
    func seconds(_ claim: StandardClaim) -> Double? {
        self[claim].flatMap(Self.seconds)
    }

    /// Returns a time (RFC 7519 §2, NumericDate) in seconds since 1970; nil if the value is not one.
    static func seconds(_ value: JSONValue) -> Double? {
        guard let seconds = value.number, Limits.numericDate.contains(seconds) else { return nil }
        return seconds
    }

    /// Returns a Boolean claim of a provider; nil if it is missing or not a Boolean.
    ///
    /// It has the rules of ``VerifiedToken/boolean(_:)``.
    package func boolean(_ claim: String, of provider: Provider) -> Bool? {
        guard let value = self[claim] else { return nil }
        guard Self.stringBooleans.contains(claim) || provider.stringBooleans.contains(claim) else {
            return value.boolean
        }
        return value.isString("true") ? true : value.isString("false") ? false : value.boolean
    }

    /// The Boolean claims that any provider may write as strings.
    private static let stringBooleans = ["email_verified", "phone_number_verified"]

    /// Decodes the claims, with dates as seconds since 1970 (RFC 7519 §2).
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        return try decoder.decode(type, from: Data(bytes))
    }

    private func date(_ claim: StandardClaim) -> Date? {
        seconds(claim).map(Date.init(timeIntervalSince1970:))
    }
}

extension Claims: Redacted {
    /// The number of claims, without their content.
    public var description: String { "\(names.count) claims" }
}
