// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import ArgumentParser
internal import Foundation
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

    @OptionGroup var fetching: FetchOptions

    /// The given options that have no effect without keys, except on requests.
    var ofKeys: [String] {
        (keys == nil ? [] : ["--keys"]) + (keysCache == nil ? [] : ["--keys-cache"]) + fetching.ofKeys
    }

    /// A fingerprint of the options that decide which keys the issuer has; see ``FetchOptions/trust(keySetURL:)``.
    var trust: String { fetching.trust(keySetURL: address) }

    /// The missing option: `--keys`, in a build that cannot fetch keys.
    ///
    /// The option is not declared as required. The parser would report it alone, and the other missing options only
    /// in the next run.
    var missing: [String] {
        keys == nil && !Self.canFetch ? ["--keys <file>: the issuer's keys, which this build cannot fetch"] : []
    }

    func validate() throws {
        guard keys != "", keysCache != "" else {
            throw ValidationError("The value of --keys or --keys-cache is empty.")
        }
        if let keys, address == nil {
            let options = (keysCache == nil ? [] : ["--keys-cache"]) + fetching.given
            guard let option = options.first else { return }
            throw ValidationError("\(option) requires keys that are fetched; \(ShownArgument(keys)) is a file.")
        }
        guard Self.canFetch, let address else { return }
        _ = try fetching.endpoint(address, option: "--keys")
        if let option = fetching.ofDiscovery.first {
            throw ValidationError("\(option) is for discovery, and cannot be combined with --keys.")
        }
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
        if let url = provider.keySetURL {
            if let option = fetching.ofDiscovery.first {
                throw ValidationError("\(option) requires --issuer: the key set URL of \(provider.name) is known.")
            }
            _ = try fetching.endpoint(url, option: "the key set URL of \(quoted(provider.name))")
        } else if fetching.documents.discoveryURL == nil {
            _ = try fetching.endpoint(provider.issuers.first ?? "", option: "--issuer, without --keys")
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
            return KeyFile(
                keys,
                of: provider,
                allowsPublishedTestKeys: fetching.allowPublishedTestKeys,
                limits: fetching.keySetLimits
            )
        }
        #if HTTPClient
        let provider = address.map(provider.with(keySetURL:)) ?? provider
        return try FetchedKeys(of: fetching.applied(to: provider), by: self)
        #else
        throw ValidationError("This build cannot fetch keys.")
        #endif
    }
}
#endif
