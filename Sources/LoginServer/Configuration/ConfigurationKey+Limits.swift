// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import LoginHummingbird
internal import LoginTokens

/// The keys of limits that protect the service, and that few issuers need to be raised.
extension ConfigurationKey {
    static let providerTokenBytes = tokenBytes("provider.<name>", "an ID token, also by the policies of the provider")
    static let providerHeaderBytes = headerBytes("provider.<name>")
    static let apiTokenBytes = tokenBytes("api.<name>", "an access token")
    static let apiHeaderBytes = headerBytes("api.<name>")
    static let apiProofAge = Self(
        "api.<name>.dpop-max-age",
        seconds(Limits.proofAge),
        "\(DPoPPolicy.standard.maximumAge.components.seconds)",
        "The maximum number of seconds since a DPoP proof was made. Raise it for clients whose clocks are behind."
    )
    static let apiProofLeeway = Self(
        "api.<name>.dpop-leeway",
        seconds(Limits.proofLeeway),
        "\(DPoPPolicy.standard.leeway.components.seconds)",
        "The number of seconds by which a DPoP proof may be ahead of the clock. Raise it for clients whose clocks are ahead."
    )
    static let keysPerSet = Self(
        "max-keys",
        .number(Limits.keySetKeysRange),
        "\(Limits.keySetKeys)",
        "The maximum number of keys in the key set of an identity provider or of an API's issuer. With more than 100, a set can have 1 MiB instead of 256 KiB."
    )
    static let headerFieldBytes = Self(
        "max-field-bytes",
        .number(ConnectionLimits().headerFieldBytes...ServiceConfiguration.Defaults.fieldBytes(for: .largest)),
        "1024 more than the largest `api.<name>.max-token-bytes`",
        "The maximum size of a header field of a request, with its name. All fields together can have 16384 bytes more. A proxy before the service must pass on fields of this size."
    )

    private static func tokenBytes(_ prefix: String, _ token: String) -> Self {
        Self(
            "\(prefix).max-token-bytes",
            .number(Limits.tokenBytesRange),
            "\(Limits.tokenBytes)",
            "The maximum size of \(token). A larger token is refused with `too-large`."
        )
    }

    private static func headerBytes(_ prefix: String) -> Self {
        Self(
            "\(prefix).max-header-bytes",
            .number(Limits.headerBytesRange),
            "\(Limits.headerBytes)",
            "The maximum size of the decoded header of a token, which can contain certificates."
        )
    }

    private static func seconds(_ range: ClosedRange<Duration>) -> Kind {
        .number(Int(range.lowerBound.components.seconds)...Int(range.upperBound.components.seconds))
    }
}

extension ConfigurationValues {
    /// Returns the limits of tokens, whose refusals name the keys.
    ///
    /// - Parameters:
    ///   - tokenBytes: The key of the size of a token.
    ///   - headerBytes: The key of the size of a header.
    /// - Returns: The limits.
    /// - Throws: ``ConfigurationFault`` if a value is out of range.
    func tokenLimits(
        _ tokenBytes: ConfigurationKey,
        _ headerBytes: ConfigurationKey
    ) throws(ConfigurationFault) -> TokenLimits {
        let (token, header) = (try number(tokenBytes), try number(headerBytes))
        do throws(PolicyError) {
            return try TokenLimits(
                tokenBytes: token ?? Limits.tokenBytes,
                headerBytes: header ?? Limits.headerBytes
            ).named(tokenBytes: tokenBytes.name, headerBytes: headerBytes.name)
        } catch {
            throw ConfigurationFault("\(tokenBytes.name), \(headerBytes.name): \(error.detail)")
        }
    }

    /// Returns the limits of key sets, whose errors name the key.
    ///
    /// - Throws: ``ConfigurationFault`` if the value is out of range.
    func keySetLimits() throws(ConfigurationFault) -> KeySetLimits {
        let key = ConfigurationKey.keysPerSet
        let keys = try number(key) ?? Limits.keySetKeys
        do throws(PolicyError) {
            return try KeySetLimits(keys: keys).named(keys: key.name)
        } catch {
            throw ConfigurationFault("\(key.name): \(error.detail)")
        }
    }
}
#endif
