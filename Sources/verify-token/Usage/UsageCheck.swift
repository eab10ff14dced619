// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import ArgumentParser
internal import Foundation
internal import LoginServer

/// A check of the arguments for mistakes that the parser reports late or not at all.
///
/// The parser validates the known options first, so it would report a misspelled option only after all missing ones.
/// In addition, if a shell removes an unset variable, an option whose value may begin with a hyphen takes the next
/// option as its value.
struct UsageCheck {
    /// The command that the arguments name.
    let command: any ParsableCommand.Type
    /// The command with its parents, for example `verify-token accounts show`.
    let path: String

    private let words: [String]

    /// Creates a check.
    ///
    /// - Parameter arguments: The arguments of the call.
    init(_ arguments: [String]) {
        var (command, path) = (VerifyToken.self as any ParsableCommand.Type, ["verify-token"])
        var words = arguments[...]
        while let word = words.first, let named = command.subcommand(word) {
            (command, path, words) = (named, path + [word], words.dropFirst())
        }
        if command == VerifyToken.self {
            (command, path) = (VerifyCommand.self, path + ["verify"])
        }
        self.command = command
        self.path = path.joined(separator: " ")
        self.words = Array(words)
    }

    /// The options that take any word as their value, even one that begins with a hyphen.
    static let takingAnyWord: Set = [
        "--acr", "--app-id", "--audience", "--authorized-party", "--client", "--hosted-domain", "--key-id", "--leeway",
        "--max-age", "--max-auth-age", "--max-header-bytes", "--max-keys", "--max-token-bytes", "--nonce",
        "--nonce-sha256", "--nonce-unchecked", "--proof-leeway", "--proof-max-age", "--scope", "--tenant", "--token",
        "--trusted-audience",
    ]

    /// The message about an option that would take another option as its value; nil if there is none.
    ///
    /// The command's options are listed only if a word in the place of a value looks like an option. Listing them
    /// takes longer than a verification.
    var optionWithoutValue: String? {
        let pairs = zip(words, words.dropFirst()).filter { Self.takingAnyWord.contains($0) && $1.hasPrefix("--") }
        guard !pairs.isEmpty, let options else { return nil }
        for case .option(let name, let value?) in items(options) where options[Self.name(of: value)] != nil {
            return """
                \(name) has no value: the next argument, \(Self.name(of: value)), is an option. A variable may be unset. If the \
                argument is the value, write \(name)=\(Self.name(of: value)).
                """
        }
        return nil
    }

    /// The message about an unknown option, or about a token that the command does not take; nil if there is none.
    var unknownWord: String? {
        guard let options else { return nil }
        for item in items(options) {
            switch item {
            case .unknown(let name):
                let nearest = options.keys.filter { $0.hasPrefix("--") }
                    .map { (name: $0, distance: Self.distance(Array(name.utf8), Array($0.utf8))) }
                    .min { ($0.distance, $0.name) < ($1.distance, $1.name) }
                let meant = nearest.flatMap { $0.distance <= 2 ? "; did you mean \($0.name)?" : nil } ?? "."
                return
                    "\(path) has no option \(ShownArgument(name).isWithheld ? ShownArgument.placeholder : name)\(meant)"
            case .argument(let text) where ShownArgument(text).hasToken && !takesFile:
                return "an argument looks like a token, but \(path) takes no token."
            default:
                continue
            }
        }
        return nil
    }

    /// Returns a message as it is printed, with the usage of the command.
    func text(_ message: String) -> String {
        let usage = VerifyToken.usageString(for: command).replacing("\n", with: "\n       ")
        return "Error: \(message)\nUsage: \(usage)\n  See '\(path) --help' for more information."
    }
}

// MARK: Words

extension UsageCheck {
    private enum Item {
        case option(String, value: String?)
        case argument(String)
        case unknown(String)
    }

    /// Whether the command takes a token from a file.
    private var takesFile: Bool {
        [
            VerifyCommand.self, AccessCommand.self, CheckProofCommand.self, BatchCommand.self, InspectCommand.self,
            JWSCommand.self, SignedRequestCommand.self,
        ].contains { $0 == command }
    }

    private func items(_ options: [String: Bool]) -> [Item] {
        var items: [Item] = []
        var rest = words[...]
        while let word = rest.popFirst() {
            if word == "--" { return items + rest.map(Item.argument) }
            guard word.hasPrefix("-"), word != "-" else {
                items.append(.argument(word))
                continue
            }
            let name = Self.name(of: word)
            switch options[name] {
            case nil: items.append(.unknown(name))
            case true? where name == word: items.append(.option(name, value: rest.popFirst()))
            default: items.append(.option(name, value: nil))
            }
        }
        return items
    }

    private static func name(of word: String) -> String { String(word.prefix { $0 != "=" }) }

    /// The options of the command, and whether each takes a value; nil if the parser does not list them.
    private var options: [String: Bool]? {
        guard let dump = try? JSONDecoder().decode(HelpDump.self, from: Data(command._dumpHelp().utf8)) else {
            return nil
        }
        var options = ["--help": false, "-h": false, "--version": false]
        for argument in dump.command.arguments ?? [] {
            for name in argument.names ?? [] {
                options[(name.kind == "long" ? "--" : "-") + name.name] = argument.kind == "option"
            }
        }
        return options
    }

    /// Returns the edit distance of two words: the number of single-character changes between them.
    private static func distance(_ first: [UInt8], _ second: [UInt8]) -> Int {
        var row = Array(0...second.count)
        for (index, byte) in first.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in second.indices {
                let replaced = diagonal + (byte == second[column] ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(replaced, diagonal + 1, row[column] + 1)
            }
        }
        return row[second.count]
    }
}

/// The options of a command in the parser's machine-readable help.
private struct HelpDump: Decodable {
    struct Command: Decodable { let arguments: [Argument]? }
    struct Argument: Decodable {
        let kind: String
        let names: [Name]?
    }
    struct Name: Decodable { let kind, name: String }

    let command: Command
}

extension ParsableCommand {
    /// Returns the subcommand of this name.
    static func subcommand(_ name: String) -> (any ParsableCommand.Type)? {
        configuration.subcommands.first { $0.configuration.commandName == name }
    }
}
#endif
