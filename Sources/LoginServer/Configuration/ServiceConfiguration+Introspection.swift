// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import LoginTokens

extension ServiceConfiguration {
    /// The settings of the introspection endpoint that judges the tokens of an API.
    struct IntrospectionSettings: Sendable, Hashable {
        var endpoint: EndpointURL
        /// The client ID of the API at the issuer.
        var clientID: String
        /// The path of the client secret.
        var secretFile: String
        /// The members that an answer may omit.
        var optionalMembers: Set<IntrospectionPolicy.Member>
        /// The members that name the subject.
        var subjectMembers: [String]
        var cacheLifetime: Duration
        /// Whether answers must be signed.
        var isSigned: Bool
    }
}

extension ServiceConfiguration.IntrospectionSettings {
    /// The settings that require an endpoint.
    private static let dependent: [ConfigurationKey] = [
        .apiIntrospectionClient, .apiIntrospectionSecret, .apiIntrospectionOptional, .apiIntrospectionSubject,
        .apiIntrospectionCache, .apiIntrospectionSigned,
    ]

    /// Reads the settings of an API; nil if its tokens have signatures.
    ///
    /// - Parameters:
    ///   - name: The name of the API.
    ///   - cleartextHosts: The hosts at which the endpoint can be reached over `http`; the transport must have them too.
    ///   - values: The values of the configuration.
    /// - Throws: ``ConfigurationFault``, which names the key.
    init?(
        of name: String,
        cleartextHosts: Set<String>,
        in values: ConfigurationValues
    ) throws(ConfigurationFault) {
        let endpointKey = ConfigurationKey.apiIntrospection.of(name).name
        guard let endpoint = try values.text(.apiIntrospection.of(name)) else {
            try values.refuse(Self.dependent, of: name, without: .apiIntrospection)
            return nil
        }
        try values.require(.apiIssuer, of: name, with: .apiIntrospection)
        try values.refuse(
            [.apiMark, .apiSecret, .apiSecretEncoding],
            of: name,
            "is for tokens with a signature, not for \(endpointKey)"
        )
        let allowsLoopbackHTTP = try values.flag(.apiLoopback.of(name))
        do throws(TransportFailure) {
            self.endpoint = try EndpointURL(
                endpoint,
                allowsLoopbackHTTP: allowsLoopbackHTTP,
                cleartextHosts: cleartextHosts
            )
        } catch {
            throw ConfigurationFault("\(endpointKey): \(error.detail)")
        }
        clientID = try values.require(.apiIntrospectionClient, of: name, with: .apiIntrospection)
        guard let file = try values.secretFile(.apiIntrospectionSecret.of(name)) else {
            throw ConfigurationFault("\(ConfigurationKey.apiIntrospectionSecret.of(name).name) is required")
        }
        secretFile = file
        optionalMembers = try Self.optionalMembers(of: name, in: values)
        subjectMembers = try values.list(.apiIntrospectionSubject.of(name)) ?? ["sub"]
        cacheLifetime = .seconds(try values.number(.apiIntrospectionCache.of(name)) ?? 60)
        isSigned = try values.flag(.apiIntrospectionSigned.of(name))
        guard isSigned else {
            try values.refuse([.apiAlgorithms], of: name, without: .apiIntrospectionSigned)
            return
        }
    }

    private static func optionalMembers(
        of name: String,
        in values: ConfigurationValues
    ) throws(ConfigurationFault) -> Set<IntrospectionPolicy.Member> {
        let key = ConfigurationKey.apiIntrospectionOptional.of(name)
        // A token without a subject reaches no API: `introspection.subject` names another member.
        let known = IntrospectionPolicy.Member.allCases.filter { $0 != .subject }
        var members: Set<IntrospectionPolicy.Member> = []
        for text in try values.list(key) ?? [] {
            guard let member = known.first(where: { $0.rawValue == text }) else {
                let names = known.map(\.rawValue).joined(separator: ", ")
                throw ConfigurationFault("\(key.name): \(ShownArgument(text)) is none of \(names)")
            }
            members.insert(member)
        }
        return members
    }
}

extension ConfigurationValues {
    /// Returns the text of a setting that another one requires.
    @discardableResult
    fileprivate func require(
        _ key: ConfigurationKey,
        of name: String,
        with dependent: ConfigurationKey
    ) throws(ConfigurationFault) -> String {
        guard let text = try text(key.of(name)) else {
            throw ConfigurationFault("\(dependent.of(name).name) requires \(key.of(name).name)")
        }
        return text
    }

    /// Refuses settings that have no effect without another.
    func refuse(
        _ settings: [ConfigurationKey],
        of name: String,
        without required: ConfigurationKey
    ) throws(ConfigurationFault) {
        try refuse(settings, of: name, "requires \(required.of(name).name)")
    }

    /// Refuses settings that have no effect, for a reason that follows the name of the setting.
    func refuse(
        _ settings: [ConfigurationKey],
        of name: String,
        _ reason: String
    ) throws(ConfigurationFault) {
        for setting in settings.map({ $0.of(name) }) {
            guard try isSet(setting) else { continue }
            throw ConfigurationFault("\(setting.name) \(reason)")
        }
    }
}
#endif
