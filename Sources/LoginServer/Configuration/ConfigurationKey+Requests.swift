// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
/// The keys of requests to identity providers and to the issuers of APIs.
extension ConfigurationKey {
    static let networks = Self(
        "allow-networks",
        .list("network", empty: .nothing),
        "",
        "Networks without public addresses (`10.0.0.0/8`) in which identity providers and the issuers of APIs can be reached over `https`. Networks that contain a large part of the internet are refused."
    )
    static let cleartextHosts = Self(
        "cleartext-hosts",
        .list("host", empty: .nothing),
        "",
        "The hosts at which identity providers, the issuers of APIs and their introspection endpoints can be reached over `http`, if all their addresses are loopback or private ones (RFC 1918, and `fc00::/7` without the metadata services of clouds). Whoever is on the way can replace keys, and read secrets and codes; the log has a warning at each start."
    )
    static let proxy = Self(
        "outgoing-proxy",
        .text("URL"),
        "",
        "The proxy for requests to identity providers and the issuers of APIs over `https`, for example `http://proxy.example.com:3128`. Requests are tunneled (`CONNECT`), so the proxy decides to which address a host name leads: it must refuse private ones. The variable `HTTPS_PROXY` has no effect."
    )
    static let proxyCredentials = Self(
        "outgoing-proxy-credentials-file",
        .secretFile,
        "",
        "The user name and the password for the proxy, separated by a colon."
    )
    static let proxyExceptions = Self(
        "outgoing-proxy-exceptions",
        .list("host or network", empty: .nothing),
        "",
        "The hosts that are reached without the proxy: names, which include the names below them, addresses or networks. This machine is always reached without it."
    )
    static let authorities = Self(
        "ca-file",
        .text("file"),
        "the system's",
        "The root certificates in PEM that are trusted for identity providers and the issuers of APIs, instead of the system's."
    )
    static let keysHosts = Self(
        "keys-hosts",
        .list("host", empty: .nothing),
        "",
        "The hosts that can serve the keys of an identity provider or of an API's issuer, besides its own, if its discovery document names them."
    )

    /// All of them, in the order of the reference.
    static let requests = [
        networks, cleartextHosts, proxy, proxyCredentials, proxyExceptions, authorities, keysHosts,
        keysPerSet,
    ]
}
#endif
