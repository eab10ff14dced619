// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
internal import LoginText
internal import LoginTokens

/// What a stand-in remembers.
struct StandInState {
    /// A code that the dialog gave out.
    struct Code {
        let personID: String
        let redirectURL: String
        let nonce: String?
        let scope: [String]
        let challenge: (value: String, method: String)?
        let issuedAt: Int
        var isUsed = false
    }

    /// An access token that was given out.
    struct AccessToken {
        let personID: String
        let appID: String
        let issuedAt: Int
        let expiresAt: Int?
        let dataAccessExpiresAt: Int
        /// Why it is good no more, by the subcode of error 190.
        var subcode: Int?
    }

    var settings = StandInSettings()
    var requests: [StandInRequest] = []
    var faults: [(path: String?, count: Int, fault: StandInFault)] = []
    var codes: [String: Code] = [:]
    var accessTokens: [String: AccessToken] = [:]
    /// Each person's permissions, in the order in which they were first asked for.
    var permissions: [String: [(name: String, status: String)]] = [:]
    /// Who ended the connection with the app.
    var disconnected: Set<String> = []

    /// The fault that strikes this request, which is then spent.
    mutating func takeFault(for path: String) -> StandInFault? {
        let index = faults.firstIndex { fault in fault.count > 0 && (fault.path.map(path.hasSuffix) ?? true) }
        guard let index else { return nil }
        faults[index].count -= 1
        return faults[index].fault
    }

    mutating func connect(_ personID: String, granted: [String], declined: [String]) {
        disconnected.remove(personID)
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
        disconnected.insert(personID)
        permissions[personID] = nil
        for (token, known) in accessTokens where known.personID == personID && known.subcode == nil {
            accessTokens[token]?.subcode = 458
        }
    }

    /// What a person grants now.
    func granted(by personID: String) -> [String] {
        (permissions[personID] ?? []).filter { $0.status == "granted" }.map(\.name)
    }

    /// A new access token of the person before the dialog.
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
