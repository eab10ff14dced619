// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// What is particular about one OpenID provider, as data.
public struct Provider: Sendable, Hashable {
    /// A name that stays the same whichever of its issuers a token carries, for example `facebook`.
    ///
    /// Key accounts on it, the ``VerifiedToken/tenantID`` where there is one, and the subject.
    public var name: String { storage.habits.name }

    /// Each spelling of its issuer that its tokens may carry; compared byte for byte, never normalized.
    public var issuers: [String] { storage.habits.issuers }

    /// Where it publishes its keys; nil where discovery tells.
    public var keySetURL: String? { storage.habits.keySetURL }

    /// Whether its tokens always name their key.
    public var requiresKeyID: Bool { storage.habits.requiresKeyID }

    /// The claims its tokens always have, beyond those of every ID token (`iss`, `sub`, `aud`, `exp`, `iat`).
    public var requiredClaims: [String] { storage.habits.requiredClaims }

    /// The claim that names the person's tenant, where each tenant has an issuer of its own.
    ///
    /// An entry of ``issuers`` may then hold `{tenantid}`, which stands for the value of this claim, a GUID in lower case. Without
    /// such a claim the placeholder is nothing but a text that no token has.
    public var tenantClaim: String? { storage.habits.tenantClaim }

    /// The claims that say yes or no and that it may write as the strings `"true"` and `"false"`.
    public var stringBooleans: [String] { storage.habits.stringBooleans }

    /// The claim that names the organization of an account; nil where no claim does.
    ///
    /// See ``TokenPolicy/hostedDomain``.
    public var hostedDomainClaim: String? { storage.habits.hostedDomainClaim }

    /// How it authenticates a user again on request.
    public var reauthentication: Reauthentication { storage.habits.reauthentication }

    /// What it is said to do.
    private struct Habits: Sendable, Hashable {
        var name: String
        var issuers: [String]
        var keySetURL: String?
        let requiresKeyID: Bool
        let requiredClaims: [String]
        let tenantClaim: String?
        let stringBooleans: [String]
        let hostedDomainClaim: String?
        var reauthentication: Reauthentication
    }

    /// What all copies of a provider share, which are many: each token carries one.
    private final class Storage: Sendable {
        let habits: Habits

        init(_ habits: Habits) {
            self.habits = habits
        }
    }

    private let storage: Storage

    /// A provider with habits of its own.
    ///
    /// - Parameters:
    ///   - name: A name that stays the same when its issuer does not.
    ///   - issuers: Each spelling of its issuer that its tokens may carry.
    ///   - keySetURL: Where it publishes its keys; nil where discovery tells.
    ///   - requiresKeyID: Whether its tokens always name their key.
    ///   - requiredClaims: The claims its tokens always have, beyond those of every ID token.
    ///   - tenantClaim: The claim that names the person's tenant, where `issuers` hold the placeholder for it.
    ///   - stringBooleans: The claims that it may write as the strings `"true"` and `"false"`.
    ///   - hostedDomainClaim: The claim that names the organization of an account; nil where no claim does.
    ///   - reauthentication: How it authenticates a user again on request.
    public init(
        name: String,
        issuers: [String],
        keySetURL: String? = nil,
        requiresKeyID: Bool = false,
        requiredClaims: [String] = [],
        tenantClaim: String? = nil,
        stringBooleans: [String] = [],
        hostedDomainClaim: String? = "hd",
        reauthentication: Reauthentication = .openID
    ) {
        self.init(
            Habits(
                name: name,
                issuers: issuers,
                keySetURL: keySetURL,
                requiresKeyID: requiresKeyID,
                requiredClaims: requiredClaims,
                tenantClaim: tenantClaim,
                stringBooleans: stringBooleans,
                hostedDomainClaim: hostedDomainClaim,
                reauthentication: reauthentication
            )
        )
    }

    /// Any provider that follows OpenID Connect Core, named after its first issuer.
    ///
    /// - Parameter issuers: Each spelling of the issuer, as in its tokens.
    /// - Returns: A provider without habits of its own.
    public static func openID(issuers: [String]) -> Provider {
        Provider(name: issuers.first ?? "", issuers: issuers)
    }
}

extension Provider {
    /// Whether both do the same.
    public static func == (first: Provider, second: Provider) -> Bool {
        first.storage === second.storage || first.storage.habits == second.storage.habits
    }

    /// Feeds what it does to a hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(storage.habits)
    }

    /// Returns the same provider with other issuers in its tokens, for test vectors and stand-ins.
    package func with(issuers: [String]) -> Provider { with(\.issuers, issuers) }

    /// Returns the same provider under another name, for one of several tenants.
    package func with(name: String) -> Provider { with(\.name, name) }

    /// Returns the same provider with its keys at another address.
    package func with(keySetURL: String) -> Provider { with(\.keySetURL, keySetURL) }

    /// Returns the same provider with another way to authenticate users again.
    ///
    /// ```swift
    /// var reauthentication = Provider.Reauthentication.microsoft
    /// reauthentication.authenticationTime = .required
    /// let provider = try Provider.microsoft(tenantID: tenant).with(reauthentication)
    /// ```
    ///
    /// - Parameter reauthentication: How it authenticates a user again on request.
    /// - Returns: The provider.
    public func with(_ reauthentication: Reauthentication) -> Provider { with(\.reauthentication, reauthentication) }

    private func with<Value>(_ habit: WritableKeyPath<Habits, Value>, _ value: Value) -> Provider {
        var habits = storage.habits
        habits[keyPath: habit] = value
        return Provider(habits)
    }

    private init(_ habits: Habits) { storage = Storage(habits) }

    /// What stands for the tenant in an issuer.
    package static let tenantPlaceholder = "{tenantid}"

    /// Whether this is a GUID in lower case, the one form that providers give to tenant IDs.
    ///
    /// Nothing else may take the placeholder's place, so that no claim can change what else the issuer says.
    package static func isTenantID(_ text: String) -> Bool {
        let groups = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        let isHexadecimal = groups.joined().allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
        return groups.map(\.count) == [8, 4, 4, 4, 12] && isHexadecimal
    }
}
