// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
extension PageText.AccountTexts {
    static let indonesian = Self(
        title: "Akun Anda",
        profile: "Profil",
        name: "Nama",
        noName: "Tidak diketahui",
        email: "Alamat email",
        verified: "terkonfirmasi",
        notVerified: "belum terkonfirmasi",
        verify: "Kirim pesan untuk mengonfirmasi alamat",
        createdAt: "Anggota sejak",
        guest: "Anda adalah tamu hanya di perangkat ini. Tautkan cara masuk untuk menyimpan akun.",
        logins: "Cara masuk Anda",
        loginAs: { "\($0): \($1)" },
        linkedAt: "Ditautkan",
        lastUsed: "Terakhir digunakan",
        shares: "Dibagikan dengan layanan ini",
        permission: { PageText.indonesianPermission($0) },
        passwordLogin: "Email dan kata sandi",
        phoneLogin: "Nomor telepon",
        notConfigured: "Cara masuk ini tidak tersedia saat ini.",
        revoked: "Anda mencabut cara masuk ini di penyedianya. Tautkan lagi untuk menggunakannya.",
        withoutPassword: "Belum ada kata sandi.",
        unlink: { "Lepas tautan \($0)" },
        lastLogin: """
            Ini satu-satunya cara masuk Anda yang berfungsi. Untuk melepasnya, tautkan cara masuk \
            lain dahulu.
            """,
        more: "Tambahkan cara masuk",
        link: { "Tautkan \($0)" },
        factors: "Langkah kedua",
        noFactors: "Belum ada. Langkah kedua melindungi akun Anda meskipun orang lain mengetahui cara masuk Anda.",
        app: "Aplikasi autentikator",
        phone: { "Telepon dengan akhiran \($0)" },
        removeFactor: { "Hapus \($0)" },
        codesLeft: { "Tersisa \($0) kode pemulihan." },
        noCodes: "Anda tidak memiliki kode pemulihan. Jika kehilangan telepon, Anda tidak dapat masuk.",
        makeCodes: "Buat kode pemulihan baru",
        data: "Data Anda",
        download: "Unduh data saya",
        delete: "Hapus akun saya"
    )
}
#endif
