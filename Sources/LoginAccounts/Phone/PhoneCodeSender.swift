// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginTokens

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A sender of codes to phones, for a messaging service of your choice.
///
/// It is called after the commit, never within a transaction. It should stop when its task is cancelled, which happens
/// after ``FactorPolicy/sendDeadline``. Its error is not reported to the client, which gets `provider-unavailable`; the
/// code is voided. A sender that returns before the message is sent must report later failures itself: its codes remain
/// valid until they expire.
public protocol PhoneCodeSender: Sendable {
    /// Sends a message.
    ///
    /// - Parameter message: The number, and the code.
    /// - Throws: An error if the message was not sent.
    func send(_ message: PhoneCodeMessage) async throws
}

/// A code, and its recipient.
public struct PhoneCodeMessage: Sendable {
    /// The purpose of a code.
    public enum Purpose: String, Sendable, Hashable, CaseIterable {
        /// To sign in.
        case signIn
        /// To link the number to an account.
        case link
        /// To reauthenticate a user.
        case reauthentication
        /// To verify a second factor, in a sign-in or an open session.
        case secondFactor
        /// To enroll the number as a second factor.
        case enrollment
    }

    /// The number in E.164 format, for example `+14155550100`.
    public let number: String

    /// The code.
    ///
    /// The text of the message should state the purpose, and that no one will ask for the code.
    public let code: String

    /// The purpose.
    public let purpose: Purpose

    /// The time at which the code expires.
    public let expiresAt: Date
}

extension PhoneCodeMessage: Redacted {
    /// The purpose, without the number and the code.
    public var description: String { "code by phone: \(purpose.rawValue)" }
}

extension Auth {
    /// Sends a code, within ``FactorPolicy/sendDeadline``.
    ///
    /// - Throws: ``AuthError``: `operation-not-allowed` without a sender, `provider-unavailable` if it failed or took
    ///   too long.
    func send(_ message: PhoneCodeMessage) async throws(AuthError) {
        guard let phoneCodes else { throw AuthError.noPhoneCodes }
        let deadline = policy.factors.sendDeadline
        let isSent = await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                do {
                    try await phoneCodes.send(message)
                    return true
                } catch {
                    return false
                }
            }
            group.addTask {
                try? await Task.sleep(for: deadline)
                return false
            }
            let isSent = await group.next() ?? false
            group.cancelAll()
            return isSent
        }
        guard isSent else { throw AuthError(.providerUnavailable, "the code could not be sent") }
    }
}

extension AuthError {
    static var noPhoneCodes: AuthError { AuthError(.operationNotAllowed, "no sender for phone codes is configured") }
}
