// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginText

/// The properties of an OpenID provider, as data.
public struct Provider: Sendable, Hashable {
    /// A stable name, independent of the issuer in a token, for example `facebook`.
    ///
    /// Identify accounts by this name, the ``VerifiedToken/tenantID`` if there is one, and the subject.
    public var name: String { storage.properties.name }

    /// The accepted spellings of the provider's issuer, compared byte for byte and never normalized.
    public var issuers: [String] { storage.properties.issuers }

    /// The places of the key set and the discovery document.
    public var documents: Documents {
        get { storage.properties.documents }
        set { self = with(\.documents, newValue) }
    }

    /// Whether the provider's tokens always have a key ID.
    public var requiresKeyID: Bool { storage.properties.requiresKeyID }

    /// The claims that its tokens always have, in addition to those of every ID token (`iss`, `sub`, `aud`, `exp`,
    /// `iat`).
    public var requiredClaims: [String] { storage.properties.requiredClaims }

    /// The claim that contains the user's tenant, if each tenant has its own issuer.
    ///
    /// An entry of ``issuers`` may then contain `{tenantid}`, a placeholder for the value of this claim, a GUID in
    /// lower case. If `tenantClaim` is nil, the placeholder is literal text that occurs in no token.
    public var tenantClaim: String? { storage.properties.tenantClaim }

    /// The Boolean claims that the provider may write as the strings `"true"` and `"false"`, in addition to
    /// `email_verified` and `phone_number_verified`, which any provider may.
    public var stringBooleans: [String] { storage.properties.stringBooleans }

    /// The Boolean claim that marks an e-mail address as a relay address of one team of developers, which identifies the
    /// user nowhere else; nil if the provider has none.
    ///
    /// The claim of any other provider has no meaning.
    public var privateEmailClaim: String? { storage.properties.privateEmailClaim }

    /// The claim that names the organization of an account; nil if there is none.
    ///
    /// See ``TokenPolicy/hostedDomain``.
    public var hostedDomainClaim: String? { storage.properties.hostedDomainClaim }

    /// The way the provider reauthenticates a user on request.
    public var reauthentication: Reauthentication { storage.properties.reauthentication }

    /// Whether `http` is allowed at loopback addresses, for development and tests only; false by default.
    ///
    /// It applies to the issuer, the discovery document, the key set, the endpoints, and the redirect URI of browser
    /// logins at this provider. Every other host requires `https`, unless it is one of ``cleartextHosts``.
    ///
    /// ```swift
    /// var provider = Provider.openID(issuers: ["http://localhost:9400"])
    /// provider.allowsLoopbackHTTP = true
    /// ```
    public var allowsLoopbackHTTP: Bool {
        get { storage.properties.allowsLoopbackHTTP }
        set { self = with(\.allowsLoopbackHTTP, newValue) }
    }

    /// The hosts at which the provider may be reached over `http` in a private network, as URLs contain them in lower case;
    /// empty by default.
    ///
    /// It applies to the issuer, the discovery document, the key set and the endpoints. The transport has the same hosts in
    /// its own configuration, and accepts only loopback and private addresses for them. Whoever is on the way to such a host
    /// can replace the keys, and so sign tokens, and can read client secrets and authorization codes.
    ///
    /// Only the host of a URL counts. An issuer with `https` may publish its keys at such a host over `http`, which must then
    /// be named here, and as a host of key sets unless the discovery document is of the same origin.
    public var cleartextHosts: Set<String> {
        get { storage.properties.cleartextHosts }
        set { self = with(\.cleartextHosts, newValue) }
    }

    /// The provider's properties.
    private struct Properties: Sendable, Hashable {
        var name: String
        var issuers: [String]
        var documents = Documents()
        let requiresKeyID: Bool
        let requiredClaims: [String]
        let tenantClaim: String?
        let stringBooleans: [String]
        let privateEmailClaim: String?
        let hostedDomainClaim: String?
        var reauthentication: Reauthentication
        var allowsLoopbackHTTP = false
        var cleartextHosts: Set<String> = []
    }

    /// The storage shared by all copies of a provider; each token carries a copy.
    private final class Storage: Sendable {
        let properties: Properties

        init(_ properties: Properties) {
            self.properties = properties
        }
    }

    private let storage: Storage

