// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginText
public import LoginTokens

extension LoginManager {
    /// Finishes a login with the callback of the browser.
    ///
    /// The attempt is claimed first, whatever the result: there is one callback for each attempt. Everything else must
    /// match the attempt.
    ///
    /// The flow sends its requests to the provider from here: to a token endpoint for at most 10 seconds, to an API of
    /// the provider for at most 20 seconds in all, and for keys.
    ///
    /// - Parameters:
    ///   - callback: The parameters of the callback.
    ///   - purpose: The purpose of the login, as the *current* request has it.
    ///   - secret: The secret in the cookie of the *current* request; nil or empty if there is none.
    /// - Returns: The result of the login.
    /// - Throws: Rethrows errors of the store. It is then unknown whether the attempt was claimed.
    public func finish(_ callback: LoginCallback, purpose: NoncePurpose, secret: String?) async throws -> LoginResult {
        let result = try await result(of: callback, purpose, secret: secret)
        onEvent(LoginEvent(result, of: provider.id))
        return result
    }

    private func result(
        of callback: LoginCallback,
        _ purpose: NoncePurpose,
        secret: String?
    ) async throws -> LoginResult {
        // A missing cookie gives a binding that equals no other.
        let secret = secret.flatMap(AttemptSecret.init)
        let parameters: CallbackParameters
        let id: SignInAttempt.ID
        do throws(LoginFailure) {
            parameters = try callback.read()
            id = try parameters.attemptID()
        } catch {
            return .failed(error)
        }
        let claim = try await attempts.claim(id, purpose: purpose, binding: NonceBinding(secret: secret?.text ?? ""))
        let sealed: [UInt8]
        do throws(LoginFailure) {
            sealed = try Self.sealed(in: claim)
        } catch {
            return .failed(error)
        }
        do throws(LoginFailure) {
            guard let secret, let content = secret.open(sealed, context: Self.context(id, purpose)) else {
                throw LoginFailure(.stateUnknown, "the stored attempt cannot be decrypted: its content was changed")
            }
            return try await finish(content, secret, parameters)
        } catch {
            var failure = error
            failure.endsAttempt = true
            return .failed(failure)
        }
    }

    private func finish(
        _ attempt: AttemptContent,
        _ secret: AttemptSecret,
        _ parameters: CallbackParameters
    ) async throws(LoginFailure) -> LoginResult {
        guard isEqual(attempt.client, client), isEqual(attempt.redirectURL, redirectURL) else {
            throw LoginFailure(.issuerMismatch, "the login began with another client registration or redirect URI")
        }
        try checkIssuer(parameters)
        if try parameters.isCancelled() { return .cancelled(LoginCancellation(returnTo: attempt.returnTo)) }
        let response = AuthorizationResponse(
            attempt: attempt,
            codeVerifier: secret.codeVerifier,
            parameters: parameters,
            transport: transport,
            clock: verification.clock,
            provider: provider.id,
            secret: secret,
            verifier: verifier(maximumAuthenticationAge: attempt.maximumAuthenticationAge.map { .seconds($0) })
        )
        return .success(try await flow.finish(response))
    }

    private func verifier(maximumAuthenticationAge: Duration?) -> TokenVerifier {
        do throws(PolicyError) {
            let policy = try provider.browserPolicy(
                metadata,
                leeway: verification.leeway,
                maximumAuthenticationAge: maximumAuthenticationAge
            )
            var verifier = try TokenVerifier(
                policy: policy,
                secret: provider.browserSecret,
                otherwise: verification.keys,
                clock: verification.clock
            )
            verifier.onVerdict = verification.onVerdict
            return verifier
        } catch {
            preconditionFailure("the initializer has validated the policy")
        }
    }

    private static func sealed(in claim: AttemptClaim) throws(LoginFailure) -> [UInt8] {
        switch claim {
        case .claimed(let sealed): return sealed
        case .replayed: throw LoginFailure(.replayed, "the attempt was claimed before")
        case .expired: throw LoginFailure(.expired, "the attempt has expired")
        case .startedElsewhere:
            throw LoginFailure(.startedElsewhere, "the attempt began in another browser or for another purpose")
        case .unknown: throw LoginFailure(.stateUnknown, "the attempt is unknown, or was deleted after its expiry")
        }
    }

    /// Checks that the issuer is that of the attempt (RFC 9207 §2.4).
    ///
    /// Otherwise an attacker could have the code of one provider sent to the token endpoint of another (mix-up attack).
    private func checkIssuer(_ parameters: CallbackParameters) throws(LoginFailure) {
        guard let issuer = parameters["iss"] else {
            guard !flow.mustNameIssuer else {
                throw LoginFailure(.issuerMismatch, "the response has no issuer (iss), which the provider always sends")
            }
            return
        }
        guard flow.isIssuer(issuer) else {
            throw LoginFailure(
                .issuerMismatch,
                "the response names the issuer \(quoted(issuer)), which is not that of the attempt"
            )
        }
    }
}
