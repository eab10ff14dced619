// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginTokens

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Sends codes to phones, by a service of your choice.
///
/// It is called once what it sends is kept, never within a transaction. It should end when its task is cancelled: that happens
/// after ``FactorPolicy/sendDeadline``. What it throws is shown to nobody; the code is void then, and the client hears
/// `provider-unavailable`.
public protocol PhoneCodeSender: Sendable {
    /// Sends a message.
    ///
    /// - Parameter message: The number, and the code.
    /// - Throws: Whatever hindered it.
    func send(_ message: PhoneCodeMessage) async throws
}

/// A code, and where it goes.
public struct PhoneCodeMessage: Sendable {
    /// What the code is for.
    public enum Purpose: String, Sendable, Hashable, CaseIterable {
        /// To sign in with the number.
        case signIn
        /// To make the number a login of an account.
        case link
        /// To prove once more who is there.
        case reauthentication
        /// To confirm a sign-in, or an open session.
        case secondFactor
        /// To make the number a second factor.
        case enrollment
    }

    /// The number, in the form of E.164: `+14155550100`.
    public let number: String

    /// The code.
    ///
    /// Say in the text what it is for, and that nobody will ask for it.
    public let code: String

    /// What it is for.
    public let purpose: Purpose

    /// When it ends.
    public let expiresAt: Date
}

extension PhoneCodeMessage: Redacted {
    /// The purpose, without the number and the code.
    public var description: String { "code by phone: \(purpose.rawValue)" }
}

extension Auth {
    /// Sends a code, within ``FactorPolicy/sendDeadline``.
    ///
    /// - Throws: ``AuthError``: `operation-not-allowed` without a sender, `provider-unavailable` where it failed or took too long.
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
    static var noPhoneCodes: AuthError { AuthError(.operationNotAllowed, "nothing is configured that sends codes") }
}