    /// Creates a provider.
    ///
    /// - Parameters:
    ///   - name: A stable name, which stays the same if the issuer changes.
    ///   - issuers: The accepted spellings of the provider's issuer.
    ///   - keySetURL: The URL of the key set; nil to find it by discovery.
    ///   - requiresKeyID: Whether the provider's tokens always have a key ID.
    ///   - requiredClaims: The claims that its tokens always have, in addition to those of every ID token.
    ///   - tenantClaim: The claim that contains the user's tenant, if `issuers` contain the placeholder for it.
    ///   - stringBooleans: The Boolean claims that the provider may write as the strings `"true"` and `"false"`, in
    ///     addition to `email_verified` and `phone_number_verified`.
    ///   - privateEmailClaim: The Boolean claim that marks a relay address; nil if there is none.
    ///   - hostedDomainClaim: The claim that names the organization of an account; nil if there is none.
    ///   - reauthentication: The way the provider reauthenticates a user on request.
    public init(
        name: String,
        issuers: [String],
        keySetURL: String? = nil,
        requiresKeyID: Bool = false,
        requiredClaims: [String] = [],
        tenantClaim: String? = nil,
        stringBooleans: [String] = [],
        privateEmailClaim: String? = nil,
        hostedDomainClaim: String? = "hd",
        reauthentication: Reauthentication = .openID
    ) {
        self.init(
            Properties(
                name: name,
                issuers: issuers,
                requiresKeyID: requiresKeyID,
                requiredClaims: requiredClaims,
                tenantClaim: tenantClaim,
                stringBooleans: stringBooleans,
                privateEmailClaim: privateEmailClaim,
                hostedDomainClaim: hostedDomainClaim,
                reauthentication: reauthentication
            )
        )
        if let keySetURL { documents.keySet = .url(keySetURL) }
    }

    /// Returns a provider that follows OpenID Connect Core, named after its first issuer.
    ///
    /// - Parameter issuers: The spellings of the issuer in the provider's tokens.
    /// - Returns: A provider with default properties.
    public static func openID(issuers: [String]) -> Provider {
        Provider(name: issuers.first ?? "", issuers: issuers)
    }
}

extension Provider {
    /// Returns whether both providers have the same properties.
    public static func == (first: Provider, second: Provider) -> Bool {
        first.storage === second.storage || first.storage.properties == second.storage.properties
    }

    /// Hashes the provider's properties.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(storage.properties)
    }

    /// Returns the same provider with other issuers, for test vectors and stand-ins.
    package func with(issuers: [String]) -> Provider { with(\.issuers, issuers) }

    /// Returns the same provider under another name, for one of several tenants.
    package func with(name: String) -> Provider { with(\.name, name) }

    /// Returns the same provider with another key set URL.
    package func with(keySetURL: String) -> Provider { with(\.documents.keySet, .url(keySetURL)) }

    /// Returns the same provider with another way of reauthentication.
    ///
    /// ```swift
    /// var reauthentication = Provider.Reauthentication.microsoft
    /// reauthentication.authenticationTime = .required
    /// let provider = try Provider.microsoft(tenantID: tenant).with(reauthentication)
    /// ```
    ///
    /// - Parameter reauthentication: The way the provider reauthenticates a user on request.
    /// - Returns: The provider.
    public func with(_ reauthentication: Reauthentication) -> Provider { with(\.reauthentication, reauthentication) }

    private func with<Value>(_ property: WritableKeyPath<Properties, Value>, _ value: Value) -> Provider {
        var properties = storage.properties
        properties[keyPath: property] = value
        return Provider(properties)
    }

    private init(_ properties: Properties) { storage = Storage(properties) }

    /// The placeholder for the tenant ID in an issuer.
    package static let tenantPlaceholder = "{tenantid}"

    /// Whether users of any tenant are accepted: an issuer is a template.
    package var acceptsAnyTenant: Bool {
        tenantClaim != nil && issuers.contains { $0.contains(Self.tenantPlaceholder) }
    }

    /// Returns whether a text is one of the issuers, byte for byte, with any tenant ID in place of the placeholder.
    package func hasIssuer(_ text: String) -> Bool {
        issuers.contains { issuer in
            if isEqual(issuer, text) { return true }
            let parts = issuer.utf8.split(separator: Self.tenantPlaceholder.utf8, omittingEmptySubsequences: false)
            guard tenantClaim != nil, parts.count == 2, text.utf8.starts(with: parts[0]) else { return false }
            let rest = text.utf8.dropFirst(parts[0].count)
            guard rest.count > parts[1].count, rest.suffix(parts[1].count).elementsEqual(parts[1]) else { return false }
            return Self.isTenantID(String(decoding: rest.dropLast(parts[1].count), as: UTF8.self))
        }
    }

    /// Returns whether the text is a GUID in lower case, the only form that providers use for tenant IDs.
    ///
    /// Nothing else may replace the placeholder, so that no claim can change the rest of the issuer.
    package static func isTenantID(_ text: String) -> Bool {
        let groups = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        let isHexadecimal = groups.joined().allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
        return groups.map(\.count) == [8, 4, 4, 4, 12] && isHexadecimal
    }
}
