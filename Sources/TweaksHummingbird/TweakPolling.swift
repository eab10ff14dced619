// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
public import ServiceLifecycle
public import Tweaks

/// A service that polls the persistence of tweaks for changes by other servers, until the server shuts down.
///
/// Add it to the services of an application whose tweaks several servers share.
public struct TweakPolling: Service {
    private let tweaks: Tweaks

    /// Creates the service.
    ///
    /// - Parameter tweaks: The tweaks.
    public init(_ tweaks: Tweaks) {
        self.tweaks = tweaks
    }

    /// Polls until the server shuts down or the task is cancelled.
    public func run() async {
        await cancelWhenGracefulShutdown { await tweaks.run() }
    }
}
#endif
