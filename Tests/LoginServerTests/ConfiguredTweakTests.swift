// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import Configuration
internal import Foundation
internal import Testing
internal import Tweaks

@testable internal import LoginServer

/// The values of tweaks in the configuration.
@Suite struct ConfiguredTweakTests {
    private static func file(_ yaml: String) throws -> ServiceFile {
        try ServiceFile(Array(yaml.utf8))
    }

    @Test func `an unknown tweak is refused with a suggestion`() throws {
        let ids = try ServiceLauncher.tweaks(of: ["google"]).ids
        #expect(ids.contains("providers.google.enabled") && ids.contains("tokens.times.leeway"))
        func check(_ yaml: String? = nil, environment: [String: String] = [:]) throws {
            let reader = ConfigurationFileReader(flags: [:], environment: environment)
            try reader.names(try yaml.map { try Self.file($0) }).checkTweaks(ids)
        }
        #expect(
            throws: ConfigurationFault(
                "unknown key tweaks.tokens.times.leway; did you mean tweaks.tokens.times.leeway?"
            )
        ) { try check("tweaks: { tokens.times.leway: 1 }") }
        #expect(
            throws: ConfigurationFault(
                "unknown key VERIFY_TOKEN_TWEAKS_LOG_LEVL; did you mean VERIFY_TOKEN_TWEAKS_LOG_LEVEL?"
            )
        ) { try check(environment: ["VERIFY_TOKEN_TWEAKS_LOG_LEVL": "info"]) }
        try check("tweaks: { log.level: info }", environment: ["VERIFY_TOKEN_TWEAKS_LOG_LEVEL": "info"])
    }

    @Test(arguments: [
        ("tokens.times.leeway: 301", "tweaks.tokens.times.leeway: it must be between 0 and 300"),
        ("providers.google.enabled: \"off\"", "tweaks.providers.google.enabled: it must be true or false"),
        ("tokens.times.leeway: 300", nil), ("providers.google.enabled: \"false\"", nil),
    ])
    func `an invalid value of a tweak is refused, and a valid one is read`(_ line: String, _ reason: String?) throws {
        let reader = ConfigurationFileReader(flags: [:], environment: ["HOME": "/h"])
        let file = try Self.file("tweaks: { \(line) }")
        let tweaks = try ServiceLauncher.tweaks(of: ["google"])
        var configuration = try reader.configuration(file)
        do throws(ConfigurationFault) {
            try reader.readTweaks(tweaks, in: file, into: &configuration)
            #expect(reason == nil && configuration.tweaks.count == 1)
        } catch {
            #expect(error.description == reason)
        }
    }
}
#endif
