// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginTokens
public import Testing

/// Expects that `body` refuses a token with this code, and records that a test has covered the code.
///
/// - Returns: The refusal, for further expectations; nil if there was none.
@discardableResult
public func expectRefusal<Value>(
    _ code: VerificationCode,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> Value
) -> TokenRefusal? {
    do {
        _ = try body()
        Issue.record("accepted, expected \(code)", sourceLocation: sourceLocation)
        return nil
    } catch let refusal as TokenRefusal {
        #expect(refusal.code == code, "\(refusal)", sourceLocation: sourceLocation)
        for text in [refusal.description, refusal.publicMessage] {
            let isShowable = text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
            #expect(isShowable, "not printable ASCII: \(text)", sourceLocation: sourceLocation)
        }
        if refusal.code == code { recordCode(code.rawValue) }
        return refusal
    } catch {
        Issue.record("\(error), expected \(code)", sourceLocation: sourceLocation)
        return nil
    }
}

/// Expects that an asynchronous verification refuses a token with this code.
///
/// - Returns: The refusal, for further expectations; nil if there was none.
@discardableResult
public func expectRefused<Value>(
    _ code: VerificationCode,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws(VerificationError) -> Value
) async -> TokenRefusal? {
    let result: Result<Value, any Error>
    do throws(VerificationError) {
        result = .success(try await body())
    } catch {
        if case .refused(let refusal) = error { result = .failure(refusal) } else { result = .failure(error) }
    }
    return expectRefusal(code, sourceLocation: sourceLocation) { try result.get() }
}

/// Expects that the token is undecided with this code, and records that a test has covered the code.
@discardableResult
public func expectUndecided<Value>(
    _ code: VerificationCode,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws(VerificationError) -> Value
) async -> VerificationUnavailable? {
    do throws(VerificationError) {
        _ = try await body()
        Issue.record("accepted, expected \(code)", sourceLocation: sourceLocation)
    } catch {
        if case .undecided(let unavailable) = error {
            #expect(unavailable.code == code, sourceLocation: sourceLocation)
            if unavailable.code == code { recordCode(code.rawValue) }
            return unavailable
        }
        Issue.record("\(error), expected \(code)", sourceLocation: sourceLocation)
    }
    return nil
}

private func recordCode(_ code: String) {
    RunLog.shared.append("code\t\(code)\t\(runningTest)")
}

/// Records that the current test has covered a code of a family other than token refusals, such as `AuthError.Code`.
public func recordCode(_ code: String, of family: String) {
    RunLog.shared.append("name\t\(family)\t\(code)\t\(runningTest)")
}

private var runningTest: String { Test.current.map { "\($0.id)" } ?? "outside a test" }
