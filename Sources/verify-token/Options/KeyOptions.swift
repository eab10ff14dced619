// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import ArgumentParser
internal import Foundation
internal import LoginKeys
internal import LoginServer
internal import LoginTokens

/// The options for the keys to verify with: a file, or how to fetch them.
struct KeyOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The issuer's keys: a file with a JWK set, or with a public key or certificate in PEM form; or the URL of a JWK set (https://...).",
            valueName: "file or url"
        ),
        completion: .file()
    )
    var keys: String?

    @Option(
        help: ArgumentHelp(
            "Cache fetched keys in this private folder for their lifetime, and for up to one more day while they cannot be refreshed.",
            valueName: "dir"
        ),
        completion: .directory
    )
    var keysCache: String?

    @Option(
        name: .customLong("keys-host"),
        help: ArgumentHelp(
            "Another host that may serve the keys, if the issuer's discovery document names it. May be repeated.",
            valueName: "host"
        )
    )
    var keySetHosts: [String] = []

    @Option(
        help: ArgumentHelp(
            "Trust only the root certificates in this file (PEM), instead of the system's.",
            valueName: "file"
        ),
        completion: .file()
    )
    var caFile: String?

    @Option(
        name: .customLong("allow-network"),
        help: ArgumentHelp(
            "A network of private addresses that may be contacted, for example 10.0.0.0/8. May be repeated.",
            valueName: "network"
        )
    )
    var allowedNetworks: [String] = []

    @Flag(
        name: .customLong("allow-loopback-http"),
        help: "Also fetch over http from loopback addresses. Only for tests."
    )
    var allowsLoopbackHTTP = false

    @Flag(help: "Also use keys whose private key is published, for example in an RFC. Only for tests.")
    var allowPublishedTestKeys = false

    /// The missing option: `--keys`, in a build that cannot fetch keys.
    ///
    /// The option is not declared as required. The parser would report it alone, and the other missing options only
    /// in the next run.
    var missing: [String] {
        keys == nil && !Self.canFetch ? ["--keys <file>: the issuer's keys, which this build cannot fetch"] : []
    }

    func validate() throws {
        guard keys != "", keysCache != "", caFile != "" else {
            throw ValidationError("The value of --keys, --keys-cache or --ca-file is empty.")
        }
        if let keys, address == nil {
            guard let option = optionsOfFetching.first else { return }
            throw ValidationError("\(option) requires keys that are fetched; \(ShownArgument(keys)) is a file.")
        }
        guard Self.canFetch else { return }
        if let address { _ = try endpoint(address, option: "--keys") }
        guard address == nil || keySetHosts.isEmpty else {
            throw ValidationError("--keys-host is for discovery, and cannot be combined with --keys.")
        }
        if let host = keySetHosts.first(where: { (try? EndpointURL("https://\($0)/"))?.host != $0.lowercased() }) {
            throw ValidationError("--keys-host: \(quoted(host)) is not a host name without scheme and port.")
        }
        if let network = allowedNetworks.first(where: { IPNetwork($0) == nil }) {
            throw ValidationError(
                "--allow-network: \(quoted(network)) is not a network, for example 10.0.0.0/8 or fd00::/8."
            )
        }
    }

    /// A fingerprint of the non-default trust settings: the certificates of `--ca-file` and the networks of
    /// `--allow-network`.
    ///
    /// Empty if there are none.
    var trust: String {
        let authorities = caFile.flatMap { try? readFile($0, limit: Limits.keySetBytes) } ?? Data()
        let parts = [caFile == nil ? "" : authorities.base64EncodedString()] + allowedNetworks.sorted()
        guard parts != [""] else { return "" }
        return " trusting \(fingerprint(parts.joined(separator: " ")))"
    }

    /// Whether the package was built with the HTTP client.
    static var canFetch: Bool {
        #if HTTPClient
        true
        #else
        false
        #endif
    }

    /// The address to fetch from, if `--keys` is not a file.
    ///
    /// Any value with a scheme is an address. A file of such a name can be given with `./` before it.
    private var address: String? {
        guard let keys, let mark = keys.range(of: "://") else { return nil }
        let scheme = keys[..<mark.lowerBound]
        return !scheme.isEmpty && scheme.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) } ? keys : nil
    }

    private var optionsOfFetching: [String] {
        [
            keysCache.map { _ in "--keys-cache" }, keySetHosts.isEmpty ? nil : "--keys-host",
            caFile.map { _ in "--ca-file" }, allowedNetworks.isEmpty ? nil : "--allow-network",
            allowsLoopbackHTTP ? "--allow-loopback-http" : nil,
        ].compactMap { $0 }
    }

    /// Parses an address to fetch from.
    ///
    /// An invalid one is a usage error, whose message does not repeat the address.
    private func endpoint(_ text: String, option: String) throws(ValidationError) -> EndpointURL {
        do throws(TransportFailure) {
            return try EndpointURL(text, allowsLoopbackHTTP: allowsLoopbackHTTP)
        } catch {
            let isLoopback = (try? EndpointURL(text, allowsLoopbackHTTP: true)) != nil
            let remedy = isLoopback ? "; --allow-loopback-http allows it, for tests" : ""
            throw ValidationError("\(option): \(error.detail)\(remedy).")
        }
    }
}

extension KeyOptions {
    /// The placeholder provider for keys that are given without a provider.
    ///
    /// Its issuer is the value of `--keys`.
    ///
    /// The query is left out, because it may hold a secret.
    var unnamedProvider: Provider { .openID(issuers: [String((keys ?? "").prefix { $0 != "?" })]) }

    /// Checks whether the options suffice to get the keys of a provider.
    ///
    /// - Parameter provider: The provider of the keys.
    /// - Throws: `ValidationError` for a usage error.
    private func check(_ provider: Provider) throws(ValidationError) {
        if keys != nil, address == nil { return }
        guard Self.canFetch else {
            throw ValidationError(
                "This build, without the trait HTTPClient, cannot fetch keys: give a file with --keys."
            )
        }
        guard keys == nil else { return }
        if provider.keySetURL != nil {
            guard keySetHosts.isEmpty else {
                throw ValidationError("--keys-host requires --issuer: the key set URL of \(provider.name) is known.")
            }
        } else {
            _ = try endpoint(provider.issuers.first ?? "", option: "--issuer, without --keys")
        }
    }

    /// Returns the source of a provider's keys.
    ///
    /// No keys are read or fetched until they are requested.
    ///
    /// - Parameter provider: The provider of the keys.
    /// - Returns: The file, or a source that fetches.
    /// - Throws: `ValidationError` for a usage error.
    func source(of provider: Provider) throws(ValidationError) -> any ReportingKeySource {
        try check(provider)
        if let keys, address == nil {
            return KeyFile(keys, of: provider, allowsPublishedTestKeys: allowPublishedTestKeys)
        }
        #if HTTPClient
        return try FetchedKeys(of: address.map(provider.with(keySetURL:)) ?? provider, by: self)
        #else
        throw ValidationError("This build cannot fetch keys.")
        #endif
    }
}
#endif
