// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import LoginHummingbird

/// The configuration reference of the documentation.
enum ConfigurationReference {
    /// Returns the text of docs/reference/configuration.md.
    static func text(of tweaks: TweakReport) -> String {
        ([Self.head] + ConfigurationKey.all.map(row) + [Self.tweaksHead] + tweaks.values.map(row))
            .joined(separator: "\n")
    }

    private static let head = """
        # Configuration of the service

        `verify-token serve` takes each value from the first of these that says it: flags (`--set KEY=VALUE`, and those that \
        `verify-token serve --help` lists), the environment (`VERIFY_TOKEN_` and the key in capitals, with `_` for `.` and `-`), the \
        YAML file that `--config` names, and the default. A key that does not exist, that is of a provider or a policy which no list \
        names, or that stands in the file twice, ends the command with 64 before it does anything; it says what was probably meant. \
        `--check` does all that a start does before it opens the store and listens, and starts nothing.

        Secrets stand in files of their own, which nobody but their owner may read (mode 0600 or 0400). In the place of a key that ends \
        with `-file`, a credential of systemd with the key's name without `-file` will do \
        (`LoadCredential=provider.google.client-secret:/etc/...`).

        The file is looked at every 15 seconds, and at once on SIGHUP. What is marked with *yes* counts then; for all else the log says \
        that a restart is needed. A file that is wrong is refused as a whole, and what was read before counts on, as it does where the \
        file is gone; the log says so.

        This page is printed by `verify-token serve --print-configuration-reference`.

        | key | takes | where nobody says | reloaded | what it is for |
        |---|---|---|---|---|
        """

    private static let tweaksHead = """

        ## Tweaks

        An operator changes these on the page of `admin.listen`, for all servers of one store; who has changed what is in the audit. \
        What an operator has set counts before the file (`tweaks: { tokens.times.leeway: 60 }`), and the file before the default. A value \
        out of its range is refused; where it was kept or stands in the file it is told of, and what lies beneath it counts.

        | tweak | takes | where nobody says | what it does |
        |---|---|---|---|
        """

    private static func row(_ key: ConfigurationKey) -> String {
        let standard =
            key.standard.isEmpty
            ? "–"
            : key.standard.contains("`") || key.standard.contains(" ")
                ? key.standard : "`\(key.standard)`"
        return
            "| `\(key.name)` | \(key.kind.words) | \(standard) | \(key.isReloadable ? "yes" : "no") | \(key.description) |"
    }

    private static func row(_ tweak: TweakReport.Value) -> String {
        "| `\(tweak.id)` | \(tweak.words) | `\(tweak.standard.text)` | \(tweak.description) |"
    }
}

extension ConfigurationKey.Kind {
    fileprivate var words: String {
        switch self {
        case .text(let what): what
        case .flag: "`true` or `false`"
        case .number(let range): "\(range.lowerBound) … \(range.upperBound)"
        case .choice(let words): words.map { "`\($0)`" }.joined(separator: ", ")
        case .list(let what): "list: \(what)"
        case .secretFile: "file, private"
        }
    }
}

extension TweakReport.Value {
    fileprivate var words: String {
        switch constraint {
        case .any: "`true` or `false`"
        case .range(let range): "\(range.lower.text) … \(range.upper.text)" + (unit.map { " \($0)" } ?? "")
        case .choices(let choices): choices.map { "`\($0)`" }.joined(separator: ", ")
        case .text(let bytes): "text, \(bytes) bytes at most"
        }
    }
}
#endif
