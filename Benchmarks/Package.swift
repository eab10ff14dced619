// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import PackageDescription

// A package of its own, so that nobody who uses the library builds what only measures it.
let package = Package(
    name: "benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "limited-login", path: "..", traits: [])],
    targets: [
        .executableTarget(
            name: "KeyCacheBenchmark",
            dependencies: [
                .product(name: "LoginKeys", package: "limited-login"),
                .product(name: "LoginTesting", package: "limited-login"),
                .product(name: "LoginTokens", package: "limited-login"),
            ]
        ),
        .executableTarget(
            name: "KeyCacheSoak",
            dependencies: [
                .product(name: "LoginKeys", package: "limited-login"),
                .product(name: "LoginTesting", package: "limited-login"),
                .product(name: "LoginTokens", package: "limited-login"),
            ]
        ),
    ]
)
