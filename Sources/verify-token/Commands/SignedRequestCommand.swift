// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import ArgumentParser
internal import Foundation
internal import LimitedLogin
internal import LoginServer
internal import LoginTokens

/// A command that verifies a signed request that Facebook posts to a callback.
struct SignedRequestCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "signed-request",
        abstract: "Verify a signed request that Facebook posts to a callback: deauthorization or data deletion.",
        usage: """
            verify-token signed-request [<file>] --app-id <id>
                --app-secret-file <file> [<options>]
            """,
        discussion: """
            The file contains the value of the field signed_request, or the complete form body. The app secret is read from a \
            file, so that it appears neither in the process list nor in the shell history.
            """
    )

    @OptionGroup var input: SignedRequestInput

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The ID of your app.", valueName: "id")
    )
    var appID: String?

    @Option(
        help: ArgumentHelp("A file with the app secret; one line break at the end is ignored.", valueName: "file"),
        completion: .file()
    )
    var appSecretFile: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The maximum age of the signed request.", valueName: "seconds")
    )
    var maxAge = 3600

    @OptionGroup var time: TimeOptions

    @Flag(help: "Show all checks, not only the failed one.")
    var explain = false

    @Flag(help: "Show the values of members. Without it, members are listed by name and type.")
    var showClaims = false

    @Option(help: "The format of the report.")
    var format = ReportFormat.text

    func validate() throws {
        try VerifyToken.require(
            nothing: (appID == nil ? ["--app-id <id>: the ID of your app"] : [])
                + (appSecretFile == nil ? ["--app-secret-file <file>: the app secret"] : [])
        )
        if appSecretFile == "-" {
            throw ValidationError("--app-secret-file must be a file; standard input is for the signed request.")
        }
        if maxAge <= 0 { throw ValidationError("--max-age: \(maxAge) s is not positive.") }
        do {
            _ = try FacebookApp(id: appID ?? "")
        } catch {
            throw ValidationError("--app-id: \(error).")
        }
    }

    func run() throws {
        let app: FacebookApp
        do {
            app = try FacebookApp(id: appID ?? "", secret: readSecret(appSecretFile ?? ""))
        } catch {
            FileHandle.warn("\(error)")
            throw (error as? FileProblem)?.status ?? .undecided
        }
        var notes: [String] = []
        let text = try input.read(notes: &notes, limit: SignedRequest.maximumFormBytes)
        let report = report(on: text, app, clock: try time.clock())
        switch format {
        case .text: try show(report.text(explains: explain, notes: notes, palette: .forOutput))
        case .json: try show(encodedJSON(report, pretty: false))
        }
        if case .failure = report.verdict { throw ExitCode.refused }
    }

    private func report(on text: String, _ app: FacebookApp, clock: any WallClock) -> SignedRequestReport {
        var checks: [CheckReport] = []
        let verdict = Result { () throws(SignedRequestRefusal) in
            try SignedRequest(
                verifying: isForm(text) ? SignedRequest.field(inFormBody: text.utf8) : text,
                app: app,
                maximumAge: .seconds(maxAge),
                clock: clock,
                explain: { checks.append($0) }
            )
        }
        return SignedRequestReport(
            verdict: verdict,
            app: app.id,
            checks: checks,
            showsClaims: showClaims,
            time: clock.now
        )
    }

    /// Returns whether the text is a form body.
    ///
    /// A form body has a name, an equals sign and a value before any dot. In a signed request, that part is the
    /// signature, which has equals signs at most as padding.
    private func isForm(_ text: String) -> Bool {
        let afterName = text.prefix { $0 != "." }.drop { $0 != "=" }.dropFirst()
        return afterName.first.map { $0 != "=" } ?? false
    }
}
#endif
