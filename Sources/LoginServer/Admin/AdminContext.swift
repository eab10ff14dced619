// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import Hummingbird
internal import TweaksHummingbird

/// The context of an operator's request.
struct AdminContext: RequestContext {
    var coreContext: CoreRequestContextStorage

    /// The operator; nil before authentication.
    var author: TweakOperator?

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
    }
}
#endif
