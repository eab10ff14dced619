// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
extension PageText.SecondFactor {
    static let indonesian = Self(
        title: "Konfirmasi bahwa ini Anda",
        choose: "Bagaimana Anda ingin mengonfirmasinya?",
        withApp: { "Dengan kode dari \($0)" },
        withPhone: { "Kirim kode ke telepon dengan akhiran \($0)" },
        withRecovery: "Dengan kode pemulihan",
        appCode: "Kode dari aplikasi Anda",
        appHint: "Aplikasi menampilkan kode baru setiap 30 detik.",
        phoneCode: "Kode dari pesan",
        phoneHint: { "Kode dikirim ke telepon dengan akhiran \($0)." },
        recoveryCode: "Kode pemulihan",
        recoveryHint: "Salah satu dari sepuluh kode pemulihan Anda. Setiap kode hanya berlaku sekali.",
        codeMissing: "Masukkan kode.",
        codeReplayed: "Kode ini sudah digunakan. Tunggu sampai aplikasi menampilkan kode berikutnya.",
        submit: "Konfirmasi",
        another: "Gunakan cara lain",
        backToSignIn: "Kembali ke halaman masuk",
        attemptsLeft: { "Anda masih memiliki \($0) percobaan." },
        timeLeft: { "Masukkan kode dalam \($0) menit." }
    )
}

extension PageText.Phone {
    static let indonesian = Self(
        signInTitle: "Masuk dengan nomor telepon",
        linkTitle: "Tambahkan nomor telepon untuk masuk",
        enrollTitle: "Tambahkan telepon untuk kode",
        enrollIntro:
            "Kami mengirim kode ke telepon sekarang. Sejak saat itu Anda diminta memasukkan kode ketika masuk.",
        number: "Nomor telepon",
        numberHint: "Dengan + dan kode negara, misalnya +49 30 123456.",
        numberMissing: "Masukkan nomor telepon.",
        send: "Kirim kode",
        resend: "Kirim kode lain",
        another: "Gunakan nomor lain",
        confirm: "Tambahkan telepon",
        reauthenticate: { "Kirim kode ke nomor dengan akhiran \($0)" },
        withNamed: { "Kirim kode ke \($0) dengan akhiran \($1)" }
    )
}

extension PageText.Enroll {
    static let indonesian = Self(
        title: "Tambahkan aplikasi autentikator",
        intro: """
            Anda memerlukan aplikasi kode sekali pakai. Sejak saat itu Anda diminta memasukkan kode \
            ketika masuk.
            """,
        name: "Apa nama perangkat ini?",
        nameHint: "Nama untuk mengenalinya nanti. Opsional.",
        begin: "Lanjutkan",
        scan: "Pindai kode QR ini dengan aplikasi.",
        picture: "Kode QR dengan kunci untuk aplikasi",
        cannotScan: "Tidak dapat memindainya?",
        type: "Masukkan kunci ini di aplikasi. Huruf besar dan kecil tidak dibedakan.",
        key: "Kunci",
        open: "Buka aplikasi di perangkat ini",
        once: "Kunci hanya ditampilkan sekarang.",
        thenCode: "Masukkan kode 6 digit yang ditampilkan aplikasi.",
        confirm: "Tambahkan aplikasi",
        notShown: "Kunci tidak ditampilkan lagi. Jika belum ada di aplikasi, mulailah lagi.",
        again: "Mulai lagi dengan kunci baru"
    )
}

extension PageText.Recovery {
    static let indonesian = Self(
        title: "Kode pemulihan Anda",
        intro: "Jika telepon Anda hilang, masuklah dengan salah satu kode ini. Setiap kode berlaku sekali.",
        replaced: "Kode Anda sebelumnya tidak berlaku lagi.",
        once: "Simpan kode ini sekarang. Kode tidak akan ditampilkan lagi.",
        done: "Saya sudah menyimpannya",
        later: "Nanti saja"
    )
}
#endif
