// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTokens

/// A town with the ID and the name of its Facebook page.
public struct Location: Sendable, Hashable, Codable {
    /// The ID of the page.
    public let id: String
    /// The name, for example `Martinez, California`.
    public let name: String

    /// Creates a town.
    public init(id: String, name: String) {
        self.id = id
        self.name = name
    }

    init?(_ claim: JSONValue) {
        guard let id = claim["id"]?.string, let name = claim["name"]?.string, !id.isEmpty, !name.isEmpty else {
            return nil
        }
        self.init(id: id, name: name)
    }
}
