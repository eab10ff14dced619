// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The claims of an ID token (RFC 7519 §4, OpenID Connect Core §2).
///
/// Of a ``VerifiedToken`` they are what the issuer said. Of an ``UnverifiedToken`` they are what somebody wrote.
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

    /// The claims as they were signed.
    package var bytes: [UInt8] { value.document.bytes }

    /// The claim with this name, whatever its type.
    public subscript(name: String) -> JSONValue? { value[name] }

    /// Whether the claim is there, whatever its type.
    func has(_ claim: StandardClaim) -> Bool { standard[claim] != nil }

    /// The type of the claim; nil if it is missing.
    func kind(_ claim: StandardClaim) -> JSONNode.Kind? {
        standard[claim].map { value.document.nodes[$0].kind }
    }

    /// Whether the claim is a string and, byte for byte, `text`.
    func isString(_ claim: StandardClaim, _ text: String) -> Bool {
        guard let index = standard[claim] else { return false }
        let node = value.document.nodes[index]
        return node.kind == .string && value.document.string(node, equals: text)
    }

    /// The claim, whatever its type.
    subscript(claim: StandardClaim) -> JSONValue? {
        standard[claim].map { JSONValue(document: value.document, index: $0) }
    }

    /// The names of all claims, in the order of the token.
    public var names: [String] { value.members?.map(\.name) ?? [] }

    /// Who issued the token, `iss`.
    public var issuer: String? { self[.iss]?.string }

    /// Whom the token is about, `sub`: unique within the issuer, and with Facebook within your app.
    public var subject: String? { self[.sub]?.string }

    /// Whom the token is for, `aud`, as a list even where the token has a single string.
    public var audiences: [String] {
        guard let audience = self[.aud] else { return [] }
        return audience.string.map { [$0] } ?? audience.elements?.compactMap(\.string) ?? []
    }

    /// To whom the token was issued, `azp`.
    public var authorizedParty: String? { self[.azp]?.string }

    /// When the token ends, `exp`.
    public var expiresAt: Date? { date(.exp) }

    /// When the token begins, `nbf`.
    public var notBefore: Date? { date(.nbf) }

    /// When the token was issued, `iat`.
    public var issuedAt: Date? { date(.iat) }

    /// What ties the token to one sign-in attempt, `nonce`.
    public var nonce: String? { self[.nonce]?.string }

    /// When the person was authenticated, `auth_time`.
    public var authenticatedAt: Date? { date(.authTime) }

    /// In which class of ways the person was authenticated, `acr`.
    public var authenticationContextClass: String? { self[.acr]?.string }

    /// By which means the person was authenticated, `amr`, for example `pwd` and `otp` (RFC 8176).
    public var authenticationMethods: [String] { self[.amr]?.elements?.compactMap(\.string) ?? [] }

    /// The token's own ID, `jti`.
    public var tokenID: String? { self[.jti]?.string }

    /// Whether the token has an ID of its own, which is made a string only where somebody asks for it.
    package var hasTokenID: Bool { kind(.jti) == .string }

    /// Refuses tokens that say by a claim that they are of another kind.
    ///
    /// Security event tokens (RFC 8417 §2.2), logout tokens among them, have the claim `events`; they may come without a
    /// type and look the same otherwise. Amazon Cognito's access tokens have a `token_use` that is not `id`.
    func refuseOtherTokens() throws(TokenRefusal) {
        guard !has(.events) else {
            throw TokenRefusal(.tokenType, "the claim events is that of another kind of token", member: "events")
        }
        if let use = self[.tokenUse], !use.isString("id") {
            throw TokenRefusal(.tokenType, "token_use is \(quoted(use)), not \"id\"", member: "token_use")
        }
    }

    /// A claim that is a time (RFC 7519 §2, NumericDate), in seconds since 1970; nil if it is none.
    func seconds(_ claim: StandardClaim) -> Double? {
        self[claim].flatMap(Self.seconds)
    }

    /// A time (RFC 7519 §2, NumericDate), in seconds since 1970; nil if this is none.
    static func seconds(_ value: JSONValue) -> Double? {
        guard let seconds = value.number, Limits.numericDate.contains(seconds) else { return nil }
        return seconds
    }

    private func date(_ claim: StandardClaim) -> Date? {
        seconds(claim).map(Date.init(timeIntervalSince1970:))
    }
}

extension Claims: Redacted {
    /// The number of claims, without their content.
    public var description: String { "\(names.count) claims" }
}
