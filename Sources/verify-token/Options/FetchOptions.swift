// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import ArgumentParser
internal import Foundation
internal import LoginKeys
internal import LoginTokens

/// The options for fetching an issuer's keys, and for keys that only tests use.
struct FetchOptions: ParsableArguments {
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
            "Trust only the root certificates in this file (PEM), instead of the system's or those of SSL_CERT_FILE.",
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

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The maximum number of keys in a key set, 100 to 1000; 100 by default. With more than 100, the set can have 1 MiB.",
            valueName: "count"
        )
    )
    var maxKeys: Int?

    @Flag(
        name: .customLong("allow-loopback-http"),
        help: "Also fetch over http from loopback addresses. Only for tests."
    )
    var allowsLoopbackHTTP = false

    @Option(
        name: .customLong("cleartext-host"),
        help: ArgumentHelp(
            "A host that is also reached over http, if all its addresses are private. Whoever is on the way can replace keys. May be repeated.",
            valueName: "host"
        )
    )
    var cleartextHosts: [String] = []

    @OptionGroup var documents: DocumentOptions

    @Flag(help: "Also use keys whose private key is published, for example in an RFC. Only for tests.")
    var allowPublishedTestKeys = false

    func validate() throws {
        guard caFile != "" else { throw ValidationError("The value of --ca-file is empty.") }
        let range = Limits.keySetKeysRange
        if let maxKeys, !range.contains(maxKeys) {
            throw ValidationError("--max-keys: \(maxKeys) is not from \(range.lowerBound) to \(range.upperBound).")
        }
        guard authoritiesFile != "" else { throw ValidationError("SSL_CERT_FILE is empty: unset it, or name a file.") }
        #if HTTPClient
        _ = try Self.proxy(in: ProcessInfo.processInfo.environment)
        #endif
        for (option, hosts) in [("--keys-host", keySetHosts), ("--cleartext-host", cleartextHosts)] {
            if let host = hosts.first(where: { (try? EndpointURL("https://\($0)/"))?.host != $0.lowercased() }) {
                throw ValidationError("\(option): \(quoted(host)) is not a host name without scheme and port.")
            }
        }
        if let url = documents.discoveryURL { _ = try endpoint(url, option: "--discovery-url") }
        for text in allowedNetworks {
            guard let network = IPNetwork(text) else {
                throw ValidationError(
                    "--allow-network: \(quoted(text)) is not a network, for example 10.0.0.0/8 or fd00::/8."
                )
            }
            if let mistake = network.mistake { throw ValidationError("--allow-network: \(mistake).") }
        }
    }

    /// The limits of a key set, whose errors name the option.
    var keySetLimits: KeySetLimits {
        do throws(PolicyError) {
            return try KeySetLimits(keys: maxKeys ?? Limits.keySetKeys).named(keys: "--max-keys")
        } catch {
            preconditionFailure("validate() has checked the number of keys")
        }
    }

    /// The file of trusted root certificates: that of `--ca-file`, or else the one that tools with OpenSSL read; nil for the
    /// system's.
    var authoritiesFile: String? { caFile ?? ProcessInfo.processInfo.environment["SSL_CERT_FILE"] }

    /// The maximum size of the file of certificates that is read for ``trust(keySetURL:)``: 16 MiB, more than that of any
    /// system.
    private static let authoritiesBytes = 16 * 1024 * 1024

    /// The given options that have no effect on keys from a file.
    var given: [String] {
        ofDocuments
            + [
                caFile.map { _ in "--ca-file" }, allowedNetworks.isEmpty ? nil : "--allow-network",
                allowsLoopbackHTTP ? "--allow-loopback-http" : nil,
                cleartextHosts.isEmpty ? nil : "--cleartext-host",
            ].compactMap { $0 }
    }

    /// The given options that have no effect on a request for anything but keys.
    var ofKeys: [String] { ofDocuments + (maxKeys == nil ? [] : ["--max-keys"]) }

    private var ofDocuments: [String] { (keySetHosts.isEmpty ? [] : ["--keys-host"]) + documents.given }

    /// The given options that have an effect only if the URL of the keys is discovered.
    var ofDiscovery: [String] { (keySetHosts.isEmpty ? [] : ["--keys-host"]) + documents.ofDiscovery }

    /// The hosts of `--cleartext-host`, in lower case.
    private var cleartextNames: Set<String> { Set(cleartextHosts.map { $0.lowercased() }) }

    /// Returns the provider whose documents are fetched by these options.
    func applied(to provider: Provider) -> Provider {
        var provider = provider
        provider.allowsLoopbackHTTP = allowsLoopbackHTTP
        provider.cleartextHosts = cleartextNames
        documents.apply(to: &provider.documents)
        return provider
    }

    /// Returns a fingerprint of the options that decide which keys the issuer has, so that keys cached with some of them are
    /// not used with others.
    ///
    /// The options that are checked against cached keys are left out: `--keys-host`, `--allow-loopback-http`, `--max-keys`
    /// and `--allow-published-test-keys`.
    ///
    /// - Parameter keySetURL: The URL of `--keys`; nil for the known or the discovered one.
    /// - Returns: The fingerprint; empty if none of the options is given.
    func trust(keySetURL: String?) -> String {
        // A bearer token is replaced often, so its path stands for it.
        let parts: [(option: String, values: [String])] = [
            ("--ca-file", authoritiesFile.map { [authorities(in: $0)] } ?? []),
            ("--allow-network", allowedNetworks.sorted()),
            ("--cleartext-host", cleartextNames.sorted()),
            ("--keys", keySetURL.map { [$0] } ?? []),
            ("--discovery-url", documents.discoveryURL.map { [$0] } ?? []),
            ("--discovery-issuer", documents.discoveryIssuer.map { [$0] } ?? []),
            ("--content-type", Set(documents.contentTypes.map { $0.lowercased() }).sorted()),
            ("--follow-redirects", documents.followsRedirects ? [""] : []),
            ("--bearer-file", documents.bearerFile.map { [$0] } ?? []),
        ]
        // No argument contains a NUL, so the text has one reading.
        let text = parts.flatMap { part in part.values.map { "\(part.option)\0\($0)\0" } }.joined()
        return text.isEmpty ? "" : " trusting \(fingerprint(text))"
    }

    /// Returns the certificates in a file, in base64; an empty text for a file that cannot be read, with which no keys are
    /// fetched.
    private func authorities(in file: String) -> String {
        let content = try? readFile(file, limit: Self.authoritiesBytes)
        return content?.base64EncodedString() ?? ""
    }

    /// Parses an address to fetch from.
    ///
    /// An invalid one is a usage error, whose message does not repeat the address.
    func endpoint(_ text: String, option: String) throws(ValidationError) -> EndpointURL {
        do throws(TransportFailure) {
            return try EndpointURL(
                text,
                allowsLoopbackHTTP: allowsLoopbackHTTP,
                cleartextHosts: cleartextNames
            )
        } catch {
            let isLoopback = (try? EndpointURL(text, allowsLoopbackHTTP: true)) != nil
            let remedy = isLoopback ? "; --allow-loopback-http allows it, for tests" : ""
            throw ValidationError("\(option): \(error.detail)\(remedy).")
        }
    }
}

