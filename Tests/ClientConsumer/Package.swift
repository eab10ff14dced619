// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import PackageDescription

// A package of a user, with a token cache and a store of tweaks of its own. It uses public declarations only.
let package = Package(
    name: "client-consumer",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "limited-login", path: "../..", traits: [])],
    targets: [
        .executableTarget(
            name: "ClientConsumer",
            dependencies: [
                .product(name: "LoginClient", package: "limited-login"),
                .product(name: "LoginClientURLSession", package: "limited-login"),
                .product(name: "Tweaks", package: "limited-login"),
            ],
            swiftSettings: [.strictMemorySafety(), .treatAllWarnings(as: .error)]
        )
    ]
)
