// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
/// Names that somebody has written, and those that there are.
enum ConfigurationNames {
    /// What to say of a name that is none; nil where it is one.
    ///
    /// - Parameters:
    ///   - written: The name.
    ///   - tweaks: The IDs of tweaks that may be set; nil where they are not known yet.
    /// - Returns: What to say.
    static func fault(of written: String, tweaks: [String]? = nil) -> String? {
        let prefix = "tweaks."
        if written.hasPrefix(prefix), let tweaks {
            let id = String(written.dropFirst(prefix.count))
            if tweaks.contains(id) { return nil }
            return unknown(written, nearest: nearest(to: id, of: tweaks).map { prefix + $0 })
        }
        guard !ConfigurationKey.all.contains(where: { $0.matches(written) }) else { return nil }
        return unknown(written, nearest: nearestKey(to: written))
    }

    /// What to say of variables of the environment that look like keys and are none; nil where there are none such.
    static func fault(ofVariables variables: [String]) -> String? {
        let prefix = ConfigurationKey.variable("")
        for variable in variables.sorted() where variable.hasPrefix(prefix) && variable != prefix + "CONFIG" {
            let isKnown = ConfigurationKey.all.contains { key in
                let parts = key.name.split(separator: /<name>|<id>/, omittingEmptySubsequences: false).map(String.init)
                guard parts.count == 2 else { return variable == ConfigurationKey.variable(key.name) }
                let (begin, end) = (
                    ConfigurationKey.variable(parts[0]), ConfigurationKey.variable(parts[1]).dropFirst(prefix.count)
                )
                return variable.hasPrefix(begin) && variable.hasSuffix(end) && variable.count > begin.count + end.count
            }
            if !isKnown {
                return unknown(
                    variable,
                    nearest: nearest(to: variable, of: ConfigurationKey.all.map { ConfigurationKey.variable($0.name) })
                )
            }
        }
        return nil
    }

    /// What to say of the first name that is none of these; nil where all are.
    static func fault(of written: [String], among known: [String]) -> String? {
        written.first { !known.contains($0) }.map { unknown($0, nearest: nearest(to: $0, of: known)) }
    }

    private static func unknown(_ written: String, nearest: String?) -> String {
        let name = oneLine(written)
        return "there is no key \(name)" + (nearest.map { "; is it \($0)?" } ?? "")
    }

    /// The key that a name is probably meant for, with the parts that the writer has chosen.
    private static func nearestKey(to written: String) -> String? {
        let parts = written.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        let known = ConfigurationKey.all.map { key in
            let names = key.name.split(separator: ".").map(String.init)
            guard names.count == parts.count else { return key.name }
            return zip(names, parts).map { $0.hasPrefix("<") ? $1 : $0 }.joined(separator: ".")
        }
        return nearest(to: written, of: known)
    }

    /// The name that differs least, where it differs little.
    static func nearest(to written: String, of names: [String]) -> String? {
        // A stranger's megabyte is no misspelling.
        guard written.utf8.count <= 128 else { return nil }
        let best = names.map { (name: $0, distance: distance(written, $0)) }.min { $0.distance < $1.distance }
        guard let best, best.distance <= max(2, written.count / 3) else { return nil }
        return best.name
    }

    /// How many letters have to be added, left out or replaced (Levenshtein).
    private static func distance(_ first: String, _ second: String) -> Int {
        let (first, second) = (Array(first.utf8), Array(second.utf8))
        var row = Array(0...second.count)
        for (i, byte) in first.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, other) in second.enumerated() {
                let replaced = diagonal + (byte == other ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = min(replaced, row[j] + 1, row[j + 1] + 1)
            }
        }
        return row[second.count]
    }

    /// What somebody has written, as an error quotes it.
    private static func oneLine(_ text: String) -> String {
        printable(String(text.prefix(64)))
    }
}
#endif
