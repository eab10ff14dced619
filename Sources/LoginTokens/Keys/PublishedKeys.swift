// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// Public keys with a published private key, and published secrets, identified by their thumbprints (RFC 7638).
///
/// They come from examples, and examples get copied into configurations.
enum PublishedKeys {
    /// Returns the publication that contains the private key; nil if none is known.
    static func origin(thumbprint: String) -> String? { origins[thumbprint] }

    private static let origins = elsewhere.merging(secrets) { $1 }
        .merging(vectors.map { ($0, "this package's test vectors") }) { $1 }

    /// Keys from standards, and from a web page that many tutorials are based on.
    private static let elsewhere = [
        "DOvxvJiAdIqVWIkFt5hDtCunXLF0BV4-JGv4f-ALSm0": "RFC 6979 A.2.5",
        "l2tfkSzhekdOr24I18E1O_-49AlK14MTo7OxJMS7-HI": "RFC 6979 A.2.6",
        "YEV1EIv9vYLGY_GThCEOLkeymqP0eeXUU7MmlJhqgGA": "RFC 6979 A.2.7",
        "IsUn6_e04MaShXFIISMp4kG62LWzMIPy_MvSA5pJgX8": "RFC 7515 A.2",
        "oKIywvGUpTVTyxMQ3bwIIeQUudfr_CkLMjCE19ECD-U": "RFC 7515 A.3",
        "u5YUSjQ2-2chBi51NSk3t3g7IM4o2KYcnPqPtCNGd3U": "RFC 7515 A.4",
        "xtIsOV1FqKH77AI_A3jdTg5QfdabzqI-LNpYTPi0IgI": "RFC 7516 A.1",
        "_K0fXS8wlsT7Tn3vvZrs9qdKUIqi5AxQ5EVk41xi_BM": "RFC 7516 A.2",
        "cn-I_WNMClehiVp51i_0VpOENW1upEerA8sEam5hn-s": "RFC 7517 A.2 '1'",
        "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs": "RFC 7517 A.2 '2011-04-29'",
        "D8R4-FeTJfzuDUy8bZ0c4hcwpul-Q11gCPs3mw6-R9Q": "RFC 7517 C.1 'juliet@capulet.lit'",
        "_GK0r6GCoJt9zcssg9lay4obIxgCq05ntiRymRHADSU": "RFC 7518 Appendix C Alice",
        "Vy57XrArUrW0NbpI12tEzDHABxMwrTh6HHXRenSpnCo": "RFC 7518 Appendix C Bob",
        "dHri3SADZkrush5HU_50AoRhcKFryN-PI6jPBtPL55M": "RFC 7520 3.2 'bilbo.baggins@hobbiton.example'",
        "9jg46WB3rR_AHD-EBXdN7cBkH1WOu0tA3M9fm21mqTI": "RFC 7520 3.4 'bilbo.baggins@hobbiton.example'",
        "h_jutvC-jg3Nwueq8LmdSybXykVsBwk4_5u5Y9JiS7E": "RFC 7520 5.1 'frodo.baggins@hobbiton.example'",
        "Rt-IyDEhXohvTl_ozKQ9YGflXGuDb3uu3QmqN2LoMwM": "RFC 7520 5.2 'samwise.gamgee@hobbiton.example'",
        "YlKlB7M2wnS0cPn_V7OW-FuDLuWdJ9z4OvPHmhGDfeE": "RFC 7520 5.4 'peregrin.took@tuckborough.example'",
        "HsSFalww3yP-dO-lWGYgFcyV5H22oScIFc4V2Y6GOto": "RFC 7520 5.5 'meriadoc.brandybuck@buckland.example'",
        "lZI1vM7tnlYapaF5-cy86ptx0tT_8Av721hhiNB5ti4": "RFC 8032 7.1 TEST 1024",
        "FtIu-VbGrfe_KB6CH7GNwODB72MNxj_ml11dEvO-7kk": "RFC 8032 7.1 TEST 2",
        "FVV5umTuau890q59V-4Ga_R6qWb7ON_ivJc4EjvCwTM": "RFC 8032 7.1 TEST 3",
        "iiDHHfFVNG6ICMUTsicgrWf1igtFYZEK73xlobt1ah4": "RFC 8032 7.1 TEST SHA(abc)",
        "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k": "RFC 8037 A.1, RFC 8032 7.1 TEST 1",
        "BHj8s0GPnMEQtkaULIM-PLgEhLBbuGUQ1vMxmBWZzEo": "RFC 9421 B.1.1 test-key-rsa",
        "oD0HwocPBSfpNy5W3bpJeyFGY_IQ_YpqxSjQ3Yd-CLA": "RFC 9421 B.1.2 test-key-rsa-pss",
        "ydQXMtvbsOsZyFir-Y7A8t7fKEM1gbKPvyFkdpu4fvI": "RFC 9421 B.1.3 test-key-ecc-p256",
        "poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U": "RFC 9421 B.1.4 test-key-ed25519",
        "LIstkoCvByn4jk8oZPvigQkzTzO9UwnGnE-VMlkZvYQ": "RFC 9500 testECCP256",
        "TLOWIUBG7ALE2U13WMeEAErmpD48gp8MllKbX_zBARE": "RFC 9500 testECCP384",
        "uG5zwmkbOsp4CWXAXpcCwS_BBebz0EP871Y1aRTdY9E": "RFC 9500 testECCP521",
        "Fa5JHFzFB8yHv0Dk3rGTgtCQPXPr3q8midyfylf8CUU": "RFC 9500 testRSA2048",
        "19J8y7Zprt2-QKLjF2I5pVk0OELX6cY2AfaAv1LC_w8": "jwt.io ES256",
        "iTqXXI0zbAnJCKDaobfhkM1f-6rMSpTfyZMRp_2tKI8": "jwt.io ES384",
        "xZDfZpry4P9vZPZyG2fNBRj-7Lz5omVdm7tHoCgSNfY": "jwt.io ES512",
        "QBeWNRsYJ8Gd0ovgTO17OrzkRbfxu_hA8blamxD_Lf8": "jwt.io EdDSA and Ed25519",
        "zFHVsM9dc4OlHIwvEnVqfKzRj1ujqYGsZnXAcgn_CqI": "jwt.io RS256 of earlier years",
        "oGDmHqCJ7yzMkWEkrlZVHkvrHIyQwtlDmeq5ForUHeY": "jwt.io RS256, RS384, RS512, PS256, PS384, PS512",
    ]

