// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
/// The check of names in a configuration against the known keys.
enum ConfigurationNames {
    /// Returns the error message for an unknown name; nil if the name is known.
    ///
    /// - Parameters:
    ///   - written: The name.
    ///   - tweaks: The IDs of the tweaks; nil if they are not known yet.
    /// - Returns: The error message, or nil.
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

    /// Returns the error message for the first environment variable that has the prefix but names no key; nil if there
    /// is none.
    static func fault(ofVariables variables: [String]) -> String? {
        let prefix = ConfigurationKey.variable("")
        for variable in variables.sorted() where variable.hasPrefix(prefix) && variable != prefix + "CONFIG" {
            if !ConfigurationKey.all.contains(where: { $0.matches(variable: variable) }) {
                return unknown(
                    variable,
                    nearest: nearest(to: variable, of: ConfigurationKey.all.map { ConfigurationKey.variable($0.name) })
                )
            }
        }
        return nil
    }

    /// Returns the error message for the first name that is not among the known ones; nil if all are.
    static func fault(of written: [String], among known: [String]) -> String? {
        written.first { !known.contains($0) }.map { unknown($0, nearest: nearest(to: $0, of: known)) }
    }

    private static func unknown(_ written: String, nearest: String?) -> String {
        let name = oneLine(written)
        return "unknown key \(name)" + (nearest.map { "; did you mean \($0)?" } ?? "")
    }

    /// Returns the key that was probably meant, with its placeholders filled from the name.
    private static func nearestKey(to written: String) -> String? {
        let parts = written.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        let known = ConfigurationKey.all.map { key in
            let names = key.name.split(separator: ".").map(String.init)
            guard names.count == parts.count else { return key.name }
            return zip(names, parts).map { $0.hasPrefix("<") ? $1 : $0 }.joined(separator: ".")
        }
        return nearest(to: written, of: known)
    }

    /// Returns the most similar name; nil if none is similar enough.
    static func nearest(to written: String, of names: [String]) -> String? {
        // A longer name is not a typing error, and is slow to compare.
        guard written.utf8.count <= 128 else { return nil }
        let best = names.map { (name: $0, distance: distance(written, $0)) }.min { $0.distance < $1.distance }
        guard let best, best.distance <= max(2, written.count / 3) else { return nil }
        return best.name
    }

    /// Returns the Levenshtein distance in bytes.
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

    /// Returns a name from the configuration as error messages quote it.
    private static func oneLine(_ text: String) -> String {
        printable(String(text.prefix(64)))
    }
}
#endif
