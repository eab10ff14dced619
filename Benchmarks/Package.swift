// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
]

/// A product of the measured package.
func measured(_ product: String) -> Target.Dependency {
    .product(name: product, package: "limited-login")
}

// A separate package, so that users of the library never build the benchmarks.
let package = Package(
    name: "benchmarks",
    platforms: [.macOS(.v15)],
    // Without the trait nothing is downloaded: `swift build --disable-default-traits` leaves out the jwt-kit rows.
    traits: [
        .trait(name: "JWTKit", description: "Rows that measure jwt-kit; needs jwt-kit and what it needs."),
        .default(enabledTraits: ["JWTKit"]),
    ],
    dependencies: [
        .package(name: "limited-login", path: "..", traits: []),
        .package(url: "https://github.com/vapor/jwt-kit", exact: "5.7.1"),
    ],
    targets: [
        .systemLibrary(name: "CFloorOpenSSL", pkgConfig: "libcrypto"),
        .target(name: "CFloor", dependencies: ["CFloorOpenSSL"]),
        .target(name: "CCountedMalloc", dependencies: ["CFloorOpenSSL"]),
        .target(name: "CMachine"),
        .target(name: "Measuring", dependencies: ["CMachine"], swiftSettings: settings),
        .testTarget(name: "MeasuringTests", dependencies: ["Measuring"], swiftSettings: settings),
        .target(
            name: "LoginCase",
            dependencies: [
                "CFloor", measured("LimitedLogin"), measured("LoginTesting"), measured("LoginTokens"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "LoginBenchmark",
            dependencies: [
                "LoginCase", "Measuring",
                measured("LimitedLogin"), measured("LoginTesting"), measured("LoginTokens"),
                .product(name: "JWTKit", package: "jwt-kit", condition: .when(traits: ["JWTKit"])),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "AllocationBenchmark",
            dependencies: [
                "CCountedMalloc", "CMachine", "LoginCase", "Measuring",
                measured("LimitedLogin"), measured("LoginTokens"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "KeyCacheBenchmark",
            dependencies: [measured("LoginKeys"), measured("LoginTesting"), measured("LoginTokens")]
        ),
        .target(name: "SoakSupport"),
        // A symbolic link to the directory in Fuzz/.
        .target(name: "HostileInput"),
        .executableTarget(
            name: "KeyCacheSoak",
            dependencies: [
                "SoakSupport", measured("LoginKeys"), measured("LoginTesting"), measured("LoginTokens"),
            ]
        ),
        .executableTarget(
            name: "MutationSoak",
            dependencies: [
                "HostileInput", "SoakSupport",
                measured("LimitedLogin"), measured("LoginTesting"), measured("LoginTokens"),
            ]
        ),
    ]
)
