// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The keys whose private half a key set publishes.
///
/// An entry with a private member is known by its modulus or its coordinate `x`. Each of them determines the private
/// half, so a fault in another member of the entry, such as `kid`, `alg`, `e` or `y`, does not hide the leak. An entry
/// whose numbers are no other entry's, perhaps because they are misspelled, is also known by its ID. One with neither may be
/// any key's, and makes no other entry unusable: the reason why it is itself unusable says so.
struct LeakedKeys {
    private var numbers: Set<[UInt8]> = []
    private var keyIDs: Set<[UInt8]> = []

    /// Finds the keys.
    ///
    /// - Parameter entries: The entries of the key set, usable or not.
    init(in entries: [JSONValue]) {
        let readers = entries.map { JSONWebKeyReader($0, in: .document) }
        guard readers.contains(where: { $0.privateMember != nil }) else { return }
        let published = Set(readers.filter { $0.privateMember == nil }.flatMap(\.identifyingNumbers))
        for var reader in readers {
            guard let name = reader.privateMember else { continue }
            let found = reader.identifyingNumbers
            numbers.formUnion(found)
            // A symmetric key is no private half.
            guard name != "k", published.isDisjoint(with: found) else { continue }
            try? reader.readKeyID()
            if let keyID = reader.keyID { keyIDs.insert(Array(keyID.utf8)) }
        }
    }

    /// Checks that the private half of a key is not in the set.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - entry: The entry from which the key was read.
    /// - Throws: ``UnusableKey`` with the reason `private-key`.
    func check(_ key: JSONWebKey, from entry: JSONValue) throws(UnusableKey) {
        guard !numbers.isEmpty || !keyIDs.isEmpty else { return }
        guard numbers.isDisjoint(with: JSONWebKeyReader(entry, in: .document).identifyingNumbers) else {
            throw UnusableKey(.privateKey, "another entry of the set has its private members", keyID: key.keyID)
        }
        guard let keyID = key.keyID, keyIDs.contains(Array(keyID.utf8)) else { return }
        throw UnusableKey(
            .privateKey,
            "an entry of the set with this ID has the private members of an unknown key",
            keyID: keyID
        )
    }
}
