// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
import LoginHTTP
import LoginHummingbird
import LoginProviders
import LoginTokens
import Testing

@testable import LoginServer

/// The limits that a configuration raises.
@Suite struct ConfiguredLimitTests {
    private static let orders = """
        apis: [orders]
        api:
          orders:
            issuer: https://login.example.com
            audiences: [orders]
            resource: https://api.example.com

        """
    private static let google = "providers: [google]\nprovider:\n  google:\n    client-id: x\n"

    private static func configuration(_ yaml: String) throws -> ServiceConfiguration {
        let file = try ServiceFile(Array(yaml.utf8))
        return try ConfigurationFileReader(flags: [:], environment: ["HOME": "/h"]).configuration(file)
    }

    private static func resource(_ yaml: String) throws -> (policy: AccessTokenPolicy, proofs: DPoPPolicy?) {
        let api = try #require(try configuration(yaml).apis.first)
        let resource = try api.protectedResource(APIParts(keys: KeySnapshot([]), ledger: InMemoryDPoPLedger()))
        return (resource.verifier.requirements, resource.dpop?.policy)
    }

    @Test func `the limits are the library's defaults unless they are configured`() throws {
        let configuration = try Self.configuration(Self.google + Self.orders + "    dpop: accepted\n")
        #expect(configuration.keySetLimits.keys == 100 && configuration.connectionLimits.headerFieldBytes == 17_408)
        #expect(try configuration.signInProviders().first?.limits.tokenBytes == 16_384)
        let (policy, proofs) = try Self.resource(Self.orders + "    dpop: accepted\n")
        #expect(policy.limits.tokenBytes == 16_384 && policy.limits.headerBytes == 4096)
        #expect(proofs?.maximumAge == .seconds(60) && proofs?.leeway == .seconds(30))
    }

    @Test func `an API has the configured limits, and refusals name their keys`() throws {
        let (policy, proofs) = try Self.resource(
            """
            \(Self.orders)    max-token-bytes: 65535
                max-header-bytes: 16383
                dpop: required
                dpop-max-age: 300
                dpop-leeway: 60
            """
        )
        #expect(policy.limits.tokenBytes == 65_535 && policy.limits.headerBytes == 16_383)
        #expect(proofs?.maximumAge == .seconds(300) && proofs?.leeway == .seconds(60))
        let long = #expect(throws: TokenRefusal.self) {
            _ = try CompactJWS(String(repeating: "a", count: 65_536), limits: policy.limits)
        }
        #expect(long?.description.contains("api.orders.max-token-bytes can be up to 65536") == true)
        let wide = #expect(throws: TokenRefusal.self) {
            _ = try CompactJWS(String(repeating: "a", count: 22_000) + ".a.a", limits: policy.limits)
        }
        #expect(wide?.description.contains("api.orders.max-header-bytes can be up to 16384") == true)
    }

    @Test func `the ID tokens of a provider, and its policies, have the configured limits`() throws {
        let configuration = try Self.configuration(Self.google + "    max-token-bytes: 32768\n")
        let limits = try #require(try configuration.signInProviders().first).limits
        #expect(limits.tokenBytes == 32_768)
        let refusal = #expect(throws: TokenRefusal.self) {
            _ = try CompactJWS(String(repeating: "a", count: 32_769), limits: limits)
        }
        #expect(refusal?.description.contains("provider.google.max-token-bytes can be up to 65536") == true)
    }

    @Test func `max-keys raises the limit of key sets, and errors name it`() throws {
        let limits = try Self.configuration("max-keys: 999\n").keySetLimits
        #expect(limits.keys == 999 && limits.bytes == 1_048_576)
        let error = #expect(throws: KeySetError.self) {
            _ = try JSONWebKeySet(json: String(repeating: " ", count: 1_048_577), limits: limits)
        }
        #expect(error?.description.contains("max-keys can be up to 1000") == true)
    }

    @Test func `header fields have space for the largest token of an API, and max-field-bytes allows larger ones`()
        throws
    {
        let large = Self.orders + "    max-token-bytes: 32768\n"
        #expect(try Self.configuration(large).connectionLimits.headerFieldBytes == 33_792)
        let larger = try Self.configuration("max-field-bytes: 66560\n" + large)
        #expect(larger.connectionLimits.headerFieldBytes == 66_560)
    }

    /// Invalid configurations, each with a part of its error message.
    private static let faults: [(String, String)] = [
        (
            "\(orders)    max-token-bytes: 16383\n",
            "api.orders.max-token-bytes must be a whole number from 16384 to 65536"
        ),
        (
            "\(orders)    max-header-bytes: 16385\n",
            "api.orders.max-header-bytes must be a whole number from 4096 to 16384"
        ),
        ("\(google)    max-token-bytes: 65537\n", "provider.google.max-token-bytes must be a whole number from 16384"),
        ("\(google)    max-header-bytes: \"\"\n", "provider.google.max-header-bytes must not be empty"),
        ("\(orders)    dpop: accepted\n    dpop-max-age: 301\n", "dpop-max-age must be a whole number from 1 to 300"),
        ("\(orders)    dpop: accepted\n    dpop-leeway: 61\n", "dpop-leeway must be a whole number from 0 to 60"),
        ("\(orders)    dpop-leeway: 10\n", "api.orders.dpop-leeway has no effect while api.orders.dpop is off"),
        ("\(orders)    dpop-max-age: 10\n", "api.orders.dpop-max-age has no effect while api.orders.dpop is off"),
        ("max-keys: 99\n", "max-keys must be a whole number from 100 to 1000"),
        ("max-keys: 1001\n", "max-keys must be a whole number from 100 to 1000"),
        ("max-field-bytes: 17407\n", "max-field-bytes must be a whole number from 17408 to 66560"),
        (
            "max-field-bytes: 20000\n\(orders)    max-token-bytes: 32768\n",
            "max-field-bytes must be at least 33792, 1024 more than api.orders.max-token-bytes"
        ),
    ]

    @Test(arguments: faults)
    func `a limit that is out of range, or has no effect, is refused with its key`(_ yaml: String, _ fault: String) {
        let error = #expect(throws: ConfigurationFault.self) { try Self.configuration(yaml) }
        #expect(error?.description.contains(fault) == true)
    }
}
#endif
