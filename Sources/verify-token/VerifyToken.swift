// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import ArgumentParser
internal import Foundation
internal import LoginServer
internal import LoginText

/// The `verify-token` command.
@main
struct VerifyToken: ParsableCommand {
    static let version = "0.1.0"

    static let configuration = CommandConfiguration(
        commandName: "verify-token",
        abstract:
            "Verifies OpenID Connect ID tokens, in particular those of Facebook Limited Login, and access tokens, and reports why one is refused.",
        discussion: """
            Without a subcommand, the command is verify; "verify-token help verify" lists its options.

            Exit status: 0 verified, or all passed; 1 refused, or some failed; 2 undecided, or could not run: try again; 64 \
            usage error, or the file does not exist. A command that could not run writes the reason to standard error, also \
            with --format json.
            """,
        version: version,
        subcommands: verification + fetching + accounts + samples + service,
        defaultSubcommand: VerifyCommand.self
    )

    private static let verification: [any ParsableCommand.Type] = [
        VerifyCommand.self, AccessCommand.self, DPoPCommand.self, BatchCommand.self, InspectCommand.self,
        JWSCommand.self, KeysCommand.self, KeyCommand.self, SignedRequestCommand.self,
    ]

    #if HTTPClient
    private static let fetching: [any ParsableCommand.Type] = [DoctorCommand.self, LoginCommand.self]
    #else
    private static let fetching: [any ParsableCommand.Type] = []
    #endif

    private static let samples: [any ParsableCommand.Type] = [VectorsCommand.self, SampleCommand.self]

    #if SQLite || PostgreSQL
    private static let accounts: [any ParsableCommand.Type] = [AccountsCommand.self]
    #else
    private static let accounts: [any ParsableCommand.Type] = []
    #endif

    #if Hummingbird
    private static let service: [any ParsableCommand.Type] = [ServeCommand.self]
    #else
    private static let service: [any ParsableCommand.Type] = []
    #endif

    /// The commands that exist only in builds with certain package traits.
    private static let optionalCommands = ["accounts", "doctor", "login", "serve"]
}

extension VerifyToken {
    /// Parses the arguments and runs the command that they name.
    ///
    /// The parser's own `main` would print arguments unchanged, including whole tokens and line breaks. It would also
    /// accept the requests for a completion script and for the help as JSON, which exit with status 0, in any
    /// position, even as a value that an untrusted sender chose.
    static func main() async {
        var arguments = Array(CommandLine.arguments.dropFirst())
        if arguments == ["-V"] || arguments == ["version"] { arguments = ["--version"] }
        do {
            if let mistake = unknownCommand(in: arguments) { throw UsageMistake(text: mistake) }
            for request in ["--generate-completion-script", "--experimental-dump-help"]
            where arguments.dropFirst().contains(where: { $0.hasPrefix(request) }) {
                throw ValidationError("\(request) must be the first argument.")
            }
            let check = UsageCheck(arguments)
            if let mistake = check.optionWithoutValue { throw UsageMistake(text: check.text(mistake)) }
            try await run(parsed(arguments), check: check)
        } catch let mistake as UsageMistake {
            fail(mistake.text, arguments: arguments)
        } catch {
            guard exitCode(for: error) == .validationFailure, !(error is ExitCode) else { end(error) }
            fail(message(about: error, arguments: arguments), arguments: arguments)
        }
    }

