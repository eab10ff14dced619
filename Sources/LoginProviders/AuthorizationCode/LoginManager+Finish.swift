// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginText
public import LoginTokens

extension LoginManager {
    /// Finishes a login with the callback of the browser.
    ///
    /// The attempt is looked up first, and is used up whatever the result: an answer is judged once. Everything else must match the
    /// attempt.
    ///
    /// It sends requests to the provider where the flow needs them: to a token endpoint for at most 10 seconds, to an API of the provider
    /// for at most 20 seconds in all, and for keys.
    ///
    /// - Parameters:
    ///   - callback: The parameters of the callback.
    ///   - purpose: The purpose of the login, as the *current* request has it.
    ///   - binding: The browser, by the cookie of the *current* request.
    /// - Returns: The result of the login.
    /// - Throws: Rethrows errors of the store. Whether the attempt is used up is unknown then.
    public func finish(
        _ callback: LoginCallback,
        purpose: NoncePurpose,
        binding: NonceBinding
    ) async throws -> LoginResult {
        let parameters: CallbackParameters
        let state: LoginState
        do throws(LoginFailure) {
            parameters = try Self.parameters(of: callback)
            state = try Self.state(in: parameters)
        } catch {
            return .failed(error)
        }
        let use = try await attempts.take(state.id, purpose: purpose, binding: binding)
        do throws(LoginFailure) {
            let sealed = try Self.sealed(in: use)
            guard let attempt = state.open(sealed, purpose: purpose, binding: binding) else {
                throw LoginFailure(.stateUnknown, "what the store gave back is not what it was given")
            }
            return try await finish(attempt, parameters)
        } catch {
            return .failed(error)
        }
    }

    private func finish(
        _ attempt: AttemptContent,
        _ parameters: CallbackParameters
    ) async throws(LoginFailure) -> LoginResult {
        guard isEqual(attempt.client, flow.clientName), isEqual(attempt.redirectURL, redirectURL) else {
            throw LoginFailure(.issuerMismatch, "the login began at another provider, or as another client")
        }
        try checkIssuer(parameters)
        if try parameters.isCancelled() { return .cancelled(LoginCancellation(returnTo: attempt.returnTo)) }
        let age = attempt.maximumAuthenticationAge.map { Duration.seconds($0) }
        guard let policy = try? flow.policy(maximumAuthenticationAge: age) else {
            preconditionFailure("the initializer has made the policy before")
        }
        let answer = AuthorizationAnswer(
            attempt: attempt,
            parameters: parameters,
            transport: transport,
            clock: clock,
            verifier: TokenVerifier(policy: policy, keys: keys, clock: clock)
        )
        return .success(try await flow.finish(answer))
    }

    private static func parameters(of callback: LoginCallback) throws(LoginFailure) -> CallbackParameters {
        do throws(LoginCallback.Problem) {
            return try callback.read()
        } catch {
            throw LoginFailure(.callback, error.detail)
        }
    }

    private static func state(in parameters: CallbackParameters) throws(LoginFailure) -> LoginState {
        guard let text = parameters["state"] else { throw Self.noState }
        guard let state = LoginState(text) else {
            throw LoginFailure(.stateUnknown, "no state of ours looks like that")
        }
        return state
    }

    private static var noState: LoginFailure {
        LoginFailure(.callback, "it has no state; a Limited Login answers in the fragment, which a page has to post")
    }

    private static func sealed(in use: AttemptUse) throws(LoginFailure) -> [UInt8] {
        switch use {
        case .taken(let sealed): return sealed
        case .replayed: throw LoginFailure(.replayed, "the attempt has ended before")
        case .expired: throw LoginFailure(.expired, "the attempt has expired")
        case .startedElsewhere:
            throw LoginFailure(.startedElsewhere, "the attempt was begun by another browser or for another purpose")
        case .unknown: throw LoginFailure(.stateUnknown, "no such attempt was begun here, or long ago")
        }
    }

    /// The provider that answers is the one that was asked (RFC 9207 §2.4): else the code of one provider could be carried to the
    /// token endpoint of another, who would read it there.
    private func checkIssuer(_ parameters: CallbackParameters) throws(LoginFailure) {
        guard let issuer = parameters["iss"] else {
            guard !flow.mustNameIssuer else {
                throw LoginFailure(.issuerMismatch, "the answer does not name its issuer, and the provider always does")
            }
            return
        }
        guard flow.isIssuer(issuer) else {
            throw LoginFailure(.issuerMismatch, "the answer is of \(quoted(issuer)), who was not asked")
        }
    }
}
