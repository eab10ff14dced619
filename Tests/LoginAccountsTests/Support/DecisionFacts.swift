// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginProviders

@testable import LoginAccounts

extension SessionRecord {
    /// A session for tests of decisions, which need no store.
    static var test: Self {
        let time = StoreTime(milliseconds: 0)
        return Self(
            id: SessionID(rawValue: "session"),
            accountID: AccountID(rawValue: "account"),
            familyID: "device",
            state: SessionState.open.rawValue,
            level: 1,
            methods: [],
            levelAt: time,
            generation: 0,
            tokenHash: [],
            rotatedAt: time,
            epoch: 0,
            createdAt: time,
            authenticatedAt: time,
            lastSeenAt: time,
            idleExpiresAt: time,
            expiresAt: time
        )
    }
}

extension IdentityRecord {
    /// Returns an identity for tests of decisions.
    static func test(
        _ provider: ProviderID,
        _ subject: String = "subject",
        email: String? = nil,
        isProven: Bool = false
    )
        -> Self
    {
        Self(
            id: "\(provider.rawValue) \(subject)",
            accountID: AccountID(rawValue: "account"),
            providerID: provider,
            subject: subject,
            email: email,
            emailVerified: isProven,
            linkedAt: StoreTime(milliseconds: 0),
            lastSignInAt: StoreTime(milliseconds: 0)
        )
    }
}

extension VerifiedCredential {
    /// Returns a credential for tests of decisions.
    static func test(
        _ provider: ProviderID = .google,
        email: String? = "ada@example.com",
        isProven: Bool = true,
        isPrivate: Bool = false
    ) -> Self {
        Self(
            providerID: provider,
            subject: "subject",
            email: email,
            isEmailVerified: isProven,
            isEmailPrivate: isPrivate,
            method: federated,
            begunAt: StoreTime(milliseconds: 0)
        )
    }
}
