// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LimitedLogin
import LoginProviders
import LoginTesting
import LoginTokens
import TestSupport
import Testing

@testable import LoginAccounts

/// The rule for claims of earlier sign-ins that a new answer lacks, as a value.
@Suite(.rule("R-PDA-6")) struct ClaimMergeTests {
    private let facebook: SignInProvider

    init() throws {
        facebook = try .facebook(appID: "1", tracking: .limited)
    }

    private func identity(
        _ claims: String?,
        granted: Set<Permission>? = nil,
        declined: Set<Permission> = [],
        source: PermissionSource = .token,
        requesting requested: Set<Permission>? = nil
    ) throws -> VerifiedIdentity {
        VerifiedIdentity(
            providerID: .facebook,
            subject: "1",
            claims: try claims.map { try Claims(Array($0.utf8)) },
            permissions: granted.map { PermissionStatuses(granted: $0, declined: declined) },
            permissionSource: granted.map { _ in source },
            requestedPermissions: requested
        )
    }

    /// Returns the claims after a new answer to a login that had a name, an e-mail address and a home town.
    private func merged(
        _ new: VerifiedIdentity,
        permissions: PermissionStatuses? = nil,
        isComplete: Bool = false,
        at provider: SignInProvider? = nil
    ) throws -> String? {
        let stored = try identity(
            #"{"iat":1,"name":"Ada","middle_name":"\u00e9","email":"a@b.c","user_hometown":{"id":"1","name":"x"},"own":1}"#,
            granted: [.publicProfile, .email, .userHometown]
        )
        let merge = ClaimMerge(new, statuses: permissions, isComplete: isComplete, at: provider ?? facebook)
        return merge.merging(new, into: stored).claims.map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    @Test func `claims that the login did not request are kept`() throws {
        let new = try identity(#"{"iat":2,"user_gender":"x"}"#)
        let kept = #""name":"Ada","middle_name":"é","email":"a@b.c","user_hometown":{"id":"1","name":"x"}"#
        #expect(try merged(new) == #"{"iat":2,"user_gender":"x",\#(kept)}"#)
    }

    @Test func `the claims of a permission are replaced together`() throws {
        let new = try identity(#"{"iat":2,"name":"Augusta"}"#)
        let kept = #""email":"a@b.c","user_hometown":{"id":"1","name":"x"}"#
        #expect(try merged(new) == #"{"iat":2,"name":"Augusta",\#(kept)}"#)
    }

    @Test func `a requested claim that is missing is deleted`() throws {
        let new = try identity(#"{"iat":2}"#, requesting: [.userHometown])
        #expect(try merged(new) == #"{"iat":2,"name":"Ada","middle_name":"é","email":"a@b.c"}"#)
    }

    @Test func `the claims of declined and expired permissions are deleted`() throws {
        let new = try identity(#"{"iat":2}"#)
        let permissions = PermissionStatuses(granted: [], declined: [.email], expired: [.userHometown])
        #expect(try merged(new, permissions: permissions) == #"{"iat":2,"name":"Ada","middle_name":"é"}"#)
    }

    @Test func `if the provider reports all permissions, only claims of granted ones are kept`() throws {
        let new = try identity(#"{"iat":2}"#, granted: [.email], source: .provider)
        let permissions = PermissionStatuses(granted: [.email], declined: [])
        #expect(try merged(new, permissions: permissions, isComplete: true) == #"{"iat":2,"email":"a@b.c"}"#)
    }

    @Test func `an answer without claims leaves all that is still granted`() throws {
        let new = try identity(nil, granted: [.publicProfile], source: .provider)
        let permissions = PermissionStatuses(granted: [.publicProfile], declined: [])
        #expect(
            try merged(new, permissions: permissions, isComplete: true)
                == #"{"iat":1,"name":"Ada","middle_name":"é","own":1}"#
        )
    }

    @Test func `at a provider without permissions, a new answer replaces everything`() throws {
        let new = try identity(#"{"iat":2,"name":"Augusta"}"#)
        #expect(try merged(new, at: .google(clientID: "1")) == #"{"iat":2,"name":"Augusta"}"#)
    }

    @Test func `permissions of both answers are combined, and the later one decides`() throws {
        let stored = try identity("{}", granted: [.email, .userLink], declined: [.userGender])
        let new = try identity("{}", granted: [.userGender], declined: [.userLink], source: .callback)
        let merge = ClaimMerge(new, statuses: nil, isComplete: false, at: facebook)
        let merged = merge.merging(new, into: stored)
        #expect(merged.permissions == PermissionStatuses(granted: [.email, .userGender], declined: [.userLink]))
        // A part of them was only reported by the browser.
        #expect(merged.permissionSource == .callback)
        #expect(try merge.merging(identity("{}"), into: merged).permissionSource == .callback)
    }
}
