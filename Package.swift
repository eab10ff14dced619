// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import PackageDescription

/// The settings for targets that implement protocols of Hummingbird, which is built without
/// `NonisolatedNonsendingByDefault`.
let servingSettings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0335-existential-any.md
    .enableUpcomingFeature("ExistentialAny"),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0409-access-level-on-imports.md
    .enableUpcomingFeature("InternalImportsByDefault"),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0444-member-import-visibility.md
    .enableUpcomingFeature("MemberImportVisibility"),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0458-strict-memory-safety.md
    .strictMemorySafety(),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0443-warning-control-flags.md
    .treatAllWarnings(as: .error),
]

/// The settings for all other targets.
let settings: [SwiftSetting] =
    servingSettings + [
        // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0461-async-function-isolation.md
        .enableUpcomingFeature("NonisolatedNonsendingByDefault")
    ]

/// Returns a dependency on a product that only the trait `HTTPClient` needs.
func fetching(_ product: String, _ package: String) -> Target.Dependency {
    .product(name: product, package: package, condition: .when(traits: ["HTTPClient"]))
}

/// Returns a dependency on a product that only the trait `HTTP` needs.
func responding(_ product: String, _ package: String) -> Target.Dependency {
    .product(name: product, package: package, condition: .when(traits: ["HTTP"]))
}

/// Returns a dependency on a product that only the trait `Hummingbird` needs.
func serving(_ product: String, _ package: String) -> Target.Dependency {
    .product(name: product, package: package, condition: .when(traits: ["Hummingbird"]))
}

