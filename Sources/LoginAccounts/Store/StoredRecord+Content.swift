// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

extension IdentityRecord {
    func checkContent() throws(StoreError) { _ = try granted() }
}

extension PasswordRecord {
    func checkContent() throws(StoreError) {
        guard PasswordHash(text: hash) != nil else { throw StoreError(.damaged, "it holds no hash of a password") }
    }
}

extension FactorRecord {
    func checkContent() throws(StoreError) {
        if let parameters {
            let parameters: TOTP.Parameters = try JSONText.decode(parameters)
            guard parameters.hasCodes else { throw StoreError(.damaged, "a factor has no such codes") }
        }
        guard AccountSecrets.keyNumber(of: secret) == sealedWith else {
            throw StoreError(.damaged, "it names another key than the one that closed it")
        }
    }
}

extension SessionRecord {
    func checkContent() throws(StoreError) {
        guard SessionState(rawValue: state) != nil else { throw StoreError(.damaged, "there is no such state") }
    }
}

extension AuditRecord {
    func checkContent() throws(StoreError) {
        guard let subject else { return }
        let _: [String: String] = try JSONText.decode(subject)
    }
}
