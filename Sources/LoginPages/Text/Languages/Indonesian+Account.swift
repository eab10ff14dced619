// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
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
        guest: "Anda adalah tamu. Tambahkan cara masuk untuk mempertahankan akun ini.",
        save: "Simpan akun ini",
        logins: "Cara masuk",
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
        lastLogin: "Ini satu-satunya cara masuk Anda yang berfungsi. Tambahkan metode lain dahulu untuk melepasnya.",
        more: "Tambahkan cara masuk",
        link: { "Tautkan \($0)" },
        addPhone: "Tambahkan nomor telepon",
        factors: "Verifikasi dua langkah",
        noFactors: "Nonaktif. Kode diminta ketika Anda masuk, sehingga kata sandi yang dicuri tidak cukup.",
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

extension PageText.Confirmations {
    static let indonesian = Self(
        signOutTitle: "Keluar dan kehilangan akun ini?",
        signOut: """
            Tamu tidak dapat masuk lagi. Untuk mempertahankan akun ini dan datanya, simpan akun sebelum \
            Anda keluar.
            """,
        unlink: { "Anda tidak dapat lagi masuk ke akun ini dengan \($0)." },
        removeFactor: "Kodenya tidak berlaku lagi di sini. Metode lain tetap melindungi akun Anda.",
        removeLastFactor: "Verifikasi dua langkah akan dinonaktifkan. Kode pemulihan Anda tidak berlaku lagi.",
        makeCodes: "Kode pemulihan Anda saat ini tidak akan berlaku lagi."
    )
}
#endif
