// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation
internal import HostileInput

@testable internal import LoginKeys
@testable internal import LoginTokens

extension FuzzTarget {
    /// Discovery documents and the URLs in them: keys are requested only from permitted hosts.
    static let discovery = FuzzTarget(
        "discovery",
        maximumBytes: 4096,
        seeds: { _ in
            let addresses = [
                "https://issuer.example/keys", "https://keys.example/k?v=1", "https://ISSUER.example:443/%41",
                "http://127.0.0.1:80/",
                "https://issuer.example@keys.example/", "https://[::1]:8443/", "https://0x7f.1/",
                "https://issuer.example:65536/",
                "https://issuer.example\\@keys.example/", "https://issuer.example#@keys.example",
                "//issuer.example/keys",
            ]
            let documents = addresses.map { #"{"issuer":"https://issuer.example","jwks_uri":"\#($0)"}"# }
            let others = [
                #"{"issuer":"https://issuer.example/","jwks_uri":"https://issuer.example/keys"}"#,
                #"{"jwks_uri":"https://issuer.example/keys"}"#, #"{"issuer":"https://issuer.example"}"#, "[]",
                #"{"issuer":"https://issuer.example","jwks_uri":["https://issuer.example/keys"]}"#,
                #"{"issuer":"https:\/\/issuer.example","jwks_uri":"https:\/\/issuer.example\/keys","response_types_supported":["id_token"]}"#,
                #"{"issuer":"https://issuer.example","jwks_uri":"https://issuer.example/k","authorization_endpoint":"https://a.example/","token_endpoint":"http://t.example/","code_challenge_methods_supported":["S256"]}"#,
            ]
            return (documents + others + addresses).map { Array($0.utf8) }
        },
        mutate: { input, seed, plain in
            var mutator = TokenMutator(seed: seed)
            return mutator.below(4) == 0 ? mutator.edited(input) : plain(input, 4096)
        },
        run: { input in
            tryAddress(String(decoding: input, as: UTF8.self))
            tryDocument(input)
        }
    )
}

private let issuer = "https://issuer.example"
private let provider = Provider.openID(issuers: [issuer])
private let allowedHosts: Set = ["issuer.example", "keys.example"]
private let configuration: KeyCacheConfiguration = {
    var configuration = KeyCacheConfiguration()
    configuration.keySetHosts = ["keys.example"]
    return configuration
}()

private let source: KeySetSource = {
    guard let source = try? KeySetSource(provider) else { fatalError("the issuer was refused") }
    return source
}()

private func tryDocument(_ input: [UInt8]) {
    do throws(ProviderMetadataError) {
        let metadata = try ProviderMetadata(json: input, provider: provider)
        // Foundation reads no number beyond the range of `Double`, such as 1e999; the target json compares the two
        // readers.
        guard let json = try? JSONSerialization.jsonObject(with: Data(input)) as? [String: Any] else { return }
        expect(json["issuer"] as? String == issuer, "the document is of another issuer")
        let address = URLComponents(string: json["jwks_uri"] as? String ?? "")
        expect(address?.scheme?.lowercased() == "https", "the key set URL is not an https URL")
        for url in [metadata.keySetURL, metadata.authorizationEndpoint, metadata.tokenEndpoint].compactMap(\.self) {
            expect(url.scheme == .https, "an endpoint is not an https URL")
            tryAddress(url.description)
        }
        guard source.mayHaveKeys(at: metadata.keySetURL, configuration) else { return }
        expect(allowedHosts.contains(address?.host?.lowercased() ?? ""), "the key set URL is on a forbidden host")
        expect(allowedHosts.contains(metadata.keySetURL.host), "the keys are fetched from a forbidden host")
    } catch {
        expectShowable(error.description)
        expectShowable(KeyFetchFailure(error).from(someURL).description)
    }
}

private let someURL: EndpointURL = {
    guard let url = try? EndpointURL("https://issuer.example/?secret") else { fatalError("the URL was refused") }
    return url
}()

/// Checks that Foundation finds the same host in a URL as `EndpointURL`.
private func tryAddress(_ text: String) {
    do throws(TransportFailure) {
        let url = try EndpointURL(text, allowsLoopbackHTTP: true)
        let again = try? EndpointURL(url.description, allowsLoopbackHTTP: true)
        expect(again == url, "a URL changes when it is parsed again")
        guard let other = URLComponents(string: text) else {
            fatalError("broken invariant: Foundation refuses the URL")
        }
        let host = other.host?.lowercased().trimmingCharacters(in: ["[", "]"])
        expect(host == url.host, "Foundation finds another host")
        expect(other.scheme?.lowercased() == url.scheme.rawValue, "Foundation finds another scheme")
        expect((other.port ?? (url.scheme == .https ? 443 : 80)) == url.port, "Foundation finds another port")
        expect(other.user == nil && other.password == nil && other.fragment == nil, "Foundation finds other parts")
        if url.scheme == .http {
            let isLoopback = url.host == "localhost" || url.host == "::1" || url.host.hasPrefix("127.")
            expect(isLoopback, "http is allowed beyond loopback")
        }
    } catch {
        expectShowable(error.description, hiding: [Array(text.utf8)])
    }
}