    /// Secrets from standards, a web page and a default configuration.
    private static let secrets = [
        "y_x3gCJnL6oKGBBIXScabduwxTVy2Wd2bzRVEUbdUzc": "RFC 7515 A.1",
        "RtoRur_1Dir5M4wuOfqNkDYOf9O_4RJ-aHkTA75RLA8": "RFC 7520 3.5",
        "LXkAyqcFEoI5pkMzfWjsAWbChzHfxtqD4Te31pAwA1s": "jwt.io HS256",
        "Ms_j2vzAFNOrwb94le4wNiqMXglp4UyBvhTvbdY7a3g": "jwt.io HS384",
        "3Sh8jwxtGAUg1j6_4BIuuT-0fsyXeym9VQpxNRGTJFs": "jwt.io HS512",
        "6ZRtwrhLeSUXBcJtgbg-iLC6SN0R6t5BsESkZCoJyDo": "the local development of Supabase",
        "sGs9YmqRjjluOQxPiUHLhZb4iLPFZhksg3MSTiBtGD4": "the configuration example of Supabase",
    ]

    /// The keys in TestVectors/generator/keys, and the secrets in TestVectors/secrets.json.
    private static let vectors = [
        "0jWoBeCkMwUoMQjo-jKXYkVv7_G37DzUtBubx9uDCtM",
        "5bF2zq_EX6RT-RUro091UUtSPUtgGHsghF82_flOZTA",
        "7Vpd4_6y22NGBBEohjzhQFdRe9CatwGKp0u-k-MQs2o",
        "7xC7CtPW_4y0hup6G0Ko-Hh0gt0GJxswZEO7jOgcbPM",
        "8EyB0toClQ3FvBlJbznOx9cV2bFauScdcvSj_i8Thko",
        "Aa2C0wLapD7aSb5qdcUukhIcHqXFyR1WfOElNoRNur4",
        "JLL7GhdGc_e5bXxKuqk9ZHVcpJa2CAU44ZJtnO_8Bac",
        "LzmyP5srrxkIuL9v4iHH9LZQ_ZwB2Y-oXdouFZO5t8Q",
        "SB_czxkYuxRkumlXupf9iYuyFFlRo8fXqKFj-JAyBuM",
        "SbTQc7BWyZmBWzDAt520x_ZNEQcBR8p2VZDzsR39ArQ",
        "SxEbVPomsMOnz19TfM0vlTTVkBLWAUlgitC_2bBazMw",
        "VAYxUMjgZXJW8oTKn63-Omgef0Ah7PtT99R_O-pVAdI",
        "ZKb9JBpBkNnFoKDTcNuJE2gj4w93RcB2i6hxaFT2FJY",
        "ZzRyBZtq0jzLhiruPm1URxRZcfhZL6PBor-BkOlOcQc",
        "dWsIAIXctW79vZ8Nri-ovXQ2LHkj1tpYXIw8E-ckr60",
        "kmf3ud7h0PylGExS1TqOfogMjRc0B9aF6-hK5kh4XZ8",
        "oTf-hJMrABwSLkJ_f2qdQ7BRlCb6gfwQ_gyDVKifc1U",
        "tPKRSTsCaiQbSEmlnYxdQIKfPPgvjbnL0aDT2f3C8zc",
        "vFXzqLutXXntYshJP_8SnVrFZG_Mw_uspcb_LfuY2p0",
        "w9bRs17GhfymWvxD9z2S6Kkuszobg5ufv__Yok1rRvw",
        "zedjS_7ny9ziIDfRGqO0tJnGNvxDbOhq0N7RMufr9ag",
    ]
}
