// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
internal import LoginText
internal import LoginTokens

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The content of a file of ``KeyDirectory``: one line of JSON with metadata, and the key set as it was fetched.
///
/// The key set is stored byte for byte as it was validated, not re-encoded as a part of the JSON. Its SHA-256 hash in
/// the first line detects incomplete files.
enum KeyDirectoryEntry {
    /// The maximum size of the first line, with its line break: 4 KiB, enough for an issuer and a URL.
    static let headBytes = 4 * 1024

    /// The maximum size of a file.
    static let bytes = headBytes + Limits.largestKeySetBytes

    private static let version = 1
    private static let lifetimes = 0...1 << 31

    /// Returns the file name of an issuer, from its SHA-256 hash.
    ///
    /// Issuers contain slashes, and letters that some file systems do not distinguish. A hash needs no escaping.
    static func fileName(of issuer: String) -> String {
        hexadecimal(Digest.sha256.hash(issuer.utf8)) + ".json"
    }

    /// Returns the content of a file with a key set.
    static func encode(_ kept: KeptKeySet) throws(KeyStoreError) -> [UInt8] {
        let fetchedAt = kept.fetchedAt.timeIntervalSince1970.rounded(.down)
        guard Limits.numericDate.contains(fetchedAt) else {
            throw KeyStoreError("the time of the fetch is outside the years 1970 to 9999")
        }
        guard kept.keySet.count <= Limits.largestKeySetBytes else {
            throw KeyStoreError("the key set has more than \(Limits.largestKeySetBytes) bytes")
        }
        let lifetime = kept.lifetime.map { min(max(0, Int(clamping: $0.components.seconds)), lifetimes.upperBound) }
        let line = JSONWriter.object {
            $0.add("fetched_at", json: String(Int(fetchedAt)).utf8)
            $0.add("issuer", kept.issuer)
            $0.add("key_set_sha256", hexadecimal(Digest.sha256.hash(kept.keySet)))
            if let lifetime { $0.add("lifetime", json: String(lifetime).utf8) }
            $0.add("url", kept.url)
            $0.add("version", json: String(version).utf8)
        }
        guard line.count < headBytes else { throw KeyStoreError("the issuer and the URL are too long to be stored") }
        return line + [UInt8(ascii: "\n")] + kept.keySet
    }

    /// Returns the key set in the content of a file.
    ///
    /// - Parameters:
    ///   - content: The content.
    ///   - issuer: The expected issuer.
    ///   - now: The current time, which the time of the fetch must not exceed.
    /// - Returns: The key set.
    /// - Throws: ``KeyStoreError`` if the content is not an output of ``encode(_:)``, is of another issuer, or is from
    ///   the future.
    static func decode(_ content: [UInt8], issuer: String, now: Date) throws(KeyStoreError) -> KeptKeySet {
        guard content.count <= bytes else { throw KeyStoreError("it has more than \(bytes) bytes") }
        guard let end = content.prefix(headBytes).firstIndex(of: UInt8(ascii: "\n")) else {
            throw KeyStoreError("its first line is incomplete")
        }
        let root: JSONValue
        do throws(JSONError) {
            root = try JSONDocument.read(
                Array(content[..<end]),
                limits: JSONLimits(bytes: headBytes, depth: 2, members: 16)
            ).root
        } catch {
            throw KeyStoreError("its first line is not strict JSON: \(error)")
        }
        guard root["version"]?.integer == version else { throw KeyStoreError("its format version is not \(version)") }
        guard let named = root["issuer"]?.string, let url = root["url"]?.string,
            let fetchedAt = root["fetched_at"]?.integer, Limits.numericDate.contains(Double(fetchedAt)),
            let digest = root["key_set_sha256"]?.string
        else { throw KeyStoreError("its first line has a missing or invalid member") }
        let lifetime = root["lifetime"]?.integer
        guard root["lifetime"] == nil || lifetime.map(lifetimes.contains) == true else {
            throw KeyStoreError("its lifetime is not a valid number of seconds")
        }
        guard isEqual(named, issuer) else {
            throw KeyStoreError("it contains the keys of \(quoted(named)), not of \(quoted(issuer))")
        }
        let date = Date(timeIntervalSince1970: Double(fetchedAt))
        guard date <= now else {
            throw KeyStoreError("its time is in the future: check the clock")
        }
        let keySet = Array(content[(end + 1)...])
        guard digest == hexadecimal(Digest.sha256.hash(keySet)) else {
            throw KeyStoreError("its key set is damaged: the digest does not match")
        }
        return KeptKeySet(
            issuer: issuer,
            url: url,
            fetchedAt: date,
            lifetime: lifetime.map { .seconds($0) },
            keySet: keySet
        )
    }
}
