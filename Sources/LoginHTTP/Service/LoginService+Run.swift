// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import LoginAccounts
internal import LoginKeys
internal import LoginProviders
public import ServiceLifecycle

/// The start and the background services of a server with sign-in.
extension LoginService: Service {
    /// Prepares the service, to be called before the server listens.
    ///
    /// It migrates the store, compares the secrets with those of earlier runs, and fetches the providers' metadata for at
    /// most five seconds.
    ///
    /// - Throws: `StoreError` if the store cannot be used, and `AuthError` if the secrets are others.
    public func prepare() async throws {
        try await auth.store.migrate()
        try await auth.checkSecrets()
        await auth.providers.prepare()
    }

    /// Renews the providers' keys and metadata, and maintains the accounts, until graceful shutdown or cancellation.
    ///
    /// Then it closes the store. Run it beside the server, and end it after the server: in a `ServiceGroup`, declare it first.
    public func run() async {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                group.addTask { await keys.run() }
                group.addTask { await auth.providers.run() }
                group.addTask {
                    // The services start together with the server, whose migration may still be running.
                    _ = try? await auth.store.migrate()
                    await auth.maintain { event in try await onAccountEvent(event) }
                }
            }
        }
        await auth.store.shutdown()
    }
}
#endif