let package = Package(
    name: "limited-login",
    platforms: [.macOS(.v15)],
    products: [
        "LoginTokens", "LoginKeys", "LoginProviders", "LimitedLogin", "LoginAccounts", "LoginStoreSQLite",
        "LoginStorePostgreSQL", "LoginHTTP", "LoginPages", "LoginHummingbird", "Tweaks", "TweaksHummingbird",
        "LimitedLoginHTTP", "LoginClient", "LoginClientURLSession", "LoginTesting", "LimitedLoginTesting",
        "LoginTestServers",
    ].map { .library(name: $0, targets: [$0]) } + [.executable(name: "verify-token", targets: ["verify-token"])],
    // Each trait gates dependencies: a package that depends on this one with `traits: []` downloads no other package.
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0450-swiftpm-package-traits.md
    traits: [
        .trait(name: "CommandLine", description: "The verify-token command; needs swift-argument-parser."),
        .trait(
            name: "HTTPClient",
            description: "Fetching keys over HTTPS, keeping them in files, logs, metrics; needs async-http-client."
        ),
        .trait(
            name: "SQLite",
            description: "Accounts in one SQLite file; needs GRDB.swift, swift-system and the system's libsqlite3."
        ),
        .trait(name: "PostgreSQL", description: "Accounts in PostgreSQL; needs swift-nio and the system's libpq."),
        .trait(
            name: "HTTP",
            description: "Sign-in over HTTP in any framework; needs swift-http-types.",
            enabledTraits: ["HTTPClient"]
        ),
        .trait(
            name: "Hummingbird",
            description:
                "Sign-in with Hummingbird, and the command's service; needs hummingbird and swift-configuration.",
            enabledTraits: ["HTTP"]
        ),
        .default(enabledTraits: ["CommandLine", "HTTPClient"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(
            url: "https://github.com/apple/swift-configuration",
            from: "1.4.0",
            traits: [
                .trait(name: "YAML", condition: .when(traits: ["Hummingbird"]))
            ]
        ),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.11.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.100.0"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        .systemLibrary(
            name: "CLoginOpenSSL",
            pkgConfig: "libcrypto",
            providers: [.apt(["libssl-dev"]), .yum(["openssl-devel"]), .brew(["openssl@3"])]
        ),
        .target(name: "LoginCrypto", dependencies: ["CLoginOpenSSL"], swiftSettings: settings),
        // Comparison, search and encoding of bytes. They need `unsafe` code, but not OpenSSL.
        .target(name: "LoginText", swiftSettings: settings),
        .target(name: "LoginTokens", dependencies: ["LoginCrypto", "LoginText"], swiftSettings: settings),
        .target(
            name: "LoginKeys",
            dependencies: [
                "LoginTokens",
                "LoginCrypto",
                "LoginText",
                fetching("AsyncHTTPClient", "async-http-client"),
                fetching("Logging", "swift-log"),
                fetching("Metrics", "swift-metrics"),
                fetching("NIOCore", "swift-nio"),
                fetching("NIOHTTP1", "swift-nio"),
                fetching("NIOPosix", "swift-nio"),
                fetching("NIOSSL", "swift-nio-ssl"),
                fetching("ServiceLifecycle", "swift-service-lifecycle"),
                fetching("SystemPackage", "swift-system"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "LoginProviders",
            dependencies: ["LoginTokens", "LoginCrypto", "LoginText"],
            swiftSettings: settings
        ),
        .target(
            name: "LimitedLogin",
            dependencies: [
                "LoginProviders", "LoginTokens", "LoginCrypto", "LoginText",
                .target(name: "LoginKeys", condition: .when(traits: ["HTTPClient"])),
            ],
            swiftSettings: settings
        ),
        .systemLibrary(
            name: "CLoginIDN",
            pkgConfig: "libidn2",
            providers: [.apt(["libidn2-dev"]), .yum(["libidn2-devel"]), .brew(["libidn2"])]
        ),
        .target(
            name: "LoginAccounts",
            dependencies: ["LoginProviders", "LoginTokens", "LoginCrypto", "LoginText", "CLoginIDN"],
            swiftSettings: settings
        ),
        .target(
            name: "LoginStoreSQLite",
            dependencies: [
                "LoginAccounts",
                .product(name: "GRDB", package: "GRDB.swift", condition: .when(traits: ["SQLite"])),
                .product(name: "SystemPackage", package: "swift-system", condition: .when(traits: ["SQLite"])),
            ],
            swiftSettings: settings
        ),
        .systemLibrary(
            name: "CLoginPostgreSQL",
            pkgConfig: "libpq",
            providers: [.apt(["libpq-dev"]), .yum(["libpq-devel"]), .brew(["libpq"])]
        ),
        .target(
            name: "LoginStorePostgreSQL",
            dependencies: [
                "LoginAccounts", "LoginCrypto",
                .target(name: "CLoginPostgreSQL", condition: .when(traits: ["PostgreSQL"])),
                .product(name: "NIOPosix", package: "swift-nio", condition: .when(traits: ["PostgreSQL"])),
            ],
            swiftSettings: settings
        ),
        // Settings that operators change at run time.
        .target(name: "Tweaks", dependencies: ["LoginText"], swiftSettings: settings),
        .target(
            name: "TweaksHummingbird",
            dependencies: [
                "Tweaks", "LoginTokens", "LoginCrypto", "LoginText",
                serving("Hummingbird", "hummingbird"),
                serving("HTTPTypes", "swift-http-types"),
                serving("Logging", "swift-log"),
                serving("NIOCore", "swift-nio"),
                serving("ServiceLifecycle", "swift-service-lifecycle"),
            ],
            swiftSettings: servingSettings
        ),
        // Sign-in over HTTP, without a framework.
        .target(
            name: "LoginHTTP",
            dependencies: [
                "Tweaks", "LoginAccounts", "LoginProviders", "LoginKeys", "LoginTokens", "LoginCrypto", "LoginText",
                responding("HTTPTypes", "swift-http-types"),
                responding("Logging", "swift-log"),
                responding("Metrics", "swift-metrics"),
                responding("ServiceLifecycle", "swift-service-lifecycle"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "LoginPages",
            dependencies: [
                "LoginHTTP", "LoginAccounts", "LoginProviders", "LoginTokens", "LoginCrypto", "LoginText",
                responding("HTTPTypes", "swift-http-types"),
                responding("Logging", "swift-log"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "LimitedLoginHTTP",
            dependencies: [
                "LoginHTTP", "LoginAccounts", "LimitedLogin", "LoginProviders", "LoginTokens", "LoginCrypto",
                responding("HTTPTypes", "swift-http-types"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "LoginHummingbird",
            dependencies: [
                "LoginHTTP", "LoginAccounts", "LoginTokens",
                serving("Hummingbird", "hummingbird"),
                serving("HummingbirdCore", "hummingbird"),
                serving("HTTPTypes", "swift-http-types"),
                serving("Logging", "swift-log"),
                serving("Metrics", "swift-metrics"),
                serving("NIOCore", "swift-nio"),
                serving("NIOHTTP1", "swift-nio"),
                serving("NIOHTTPTypes", "swift-nio-extras"),
                serving("NIOHTTPTypesHTTP1", "swift-nio-extras"),
                serving("NIOPosix", "swift-nio"),
                serving("ServiceLifecycle", "swift-service-lifecycle"),
            ],
            swiftSettings: servingSettings
        ),
        // Clients need no OpenSSL.
        .target(name: "LoginClient", dependencies: ["LoginText"], swiftSettings: settings),
        // Separate from LoginClient, because URLSession needs libcurl on Linux.
        .target(name: "LoginClientURLSession", dependencies: ["LoginClient"], swiftSettings: settings),
        .target(
            name: "LoginTesting",
            dependencies: ["LoginAccounts", "LoginProviders", "LoginTokens", "LoginCrypto", "LoginText"],
            swiftSettings: settings
        ),
        // Separate from LoginTesting, because LimitedLogin needs other packages if the trait `HTTPClient` is enabled.
        .target(
            name: "LimitedLoginTesting",
            dependencies: ["LoginTesting", "LimitedLogin", "LoginTokens", "LoginCrypto", "LoginText"],
            swiftSettings: settings
        ),
        // Separate from LoginTesting, which depends on no other package.
        .target(
            name: "LoginTestServers",
            dependencies: [
                "LimitedLoginTesting", "LoginTesting", "LoginTokens",
                fetching("NIOCore", "swift-nio"),
                fetching("NIOPosix", "swift-nio"),
                fetching("NIOSSL", "swift-nio-ssl"),
            ],
            swiftSettings: settings
        ),
        // The service that the command runs, and the code that its commands for operators share.
        .target(
            name: "LoginServer",
            dependencies: [
                "LimitedLoginHTTP", "LoginPages", "LoginHTTP", "LoginHummingbird", "TweaksHummingbird", "Tweaks",
                "LoginAccounts", "LoginStoreSQLite", "LoginStorePostgreSQL", "LimitedLogin", "LoginProviders",
                "LoginKeys", "LoginTokens", "LoginCrypto", "LoginText",
                serving("Configuration", "swift-configuration"),
                serving("Hummingbird", "hummingbird"),
                serving("HummingbirdCore", "hummingbird"),
                serving("HummingbirdTLS", "hummingbird"),
                serving("HTTPTypes", "swift-http-types"),
                serving("Logging", "swift-log"),
                serving("Metrics", "swift-metrics"),
                serving("NIOCore", "swift-nio"),
                serving("NIOPosix", "swift-nio"),
                serving("NIOSSL", "swift-nio-ssl"),
                serving("ServiceLifecycle", "swift-service-lifecycle"),
                serving("SystemPackage", "swift-system"),
                serving("UnixSignals", "swift-service-lifecycle"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "verify-token",
            dependencies: [
                "LoginServer", "LoginAccounts", "LoginStoreSQLite", "LimitedLogin", "LoginProviders", "LoginKeys",
                "LoginTokens", "LoginClient", "LimitedLoginTesting", "LoginTesting", "LoginCrypto", "LoginText",
                .product(
                    name: "ArgumentParser",
                    package: "swift-argument-parser",
                    condition: .when(traits: ["CommandLine"])
                ),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "TestSupport",
            dependencies: [
                "LoginTesting", "LoginAccounts", "LimitedLogin", "LoginProviders", "LoginTokens",
                responding("InMemoryLogging", "swift-log"),
                responding("Logging", "swift-log"),
            ],
            path: "Tests/TestSupport",
            swiftSettings: settings
        ),
        .testTarget(
            name: "LoginCryptoTests",
            dependencies: ["LoginCrypto", "LoginText", "TestSupport"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "LoginTokensTests",
            dependencies: [
                "LoginTokens", "LimitedLoginTesting", "LoginTesting", "LoginCrypto", "LoginText", "TestSupport",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "LoginKeysTests",
            dependencies: [
                "LoginKeys", "LimitedLogin", "LoginProviders", "LoginTokens", "LimitedLoginTesting", "LoginTesting",
                "LoginTestServers",
                "LoginText", "TestSupport",
                fetching("Logging", "swift-log"),
                fetching("InMemoryLogging", "swift-log"),
                fetching("Metrics", "swift-metrics"),
                fetching("MetricsTestKit", "swift-metrics"),
                fetching("NIOPosix", "swift-nio"),
                fetching("ServiceLifecycle", "swift-service-lifecycle"),
                fetching("UnixSignals", "swift-service-lifecycle"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "LimitedLoginTests",
            dependencies: [
                "LimitedLogin", "LoginProviders", "LimitedLoginTesting", "LoginTesting", "LoginTokens", "LoginCrypto",
                "LoginText", "TestSupport",
            ],
            swiftSettings: settings
        ),
        // A separate process, which tests kill, and which also does long runs.
        .executableTarget(
            name: "AccountWorker",
            dependencies: [
                "LoginAccounts", "LoginStoreSQLite", "LoginStorePostgreSQL", "LoginProviders", "LoginTesting",
                "LoginTokens",
            ],
            path: "Tests/AccountWorker",
            swiftSettings: settings
        ),
        // The server that the service is measured against.
        .executableTarget(
            name: "EchoServer",
            dependencies: [
                serving("Hummingbird", "hummingbird"),
                serving("HTTPTypes", "swift-http-types"),
                serving("Logging", "swift-log"),
                serving("NIOCore", "swift-nio"),
            ],
            path: "Tests/EchoServer",
            swiftSettings: settings
        ),
        // The pages with a stand-in for Facebook, for tests in a browser.
        .executableTarget(
            name: "FacebookSite",
            dependencies: [
                "LimitedLoginTesting", "LoginTestServers", "LoginTesting", "LimitedLogin", "LoginPages",
                "LoginHTTP", "LoginHummingbird", "LoginAccounts", "LoginProviders", "LoginKeys", "LoginTokens",
                serving("Hummingbird", "hummingbird"),
            ],
            path: "Tests/FacebookSite",
            swiftSettings: settings
        ),
        // One suite for all stores. The traits determine whether it includes SQLite and PostgreSQL.
        .testTarget(
            name: "LoginAccountsTests",
            dependencies: [
                "LoginAccounts", "LoginStoreSQLite", "LoginStorePostgreSQL",
                "LimitedLogin", "LoginProviders", "LimitedLoginTesting", "LoginTesting", "LoginTokens", "LoginCrypto",
                "LoginText", "TestSupport", "AccountWorker",
                .product(name: "GRDB", package: "GRDB.swift", condition: .when(traits: ["SQLite"])),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "TweaksTests",
            dependencies: ["Tweaks", "LoginTesting"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "TweaksHummingbirdTests",
            dependencies: [
                "TweaksHummingbird", "Tweaks",
                serving("Hummingbird", "hummingbird"),
                serving("HummingbirdTesting", "hummingbird"),
                serving("HTTPTypes", "swift-http-types"),
                serving("InMemoryLogging", "swift-log"),
                serving("Logging", "swift-log"),
                serving("NIOCore", "swift-nio"),
            ],
            swiftSettings: servingSettings
        ),
        .testTarget(
            name: "LoginHTTPTests",
            dependencies: [
                "LimitedLoginHTTP", "LoginHTTP", "Tweaks", "LoginAccounts", "LimitedLogin", "LoginProviders",
                "LoginKeys", "LoginClient", "LimitedLoginTesting", "LoginTesting", "LoginTokens", "LoginCrypto",
                "TestSupport",
                responding("HTTPTypes", "swift-http-types"),
                responding("InMemoryLogging", "swift-log"),
                responding("Logging", "swift-log"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "LoginHummingbirdTests",
            dependencies: [
                "LoginHummingbird", "LoginPages", "LoginHTTP", "LoginAccounts", "LoginProviders", "LoginKeys",
                "LimitedLogin", "LimitedLoginTesting", "LoginTesting", "LoginTokens", "TestSupport",
                serving("Hummingbird", "hummingbird"),
                serving("HummingbirdTesting", "hummingbird"),
                serving("HTTPTypes", "swift-http-types"),
                serving("InMemoryLogging", "swift-log"),
                serving("Logging", "swift-log"),
                serving("Metrics", "swift-metrics"),
                serving("NIOCore", "swift-nio"),
                serving("NIOEmbedded", "swift-nio"),
                serving("NIOHTTP1", "swift-nio"),
                serving("NIOHTTPTypes", "swift-nio-extras"),
                serving("NIOHTTPTypesHTTP1", "swift-nio-extras"),
                serving("NIOPosix", "swift-nio"),
            ],
            swiftSettings: servingSettings
        ),
        .testTarget(
            name: "LoginPagesTests",
            dependencies: [
                "LoginPages", "LoginHTTP", "LoginAccounts", "LimitedLogin", "LoginProviders", "LoginKeys",
                "LimitedLoginTesting", "LoginTesting", "LoginTokens", "LoginCrypto", "TestSupport",
                responding("HTTPTypes", "swift-http-types"),
                responding("InMemoryLogging", "swift-log"),
                responding("Logging", "swift-log"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "LoginClientTests",
            dependencies: ["LoginClient", "LoginClientURLSession", "TestSupport"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "LoginTestingTests",
            dependencies: [
                "LimitedLoginTesting", "LoginTesting", "LoginTestServers", "LimitedLogin", "LoginProviders",
                "LoginTokens", "LoginCrypto",
                "LoginText", "TestSupport",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "LoginServerTests",
            dependencies: [
                "LoginServer", "LoginPages", "LoginHTTP", "LoginHummingbird", "TweaksHummingbird", "Tweaks",
                "LoginAccounts", "LimitedLogin", "LoginProviders", "LoginKeys", "LoginTesting", "LoginTokens",
                "LoginCrypto", "LoginText", "TestSupport",
                serving("Configuration", "swift-configuration"),
                serving("Hummingbird", "hummingbird"),
                serving("HummingbirdTesting", "hummingbird"),
                serving("HTTPTypes", "swift-http-types"),
                serving("InMemoryLogging", "swift-log"),
                serving("Logging", "swift-log"),
                serving("Metrics", "swift-metrics"),
                serving("NIOCore", "swift-nio"),
                serving("NIOPosix", "swift-nio"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "VerifyTokenTests",
            dependencies: [
                "verify-token", "LoginAccounts", "LoginStorePostgreSQL", "LoginStoreSQLite", "LoginKeys", "LoginClient",
                "LoginProviders", "LimitedLoginTesting", "LoginTesting", "LoginTestServers", "LoginTokens",
                "TestSupport",
            ],
            swiftSettings: settings
        ),
    ]
)

// LIMITED_LOGIN_TESTS="LoginTokensTests …" limits the package to these test targets. `swift build --product
// limited-loginPackageTests` then compiles only them and their dependencies.
if let tests = Context.environment["LIMITED_LOGIN_TESTS"]?.split(separator: " ").map(String.init) {
    package.targets.removeAll { $0.isTest && !tests.contains($0.name) }
}
