// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Foundation
import LoginAccounts
import LoginProviders
import LoginTesting

/// A check that a store holds everything that a journal lists as acknowledged.
///
/// An operation that was begun and not acknowledged may have happened or not, so it is not checked.
struct JournalCheck: Sendable {
    private let place: Workplace

    /// The account of each identity after the last acknowledged operation; nil for none, and no entry where it is
    /// unknown.
    private var owners: [Identity: String?] = [:]

    /// The target of each merged account.
    private var merged: [String: String] = [:]

    /// The last refresh token of each account's first session, unless a later operation may have replaced it.
    private var tokens: [String: String] = [:]

    /// Recovery codes that were used, with an identity of their account.
    private var usedCodes: [(code: String, identity: Identity)] = []

    private struct Identity: Hashable {
        let provider: String
        let subject: String
    }

    init(_ place: Workplace, _ entries: [JournalEntry]) {
        self.place = place
        for entry in entries { read(entry) }
    }

    private mutating func read(_ entry: JournalEntry) {
        let values = entry.values
        let account = values["account"]
        let identity = Identity(provider: values["provider"] ?? "", subject: values["subject"] ?? "")
        switch (entry.work, entry.isDone) {
        case (.refresh, false):
            // The previous token stays valid until the next one is presented.
            break
        case (.refresh, true):
            if let account { tokens[account] = values["token"] }
        case (.recover, false):
            if let account { tokens[account] = nil }
        case (.recover, true):
            if let code = values["code"] { usedCodes.append((code, identity)) }
        case (_, false):
            owners[identity] = nil
            if let account { tokens[account] = nil }
            if let source = values["source"] { tokens[source] = nil }
        case (.create, true), (.link, true):
            owners[identity] = .some(account)
            // Sessions of earlier sign-ins stay open, but only the last one is checked.
            if entry.work == .link, let account { tokens[account] = values["token"] }
        case (.unlink, true):
            owners[identity] = .some(nil)
        case (.merge, true):
            owners[identity] = .some(account)
            if let source = values["source"] { merged[source] = account }
        }
    }

    /// Returns the missing changes and the violated invariants.
    func problems() async throws -> [String] {
        var problems = try await AccountInvariants.violations(in: place.store)
        for (identity, owner) in owners {
            let found = try await account(identity)
            if found != owner {
                problems.append(
                    "\(identity.provider) \(identity.subject) is \(found ?? "nobody")'s, not \(owner ?? "nobody")'s"
                )
            }
        }
        for (source, target) in merged {
            let found = try await place.auth.account(AccountID(rawValue: source)).id.rawValue
            if found != target { problems.append("\(source) leads to \(found), not to \(target)") }
        }
        for (account, token) in tokens {
            do {
                _ = try await place.auth.refresh(token)
            } catch {
                problems.append("the last refresh token of \(account) is refused: \(error.code)")
            }
        }
        for (code, identity) in usedCodes {
            problems += try await problem(code, identity)
        }
        return problems.sorted()
    }

    private func account(_ identity: Identity) async throws -> String? {
        do throws(AuthError) {
            return try await place.auth.account(providerID: ProviderID(identity.provider), uid: identity.subject).id
                .rawValue
        } catch {
            guard error.code == .userNotFound else { throw error }
            return nil
        }
    }

    private func problem(_ code: String, _ identity: Identity) async throws -> [String] {
        let credential = try await place.credential(identity.subject, ProviderID(identity.provider))
        let resolver = try await place.resolver(of: credential)
        do throws(AuthError) {
            _ = try await resolver.resolveSignIn(with: .recoveryCode(code))
            return ["a recovery code of \(identity.subject) was used twice"]
        } catch {
            return error.code == .invalidVerificationCode ? [] : ["a used recovery code is refused as \(error.code)"]
        }
    }
}