#if HTTPClient
extension FetchOptions {
    /// The configuration of a key cache with these options.
    var cacheConfiguration: KeyCacheConfiguration {
        var configuration = KeyCacheConfiguration()
        configuration.keySetHosts = Set(keySetHosts.map { $0.lowercased() })
        configuration.allowsPublishedTestKeys = allowPublishedTestKeys
        configuration.keySetLimits = keySetLimits
        return configuration
    }

    /// Returns the outgoing proxy that the environment names, as other tools read it; nil for none.
    ///
    /// - Parameter environment: The environment. `https_proxy` takes precedence over `HTTPS_PROXY`, and an empty value
    ///   means no proxy, as with curl.
    /// - Returns: The proxy.
    /// - Throws: `ValidationError` if the variable is invalid; its value may have a password, and is not shown.
    static func proxy(in environment: [String: String]) throws(ValidationError) -> OutgoingProxy? {
        let name = environment["https_proxy"] == nil ? "HTTPS_PROXY" : "https_proxy"
        guard let url = environment[name], !url.isEmpty else { return nil }
        let exceptions = (environment["no_proxy"] ?? environment["NO_PROXY"] ?? "").split(separator: ",").map {
            $0.trimmingCharacters(in: .whitespaces)
        }
        do throws(TransportFailure) {
            return try OutgoingProxy(url.contains("://") ? url : "http://\(url)", exceptions: exceptions)
        } catch {
            throw ValidationError("\(name): \(error.detail).")
        }
    }

    /// The HTTP client with these options.
    var transport: AsyncHTTPClientTransport {
        var configuration = AsyncHTTPClientTransport.Configuration()
        if let authoritiesFile { configuration.trustRoots = .file(authoritiesFile) }
        configuration.allowedNetworks = allowedNetworks.compactMap { IPNetwork($0) }
        configuration.cleartextHosts = cleartextNames
        configuration.proxy = try? Self.proxy(in: ProcessInfo.processInfo.environment)
        return AsyncHTTPClientTransport(configuration)
    }
}
#endif
#endif
