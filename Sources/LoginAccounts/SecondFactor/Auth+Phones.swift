// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginProviders

/// The offers of phones to accounts.
///
/// One phone cannot be both factors, so an account has phones either as logins or as second factors.
extension Auth {
    /// Returns whether the user of an account can link a phone now: it has none, neither as a login nor as a second
    /// factor.
    package func offersPhoneLogin(to account: Account) -> Bool {
        allows(.phone) && !account.signsInByPhone && !account.enrolledFactors.contains { $0.factorID == .phone }
    }

    /// Returns whether the user of an account can enroll a phone as second factor now: none is a login.
    package func offersPhoneFactor(to account: Account) -> Bool {
        sendsPhoneCodes && !account.signsInByPhone
    }
}

extension Account {
    fileprivate var signsInByPhone: Bool { providerData.contains { $0.providerID == .phone } }
}
