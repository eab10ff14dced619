// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
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

extension AccountTransaction {
    /// Takes one message from what may be sent to a number: as often as the policy says, from this network, and at all.
    ///
    /// It is counted by the number, so that beginning an enrolment anew does not bring new messages. What anybody can have sent to
    /// any number is counted apart from what only who knows the first factor can: otherwise a stranger could keep a person's second
    /// factor from them.
    ///
    /// - Throws: ``AuthError``: `quota-exceeded`, with the time to wait.
    func spendMessage(to number: PhoneNumber, for purpose: PhoneCodeMessage.Purpose, from origin: RequestOrigin?) throws
    {
        let kind = purpose == .secondFactor ? "phone.factor" : "phone"
        let policy = auth.policy.factors
        let hour = Duration.seconds(3600)
        // A second factor is asked for by who has the first, from wherever they are.
        let here = purpose == .secondFactor ? number.text : "\(number.text) \(origin?.addressPrefix ?? "")"
        let anywhere = max(policy.sendsPerNumberFromAnywhere, policy.sendsPerNumberAndHour)
        var budgets = [
            Budget(purpose: "\(kind).resend", subject: here, limit: 1, window: policy.resendInterval),
            Budget(purpose: "\(kind).number", subject: here, limit: policy.sendsPerNumberAndHour, window: hour),
            Budget(purpose: "\(kind).anywhere", subject: number.text, limit: anywhere, window: hour),
            Budget(purpose: "\(kind).all", limit: policy.sendsPerHour, window: hour),
        ]
        budgets += .network("phone.address", origin, limit: policy.sendsPerAddressAndHour, window: hour)
        for index in budgets.indices { budgets[index].reason = { .quotaExceeded(retryAfter: $0) } }
        try spend(budgets)
    }

    /// What is kept of a code that was sent: of six digits a plain hash would be undone by trying all.
    ///
    /// - Parameters:
    ///   - code: The digits.
    ///   - hash: What the code belongs to: the hash of its token.
    /// - Returns: What each key makes of it, the newest first.
    func phoneCodeHashes(_ code: some Collection<UInt8>, for hash: [UInt8]) -> [[UInt8]] {
        auth.secrets.authenticationCodes(of: hash + Array(code), purpose: "phone code")
    }

    /// Whether a code is the one that was sent.
    func isPhoneCode(_ code: [UInt8], _ kept: [UInt8], for hash: [UInt8]) -> Bool {
        var isRight = false
        for candidate in phoneCodeHashes(code, for: hash) where constantTimeEquals(candidate, kept) { isRight = true }
        return isRight
    }
}
