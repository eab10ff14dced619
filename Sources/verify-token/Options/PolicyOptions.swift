// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import ArgumentParser
internal import Foundation
internal import LoginTesting
internal import LoginTokens

/// What the token must say.
struct PolicyOptions: ParsableArguments {
    enum ProviderName: String, ExpressibleByArgument, CaseIterable {
        case facebook

        var provider: Provider {
            switch self {
            case .facebook: .facebook
            }
        }
    }

    @Option(help: "Whose token it must be: facebook.")
    var provider: ProviderName?

    @Option(help: ArgumentHelp("Whose token it must be, by its issuer, compared byte for byte.", valueName: "url"))
    var issuer: String?

    @Option(
        name: [.customLong("audience"), .customLong("app-id")],
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "For whom it must be: your client ID, with Facebook your app ID. Repeatable.",
            valueName: "id"
        )
    )
    var audiences: [String] = []

    @Option(
        name: .customLong("algorithm"),
        help: ArgumentHelp("An algorithm to accept. Repeatable. (default: RS256)", valueName: "name"),
        transform: Self.algorithm
    )
    var algorithms: [SignatureAlgorithm] = []

    @Option(help: ArgumentHelp("How far clocks may disagree, 0 … 300.", valueName: "seconds"))
    var leeway = 30

    @Option(
        help: ArgumentHelp(
            "How long ago the token may have been issued. LimitedLoginVerifier takes 600 unless told otherwise.",
            valueName: "seconds"
        )
    )
    var maxAge: Int?

    @Option(help: ArgumentHelp("The time to take for now: seconds since 1970, or ISO 8601.", valueName: "time"))
    var at: String?

    func validate() throws {
        guard (provider == nil) != (issuer == nil) else {
            throw ValidationError("Give exactly one of --provider and --issuer.")
        }
        guard !audiences.isEmpty, !audiences.contains("") else {
            throw ValidationError("Give --audience, or --app-id, and no empty one.")
        }
        guard (0...300).contains(leeway) else {
            throw ValidationError("--leeway: \(leeway) s is not within 0 … 300 s.")
        }
        if let maxAge, maxAge <= 0 { throw ValidationError("--max-age: \(maxAge) s is not more than 0 s.") }
        do {
            _ = try tokenPolicy()
            _ = try clock()
        } catch {
            throw ValidationError("\(error)")
        }
    }

    func tokenPolicy() throws -> TokenPolicy {
        try TokenPolicy(
            provider: provider?.provider ?? .openID(issuers: [issuer ?? ""]),
            audiences: audiences,
            algorithms: algorithms.isEmpty ? [.rs256] : Set(algorithms),
            leeway: .seconds(leeway),
            maximumAge: maxAge.map { .seconds($0) }
        )
    }

    private static func algorithm(_ name: String) throws -> SignatureAlgorithm {
        guard let algorithm = SignatureAlgorithm(rawValue: name) else {
            let known = SignatureAlgorithm.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("\(quoted(name)) is not one of \(known)")
        }
        return algorithm
    }

    /// The machine's clock, or one that stands still at the time given.
    func clock() throws -> any WallClock {
        guard let at else { return .system }
        let isSeconds = at.allSatisfy { ("0"..."9").contains($0) || $0 == "." }
        let seconds = isSeconds ? Double(at) : nil
        let date = seconds.map(Date.init(timeIntervalSince1970:)) ?? (try? Date(at, strategy: .iso8601))
        // The parser takes the 31st of February for a day in March.
        guard let date, isSeconds || date.formatted(.iso8601) == at,
            Limits.numericDate.contains(date.timeIntervalSince1970)
        else {
            throw ValidationError(
                "--at: \(quoted(at)) is neither seconds since 1970 nor ISO 8601 like 2025-10-09T08:53:20Z, up to the year 9999"
            )
        }
        return ManualClock(date)
    }
}
#endif
