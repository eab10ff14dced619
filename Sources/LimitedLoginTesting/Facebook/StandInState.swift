// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
internal import LoginTesting
internal import LoginText
internal import LoginTokens

/// The state of a stand-in.
struct StandInState {
    /// An authorization code that was issued.
    struct Code {
        let personID: String
        let redirectURL: String
        let nonce: String?
        let scope: [String]
        let challenge: (value: String, method: String)?
        let issuedAt: Int
        var isUsed = false
    }

    /// An access token that was issued.
    struct AccessToken {
        let personID: String
        let appID: String
        let issuedAt: Int
        let expiresAt: Int?
        let dataAccessExpiresAt: Int
        /// The reason why the token is invalid, as the subcode of error 190; nil if it is valid.
        var subcode: Int?
    }

    var settings = StandInSettings()
    var requests: [StandInRequest] = []
    var faults: [(path: String?, count: Int, fault: StandInFault)] = []
    var codes: [String: Code] = [:]
    var accessTokens: [String: AccessToken] = [:]
    /// The permissions of each user, in the order in which they were first requested.
    var permissions: [String: [(name: String, status: String)]] = [:]
    /// The posts in each user's feed, the latest first.
    var posts: [String: [TestJSON]] = [:]

    /// Returns the fault for this request, if any, and decrements its count.
    mutating func takeFault(for path: String) -> StandInFault? {
        let index = faults.firstIndex { fault in fault.count > 0 && (fault.path.map(path.hasSuffix) ?? true) }
        guard let index else { return nil }
        faults[index].count -= 1
        return faults[index].fault
    }

    mutating func connect(_ personID: String, granted: [String], declined: [String]) {
        for name in granted { set("granted", for: name, of: personID) }
        for name in declined { set("declined", for: name, of: personID) }
    }

    mutating func set(_ status: String, for permission: String, of personID: String) {
        var list = permissions[personID] ?? []
        if let index = list.firstIndex(where: { $0.name == permission }) {
            list[index].status = status
        } else {
            list.append((permission, status))
        }
        permissions[personID] = list
    }

    mutating func disconnect(_ personID: String) {
        permissions[personID] = nil
        for (token, known) in accessTokens where known.personID == personID && known.subcode == nil {
            accessTokens[token]?.subcode = 458
        }
    }

    /// Returns the permissions that a user currently grants.
    func granted(by personID: String) -> [String] {
        (permissions[personID] ?? []).filter { $0.status == "granted" }.map(\.name)
    }

    /// Returns the permissions of a user with their statuses, as the Graph API lists them.
    func permissionList(of personID: String) -> [TestJSON] {
        (permissions[personID] ?? []).map { ["permission": .string($0.name), "status": .string($0.status)] }
    }

    /// Returns the friends of a user, as the Graph API lists them; none without the permission.
    func friends(of personID: String) -> [TestJSON] {
        granted(by: personID).contains("user_friends") ? settings.person.friends : []
    }

    /// Adds a post to a user's feed, and returns its ID.
    mutating func post(_ message: String, by personID: String) -> String {
        let id = "\(personID)_\((posts[personID]?.count ?? 0) + 1)"
        posts[personID, default: []].insert(["id": .string(id), "message": .string(message)], at: 0)
        return id
    }

    /// Creates an access token for a user; the default is the user of the dialog.
    mutating func addAccessToken(of personID: String? = nil, appID: String, now: Int) -> String {
        let token = "EAA" + Base64URL.encode(randomBytes(count: 48))
        accessTokens[token] = AccessToken(
            personID: personID ?? settings.person.id,
            appID: appID,
            issuedAt: now,
            expiresAt: settings.accessTokenLifetime.map { now + $0 },
            dataAccessExpiresAt: now + settings.dataAccessLifetime
        )
        return token
    }
}
