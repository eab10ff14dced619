// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import LoginAccounts

/// Shows and closes the sessions of the account.
struct SessionActions: Sendable {
    let frames: PageFrames

    func sessions(_ request: PageRequest) async throws -> PageReply {
        let session = try request.signedIn()
        let account = try await session.account()
        let entries = try await session.sessions().map { info in
            SessionsPage.Entry(
                id: info.id.rawValue,
                device: info.device,
                network: info.addressPrefix,
                isConfirmed: info.level > 1,
                openedAt: info.createdAt,
                lastSeenAt: info.lastSeenAt,
                isCurrent: info.isCurrent
            )
        }
        return .page(SessionsPage(frame: frames.user(request, account), sessions: entries))
    }

    func close(_ request: PageRequest, session id: String?) async throws -> PageReply {
        // Closing a session that is already closed succeeds.
        try await request.signedIn().signOut(SessionID(rawValue: id ?? ""))
        return .redirect(LocalPath("/sessions").with(notice: .sessionClosed))
    }

    func closeOthers(_ request: PageRequest) async throws -> PageReply {
        try await request.signedIn().signOutOthers()
        return .redirect(LocalPath("/sessions").with(notice: .othersClosed))
    }
}
#endif
