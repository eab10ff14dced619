// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
internal import LoginTokens

/// What of an issuer's discovery document matters for its keys (OpenID Connect Discovery §3).
///
/// Some providers leave out members that the standard requires; only the two that are needed here are insisted on.
struct DiscoveryDocument {
    /// Where the issuer publishes its keys.
    let keySetURL: EndpointURL

    /// Where an issuer's discovery document is (OpenID Connect Discovery §4).
    ///
    /// - Parameters:
    ///   - issuer: The issuer; one slash at its end does not count.
    ///   - allowsLoopbackHTTP: Whether `http` will do on this machine.
    /// - Returns: Its address.
    /// - Throws: `TransportFailure` with the code `url` where the issuer is no address, or has a query.
    static func url(of issuer: String, allowsLoopbackHTTP: Bool) throws(TransportFailure) -> EndpointURL {
        _ = try EndpointURL(issuer, allowsLoopbackHTTP: allowsLoopbackHTTP)
        guard !issuer.utf8.contains(UInt8(ascii: "?")) else {
            throw TransportFailure(.url, "an issuer has no query (OpenID Connect Discovery, section 4)")
        }
        let base = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
        return try EndpointURL(base + "/.well-known/openid-configuration", allowsLoopbackHTTP: allowsLoopbackHTTP)
    }

    /// Reads what an issuer says about itself.
    ///
    /// - Parameters:
    ///   - json: The document.
    ///   - issuer: Whose it must be, byte for byte: another's would let that one sign for this (§4.3).
    ///   - url: Where the document is from.
    ///   - configuration: Which hosts may have the keys.
    /// - Throws: ``KeyFetchFailure`` with `discovery-document`, `discovery-issuer` or `key-set-host`.
    init(
        json: [UInt8],
        issuer: String,
        url: EndpointURL,
        configuration: KeyCacheConfiguration
    ) throws(KeyFetchFailure) {
        let root: JSONValue
        do throws(JSONError) {
            root = try JSONDocument.read(json, limits: .keySet).root
        } catch {
            throw KeyFetchFailure(.discoveryDocument, of: .discovery, "not strict JSON: \(error)")
        }
        guard let named = root["issuer"]?.string else {
            throw KeyFetchFailure(.discoveryDocument, of: .discovery, "it does not say whose it is (issuer)")
        }
        guard isEqual(named, issuer) else {
            throw KeyFetchFailure(
                .discoveryIssuer,
                of: .discovery,
                "it is of \(quoted(named)), not of \(quoted(issuer))"
            )
        }
        guard let address = root["jwks_uri"]?.string else {
            throw KeyFetchFailure(.discoveryDocument, of: .discovery, "it does not say where the keys are (jwks_uri)")
        }
        do throws(TransportFailure) {
            keySetURL = try EndpointURL(address, allowsLoopbackHTTP: configuration.allowsLoopbackHTTP)
        } catch {
            throw KeyFetchFailure(.discoveryDocument, of: .discovery, "jwks_uri: \(error.detail)")
        }
        guard KeySetSource.discovery(issuer: issuer, document: url).mayHaveKeys(at: keySetURL, configuration) else {
            let detail =
                "the keys are on \(quoted(keySetURL.origin)): if they are the issuer's, allow that host by name (keySetHosts, --keys-host)"
            throw KeyFetchFailure(.keySetHost, of: .discovery, detail)
        }
    }
}
