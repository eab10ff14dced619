// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import PackageDescription

let settings: [SwiftSetting] = [.strictMemorySafety(), .treatAllWarnings(as: .error)]

// A separate package, so that users of the library never build the fuzzers. `scripts/fuzz` passes the flags.
let package = Package(
    name: "fuzz",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "limited-login", path: "..", traits: [])],
    targets: [
        // The functions of libFuzzer that Swift calls.
        .systemLibrary(name: "CLibFuzzer"),
        // Reports which case was running when the process died.
        .target(name: "CCaseWatch"),
        // RSA signatures in plain C, independent of the library's use of OpenSSL.
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
        // libFuzzer provides the main function, so it links only with --sanitize=fuzzer.
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
