// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import Tweaks

/// The configuration reference of the documentation.
enum ConfigurationReference {
    /// Returns the text of docs/reference/configuration.md.
    static func text(of tweaks: TweakReport) -> String {
        ([Self.head] + ConfigurationKey.all.map(row) + [Self.tweaksHead] + tweaks.values.map(row))
            .joined(separator: "\n")
    }

    private static let head = """
        # Configuration of the service

        `verify-token serve` takes each value from the first source that sets it: flags (`--set KEY=VALUE`, and the options in \
        `verify-token serve --help`), the environment (`VERIFY_TOKEN_` and the key in upper case, with `_` for `.` and `-`), the YAML \
        file given by `--config`, and the default. An unknown key, a key of a provider, a policy or an API that no list contains, a key that \
        the kind of a provider does not have, and a key that the file sets twice are errors: the command exits with status 64 before \
        it does anything, and suggests the key that was probably meant. `--check` makes all checks of a start, but neither opens the store nor listens. It \
        says whether a start would create the store.

        A list is written in brackets in YAML, and separated by commas elsewhere. An empty text, list or element is an error: an unset \
        variable must not remove a restriction. The column *value* says how a list states all or none, if it can: `*` for all, `none` \
        for none, as the only element, and `[]` for none only in the file.

        Secrets are in separate files that only their owner can read (mode 0600 or 0400). Instead of a key that ends with `-file`, you \
        can use a systemd credential with the key's name without `-file` (`LoadCredential=provider.google.client-secret:/etc/...`). A \
        secret is one line; one line break at its end is ignored, and a blank at an end is an error. A replaced secret needs a restart: \
        the files are compared every 15 seconds, and at once on SIGHUP, and the log names the key of a file that has changed.

        The file is checked every 15 seconds, and at once on SIGHUP. A change counts when two readings, a second apart, agree. Changes \
        to keys that are marked with *yes* then take effect; for all others, the log reports that a restart is needed. An invalid file \
        is rejected as a whole, and so is one that lacks a key that needs a restart, or a tweak that had a value in it: it may be \
        incomplete. To reset a tweak without a restart, write its default value. If the file is rejected or missing, the previous \
        configuration stays in effect, and the log reports the error.

        This page is the output of `verify-token serve --print-configuration-reference`.

        | key | value | default | reloaded | description |
        |---|---|---|---|---|
        """

    private static let tweaksHead = """

        ## Tweaks

        Operators change tweaks on the admin page (`admin.listen`), for all instances that share a store; the audit records every change. \
        A value set by an operator takes precedence over the file (`tweaks: { tokens.times.leeway: 60 }`), and the file over the \
        default. A value outside its range is rejected, and a file with such a value is invalid. If the store contains one, the page \
        and the log report it, and the next source is used.

        | tweak | value | default | description |
        |---|---|---|---|
        """

    private static func row(_ key: ConfigurationKey) -> String {
        let defaultValue =
            key.defaultValue.isEmpty
            ? "–"
            : key.defaultValue.contains("`") || key.defaultValue.contains(" ")
                ? key.defaultValue : "`\(key.defaultValue)`"
        return
            "| `\(key.name)` | \(key.kind.words) | \(defaultValue) | \(key.isReloadable ? "yes" : "no") | \(key.description) |"
    }

    private static func row(_ tweak: TweakReport.Value) -> String {
        "| `\(tweak.id)` | \(tweak.words) | `\(tweak.defaultValue.text)` | \(tweak.description) |"
    }
}

extension ConfigurationKey.Kind {
    fileprivate var words: String {
        switch self {
        case .text(let what): what
        case .flag: "`true` or `false`"
        case .number(let range): "\(range.lowerBound) … \(range.upperBound)"
        case .choice(let words): words.map { "`\($0)`" }.joined(separator: ", ")
        case .list(let what, .nothing): "list: \(what); or `none`, `[]`"
        case .list(let what, let empty): "list: \(what)" + (empty.word.map { "; or `\($0)`" } ?? "")
        case .secretFile: "private file"
        }
    }
}

extension TweakReport.Value {
    fileprivate var words: String {
        switch constraint {
        case .any: "`true` or `false`"
        case .range(let range): "\(range.lower.text) … \(range.upper.text)" + (unit.map { " \($0)" } ?? "")
        case .choices(let choices): choices.map { "`\($0)`" }.joined(separator: ", ")
        case .text(let bytes): "text, at most \(bytes) bytes"
        }
    }
}
#endif
