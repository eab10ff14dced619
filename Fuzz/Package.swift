// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import PackageDescription

let settings: [SwiftSetting] = [.strictMemorySafety(), .treatAllWarnings(as: .error)]

// A package of its own, so that nobody who uses the library builds what only attacks it. `scripts/fuzz` says with which flags.
let package = Package(
    name: "fuzz",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "limited-login", path: "..", traits: [])],
    targets: [
        // What libFuzzer offers to Swift.
        .systemLibrary(name: "CLibFuzzer"),
        // Says which case was under way when the process died.
        .target(name: "CCaseWatch"),
        // RSA signatures by plain C, beside the library's own way to OpenSSL.
        .target(name: "CReference", linkerSettings: [.linkedLibrary("crypto")]),
        .target(name: "HostileInput", swiftSettings: settings),
        .target(
            name: "FuzzTargets",
            dependencies: [
                "CReference", "HostileInput",
                .product(name: "LimitedLogin", package: "limited-login"),
                .product(name: "LoginKeys", package: "limited-login"),
                .product(name: "LoginTesting", package: "limited-login"),
                .product(name: "LoginTokens", package: "limited-login"),
            ],
            swiftSettings: settings
        ),
        // Its main function is libFuzzer's, so it links only with --sanitize=fuzzer.
        .executableTarget(
            name: "Fuzz",
            dependencies: ["CLibFuzzer", "FuzzTargets"],
            swiftSettings: settings + [.unsafeFlags(["-parse-as-library"])]
        ),
        .executableTarget(
            name: "FuzzReplay",
            dependencies: ["CCaseWatch", "FuzzTargets", "HostileInput"],
            swiftSettings: settings
        ),
    ]
)