    private static func run(_ command: any ParsableCommand, check: UsageCheck) async throws {
        var command = command
        // Run synchronously, such a command would show its help and exit with status 0, as for a verified token.
        precondition(!(command is any AsyncParsableCommand), "an asynchronous command must be a WaitingCommand")
        do {
            if var command = command as? any WaitingCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch let error as ValidationError {
            // For an error of a running command, the parser would show the usage of the root command.
            throw UsageMistake(text: check.text(error.message))
        }
    }

    /// Returns the message about a mistake that the parser or a command's validation found.
    private static func message(about error: any Error, arguments: [String]) -> String {
        if let message = unknownFirstWord(of: arguments) { return message }
        let check = UsageCheck(arguments)
        return check.unknownWord.map(check.text) ?? fullMessage(for: error)
    }

    private static func fail(_ message: String, arguments: [String]) -> Never {
        FileHandle.warn(shown(message, arguments: arguments))
        exit(withError: ExitCode.validationFailure)
    }

    /// Returns the command that the arguments name, with its options.
    ///
    /// Starting at the root, the parser lists the default subcommand's options five times before it parses them,
    /// which takes longer than a verification. So the command named first parses the arguments after its name, with
    /// the same result. If that fails, or the help is requested, the root command parses again to report it.
    private static func parsed(_ arguments: [String]) throws -> any ParsableCommand {
        let named = configuration.subcommands.first { $0.configuration.commandName == arguments.first }
        // For a help request, the parser returns a command of another type.
        if let named, let command = try? named.parseAsRoot(Array(arguments.dropFirst())), type(of: command) == named {
            return command
        }
        return try parseAsRoot(arguments)
    }

    /// Prints the help or the version that was requested, and exits.
    private static func end(_ error: any Error) -> Never {
        let status = exitCode(for: error)
        guard status == .success else { exit(withError: error) }
        do {
            try show(fullMessage(for: error))
        } catch {
            exit(withError: error)
        }
        exit(withError: status)
    }

    /// Returns the message about a command that does not exist or is not in this build; nil otherwise.
    ///
    /// The parser would show the help of another command and exit with status 0.
    private static func unknownCommand(in arguments: [String]) -> String? {
        guard arguments.first == "help" else {
            guard let word = arguments.first, arguments.count > 1 else { return nil }
            guard optionalCommands.contains(word), subcommand(word) == nil else { return nil }
            return FileManager.default.fileExists(atPath: word) ? nil : notInThisBuild(word)
        }
        var command: any ParsableCommand.Type = Self.self
        for word in arguments.dropFirst() where !word.hasPrefix("-") && word != "help" {
            guard let named = command.subcommand(word) else {
                if command == Self.self, optionalCommands.contains(word) { return notInThisBuild(word) }
                let names = command.configuration.subcommands.compactMap { $0.configuration.commandName }
                return "Error: unknown command \(ShownArgument(word))."
                    + (names.isEmpty ? "" : "\nThe commands are \(names.joined(separator: ", ")).")
            }
            command = named
        }
        return nil
    }

    private static func notInThisBuild(_ command: String) -> String {
        "Error: \(command) is not in this build; \"make install\" builds a verify-token that has it."
    }

    /// Returns the message about a first word that is neither a command nor a file; nil if it is one of them.
    ///
    /// The parser would take the word for the token's file, and report missing options of `verify`.
    private static func unknownFirstWord(of arguments: [String]) -> String? {
        guard let word = arguments.first, !word.hasPrefix("-") else { return nil }
        guard subcommand(word) == nil, word != "help", !FileManager.default.fileExists(atPath: word) else { return nil }
        guard !optionalCommands.contains(word) else { return notInThisBuild(word) }
        guard !ShownArgument(word).isWithheld else {
            return "Error: the first argument looks like a token. \(ShownArgument.advice), or - for standard input."
        }
        let commands = configuration.subcommands.compactMap { $0.configuration.commandName }
        return """
            Error: "\(word)" is neither a command nor a file.
            The commands are \(commands.joined(separator: ", ")). See 'verify-token --help' for more information.
            """
    }

    /// Requires that no option is missing.
    ///
    /// - Parameter missing: A description of each missing option.
    /// - Throws: `ValidationError` that lists them.
    static func require(nothing missing: [String]) throws(ValidationError) {
        guard !missing.isEmpty else { return }
        throw ValidationError((["Missing:"] + missing.map { "  " + $0 }).joined(separator: "\n"))
    }

    /// Requires values that a token can match: a variable of the caller may be unset, or have a stray space.
    ///
    /// - Parameter options: The names of options with their values.
    /// - Throws: `ValidationError` that names the first option with an empty value, or a space at an end of one.
    static func requireValues(of options: KeyValuePairs<String, [String]>) throws(ValidationError) {
        for (name, values) in options {
            guard !values.contains("") else { throw ValidationError("The value of \(name) is empty.") }
            guard !values.contains(where: \.hasBlankEnd) else {
                throw ValidationError("The value of \(name) begins or ends with a space.")
            }
        }
    }

    /// Returns the parser's message with the quoted arguments shortened and printable, and without any token.
    private static func shown(_ message: String, arguments: [String]) -> String {
        let values = arguments.flatMap { argument in
            [argument] + argument.split(separator: "=", maxSplits: 1).dropFirst().map(String.init)
        }
        let replaced = values.sorted { $0.count > $1.count }.reduce(message) { message, value in
            if ShownArgument(value).isWithheld { return message.replacing(value, with: ShownArgument.placeholder) }
            guard value.count > 64 || printable(value) != value else { return message }
            return message.replacing(value, with: printable(String(value.prefix(16))) + "...")
        }
        return escaping(replaced, where: { $0 != "\n" && isObeyedByTerminals($0) }) { _ in "?" }
    }
}

/// A command that may wait for keys or for a store.
///
/// Unlike the parser's `AsyncParsableCommand`, it starts on the calling thread. If nothing has to be fetched, no
/// other thread is started.
protocol WaitingCommand: ParsableCommand {
    /// Runs the command.
    mutating func run() async throws
}

/// A usage error, with the whole text to print.
private struct UsageMistake: Error {
    let text: String
}

/// The exit statuses of the command.
extension ExitCode {
    /// The token was refused, some vectors failed, or tokens of an issuer would be refused.
    static let refused = ExitCode(1)
    /// The result is unknown: there are no keys, or a file could not be read or written.
    ///
    /// A missing file, or an existing one that was to be created, is a usage error instead, because a retry would not
    /// help.
    static let undecided = ExitCode(2)
}

/// The format of a report.
enum ReportFormat: String, ExpressibleByArgument, CaseIterable {
    case text, json
}
#else
internal import Foundation

/// The program that replaces the command in builds without the trait `CommandLine`.
@main
struct VerifyToken {
    static func main() {
        // Nothing was verified, so the status must not be 0.
        try? FileHandle.standardError.write(
            contentsOf: Data("this build has no verify-token; build with the trait CommandLine\n".utf8)
        )
        exit(2)
    }
}
#endif
