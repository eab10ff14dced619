// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import LoginHTTP

/// The texts in Indonesian.
extension PageText {
    /// The texts in Indonesian, which no native speaker has reviewed.
    public static let indonesian = PageText(
        frame: .indonesian,
        login: .indonesian,
        fragment: .indonesian,
        signUp: .indonesian,
        account: .indonesian,
        confirm: .indonesian,
        conflict: .indonesian,
        merge: .indonesian,
        secondFactor: .indonesian,
        phone: .indonesian,
        enroll: .indonesian,
        recovery: .indonesian,
        sessions: .indonesian,
        reauthenticate: .indonesian,
        permissions: .indonesian,
        deletion: .indonesian,
        password: .indonesian,
        signedOut: .indonesian,
        problem: .indonesian,
        notices: .indonesian,
        time: indonesianTime
    )

    /// Returns the description of a permission, by the provider's name.
    static func indonesianPermission(_ name: String) -> String {
        switch name {
        case "openid": "identitas Anda"
        case "public_profile": "nama dan gambar"
        case "email": "alamat email"
        case "user_friends": "teman yang juga menggunakan layanan ini"
        case "user_birthday": "tanggal lahir"
        case "user_age_range": "rentang usia"
        case "user_gender": "jenis kelamin"
        case "user_hometown": "kota asal"
        case "user_location": "kota"
        case "user_link": "tautan ke profil Anda"
        case "gaming_profile": "nama Anda di gim"
        case "gaming_user_picture": "gambar Anda di gim"
        case "user_messenger_contact": "pesan melalui Messenger"
        default: name
        }
    }

    /// Returns the explanation of a code; in English for codes that only programs receive.
    static func indonesianExplanation(of code: ProblemCode) -> String {
        indonesianExplanations[code.rawValue] ?? code.explanation
    }

    private static let indonesianExplanations = [
        "credential-already-in-use": "Cara masuk ini milik akun lain. Masuklah dengannya, lalu gabungkan kedua akun.",
        "account-exists-with-different-credential":
            "Sudah ada akun dengan alamat email ini. Masuklah ke akun itu, lalu tautkan cara masuk ini.",
        "email-already-in-use": "Alamat email ini milik akun lain.",
        "provider-already-linked": "Akun ini sudah memiliki cara masuk sejenis. Lepas tautannya dahulu.",
        "no-such-provider": "Akun ini tidak memiliki cara masuk sejenis.",
        "ambiguous-provider": "Akun ini memiliki beberapa cara masuk sejenis. Pilih salah satu.",
        "last-provider": "Ini cara masuk terakhir. Tautkan cara lain dahulu.",
        "requires-recent-login": "Masuklah lagi untuk melakukan ini.",
        "user-mismatch": "Cara masuk ini milik orang lain. Gunakan milik Anda sendiri.",
        "user-disabled": "Akun ini dinonaktifkan.",
        "user-not-found": "Akun itu tidak ada.",
        "operation-not-allowed": "Ini tidak tersedia di sini.",
        "invalid-credential": "Itu tidak berhasil. Masuklah lagi.",
        "wrong-password": "Alamat email atau kata sandi salah.",
        "weak-password": "Kata sandi ini terlalu mudah ditebak. Gunakan yang lebih panjang.",
        "invalid-email": "Alamat email ini tidak valid.",
        "invalid-profile": "Nama atau gambar ini tidak valid.",
        "invalid-phone-number": "Nomor telepon ini tidak valid. Mulailah dengan + dan kode negara.",
        "missing-or-invalid-nonce": "Proses masuk ini tidak dikenal atau terlalu lama. Mulailah lagi.",
        "second-factor-required": "Konfirmasi bahwa ini Anda.",
        "missing-multi-factor-session": "Mulailah lagi.",
        "invalid-multi-factor-session": "Ini terlalu lama. Masuklah lagi.",
        "missing-multi-factor-info": "Pilih metode verifikasi.",
        "multi-factor-info-not-found": "Akun ini tidak memiliki metode verifikasi ini.",
        "invalid-verification-code": "Kode salah.",
        "invalid-verification-id": "Kode ini tidak dikenal. Minta kode baru.",
        "session-expired": "Kode ini sudah kedaluwarsa. Minta kode baru.",
        "quota-exceeded": "Saat ini tidak ada lagi pesan yang dapat dikirim. Coba lagi nanti.",
        "too-many-requests": "Anda sudah terlalu sering mencoba. Coba lagi nanti.",
        "second-factor-already-enrolled": "Akun ini sudah memiliki metode verifikasi ini.",
        "maximum-second-factor-count-exceeded":
            "Akun ini sudah memiliki jumlah maksimum metode verifikasi. Hapus salah satu dahulu.",
        "unsupported-first-factor": "Cara masuk ini tidak dapat dipadukan dengan metode verifikasi ini.",
        "unverified-email": "Konfirmasikan alamat email Anda dahulu.",
        "invalid-user-token": "Anda telah keluar. Masuklah lagi.",
        "user-token-expired": "Sesi Anda telah berakhir. Masuklah lagi.",
        "account-merged": "Akun ini telah digabungkan dengan akun lain. Masuklah lagi.",
        "merge-conflict": "Kedua akun memiliki cara masuk sejenis. Lepas tautan salah satunya dahulu.",
        "conflict-retry": "Coba lagi.",
        "store-unavailable": "Layanan sementara tidak tersedia. Coba lagi sebentar lagi.",
        "provider-unavailable": "Penyedia tidak merespons. Coba lagi sebentar lagi.",
        "internal-error": "Terjadi kesalahan internal.",
        "invalid-request": "Permintaan tidak valid atau tidak lengkap.",
        "missing-session": "Masuklah dahulu.",
        "cross-site-request": "Permintaan berasal dari situs lain atau halaman lama. Muat ulang halaman.",
        "not-found": "Tidak ada apa pun di alamat ini.",
        "method-not-allowed": "Alamat ini tidak mendukung metode tersebut.",
        "request-too-large": "Permintaan terlalu besar.",
        "keys-unavailable": "Kunci penyedia tidak tersedia. Coba lagi nanti.",
        "not-ready": "Layanan belum siap.",
        "speculative-request": "Halaman ini tidak dimuat terlebih dahulu. Buka lagi halaman ini.",
    ]
}

extension PageText.Frame {
    static let indonesian = Self(
        language: "id",
        direction: "ltr",
        languageName: "Bahasa Indonesia",
        languages: "Bahasa",
        service: "Masuk",
        skip: "Langsung ke isi",
        navigation: "Akun Anda",
        account: "Akun",
        sessions: "Sesi",
        signOut: "Keluar",
        signIn: "Masuk",
        cancel: "Batal",
        guest: "Tamu",
        someone: "Pengguna tanpa nama",
        problems: "Ada masalah",
        title: { "\($0) – \($1)" },
        titleWithProblem: { "Masalah: \($0)" },
        signedInAs: { "Masuk sebagai \($0)" }
    )
}

extension PageText.Login {
    static let indonesian = Self(
        title: "Masuk",
        with: { "Lanjutkan dengan \($0)" },
        withPhone: "Lanjutkan dengan telepon",
        or: "atau",
        email: "Alamat email",
        password: "Kata sandi",
        submit: "Masuk",
        forgotten: "Lupa kata sandi?",
        newHere: "Baru di sini?",
        nothing: "Saat ini Anda tidak dapat masuk.",
        emailMissing: "Masukkan alamat email Anda.",
        passwordMissing: "Masukkan kata sandi Anda.",
        guest: "Lanjutkan sebagai tamu"
    )
}

extension PageText.Fragment {
    static let indonesian = Self(
        title: "Menyelesaikan proses masuk",
        pending: """
            Proses masuk Anda sedang diselesaikan. Untuk itu peramban Anda harus mengizinkan skrip \
            dari situs ini.
            """,
        missing: "Penyedia tidak mengirim respons. Tidak ada yang berubah.",
        another: "Mulai lagi, atau gunakan cara masuk lain"
    )
}

extension PageText.SignUp {
    static let indonesian = Self(
        title: "Buat akun",
        passwordHint: { "Minimal \($0) karakter; beberapa kata lebih baik." },
        submit: "Buat akun",
        haveAccount: "Saya sudah punya akun"
    )
}

extension PageText.Conflict {
    static let indonesian = Self(
        title: "Anda sudah memiliki akun",
        address: {
            "Alamat \($1) dari cara masuk ini (\($0)) adalah milik akun yang Anda masuki dengan cara lain."
        },
        noAddress: { "Alamat dari cara masuk ini (\($0)) adalah milik akun yang Anda masuki dengan cara lain." },
        asBefore: {
            """
            Masuklah seperti biasa. Setelah itu \($0) ditautkan ke akun Anda, dan Anda dapat \
            menggunakan keduanya.
            """
        },
        otherWays: "Cara masuk akun ini tidak tersedia saat ini.",
        dismiss: "Kembali tanpa menautkan",
        elsewhereTitle: "Cara masuk ini milik akun lain",
        elsewhere: {
            "Cara masuk ini (\($0)) bukan milik \($1), melainkan milik akun lain. Anda dapat menggabungkan kedua akun."
        },
        join: "Pratinjau penggabungan",
        leave: "Biarkan akun terpisah"
    )
}

extension PageText.Merge {
    static let indonesian = Self(
        title: "Gabungkan dua akun",
        intro: { "\($0) menjadi bagian dari \($1), akun yang sedang Anda gunakan. Hal ini tidak dapat dibatalkan." },
        moves: "Cara masuk yang dipindahkan",
        nothingMoves: "Tidak ada cara masuk yang dipindahkan.",
        drops: "Cara masuk yang dihapus",
        choose: "Kedua akun memiliki cara masuk yang sejenis. Akun mana yang mempertahankan miliknya?",
        clash: { "Keduanya memiliki \($0)." },
        keepThis: { "\($0) (sedang Anda gunakan)" },
        keepOther: { "\($0) (akun yang lain)" },
        keepMissing: "Pilih akun.",
        factors: "Setelah itu metode verifikasi kedua akun berlaku.",
        confirm: "Gabungkan akun",
        obstacle: { "Ini belum dapat dilakukan. \($0)" }
    )
}

extension PageText.Sessions {
    static let indonesian = Self(
        current: "Perangkat ini",
        unknownDevice: "Perangkat tidak dikenal",
        device: { "\($0) di \($1)" },
        network: "Jaringan",
        lastSeen: "Terakhir digunakan",
        opened: "Waktu masuk",
        confirmed: "Dikonfirmasi dengan verifikasi dua langkah",
        close: { "Keluarkan \($0)" },
        closeOthers: "Keluar dari semua perangkat lain",
        noOthers: "Anda tidak masuk di tempat lain."
    )
}

extension PageText.Reauthenticate {
    static let indonesian = Self(
        intro: "Sudah beberapa lama sejak Anda masuk. Masuklah sekali lagi, lalu coba kembali.",
        code: "Akun Anda menggunakan verifikasi dua langkah. Konfirmasikan, lalu coba kembali."
    )
}

extension PageText.Permissions {
    static let indonesian = Self(
        title: "Yang Anda bagikan",
        manage: "Ubah yang Anda bagikan",
        intro: {
            "Untuk setiap perubahan Anda masuk sekali lagi di \($0). Anda dapat mengembalikannya kapan saja."
        },
        granted: "Dibagikan",
        declined: "Tidak dibagikan: Anda menolak",
        expired: "Tidak lagi dibagikan karena tidak digunakan",
        unknown: "Tidak diketahui: penyedia tidak memberitahukannya",
        request: { "Bagikan: \($0)" },
        requestAgain: { "Tanyakan lagi: \($0)" },
        revoke: { "Berhenti membagikan: \($0)" },
        all: "Semua",
        allHint: { "Layanan ini dihapus dari akun Anda di \($0). Anda dapat masuk lagi dengannya nanti." },
        revokeAll: { "Berhenti membagikan apa pun dari \($0)" },
        back: "Kembali ke akun Anda"
    )
}

extension PageText.Deletion {
    static let indonesian = Self(
        title: "Hapus akun Anda",
        warning: "Profil, cara masuk, dan sesi Anda akan dihapus.",
        sure: "Saya mengerti bahwa hal ini tidak dapat dibatalkan",
        sureMissing: "Centang kotak untuk menghapus akun Anda."
    )
}

extension PageText.Password {
    static let indonesian = Self(
        forgottenTitle: "Atur ulang kata sandi",
        forgottenIntro: "Masukkan alamat email Anda, dan kami akan mengirim tautan.",
        send: "Kirim tautan",
        sentTitle: "Periksa email Anda",
        sent: "Jika ada akun dengan alamat ini, kami sudah mengirim tautan. Periksa juga folder spam Anda.",
        again: "Coba lagi",
        newTitle: "Kata sandi baru Anda",
        newPassword: "Kata sandi baru",
        save: "Simpan kata sandi",
        everywhere: "Anda akan keluar dari semua perangkat.",
        verifyTitle: "Konfirmasi alamat email Anda",
        verifyIntro: "Tekan tombol untuk mengonfirmasi bahwa Anda menerima pesan.",
        verify: "Konfirmasi alamat",
        change: "Ubah kata sandi",
        add: "Tambahkan kata sandi",
        elsewhere: "Anda akan keluar dari semua perangkat lain.",
        otherAccount: "Sudah memiliki akun dengan kata sandi?",
        existing: "Masukkan alamat dan kata sandinya untuk menggabungkan kedua akun.",
        join: "Lanjutkan"
    )
}

extension PageText.SignedOut {
    static let indonesian = Self(
        title: "Anda telah keluar",
        intro: "Anda mungkin masih masuk di penyedia yang Anda gunakan.",
        deletedTitle: "Akun Anda telah dihapus",
        deletedIntro: "Semua datanya telah dihapus."
    )
}

extension PageText.ProblemTexts {
    static let indonesian = Self(
        title: "Ini tidak berhasil",
        notFoundTitle: "Halaman tidak ditemukan",
        code: "Kode",
        requestID: "Permintaan",
        start: "Ke halaman awal",
        signInAgain: "Masuk lagi",
        newLink: "Minta tautan baru",
        support: "Hubungi dukungan",
        retryAfter: { $0 <= 60 ? "Coba lagi dalam satu menit." : "Coba lagi dalam \(($0 + 59) / 60) menit." },
        explanation: { PageText.indonesianExplanation(of: $0) },
        stale: "Halaman terlalu lama terbuka. Kirim formulir lagi.",
        noCookie: "Browser tidak mengirim cookie situs ini. Izinkan cookie, lalu muat ulang halaman.",
        repeatedCookie:
            "Browser mengirim satu cookie situs ini dua kali, sehingga tidak diterima. Keduanya telah dihapus: muat ulang halaman, lalu masuk lagi jika perlu.",
        otherSite: "Formulir tidak berasal dari halaman situs ini. Buka halamannya di sini.",
        providerFailed: "Proses masuk dibatalkan atau gagal di penyedia. Masuklah lagi.",
        misconfigured: "Saat ini kami tidak dapat menyelesaikan proses masuk. Ini bukan kesalahan Anda.",
        unknownLogin:
            "Browser ini tidak mengenal proses masuk ini. Mungkin proses itu dimulai di browser atau aplikasi lain, atau sudah terlalu lama. Mulailah yang baru di sini.",
        finishedLogin:
            "Proses masuk ini sudah berakhir dan tidak dapat dipakai lagi. Jika Anda belum masuk, mulailah yang baru."
    )
}

extension PageText.Notices {
    static let indonesian = Self(
        cancelled: "Proses masuk dibatalkan. Tidak ada yang berubah.",
        linked: "Cara masuk telah ditautkan.",
        unlinked: "Tautan cara masuk telah dilepas.",
        merged: "Kedua akun telah digabungkan.",
        factorAdded: """
            Aplikasi telah ditambahkan. Sekarang buat kode pemulihan, untuk berjaga-jaga jika Anda \
            kehilangannya.
            """,
        factorRemoved: "Metode verifikasi telah dihapus.",
        sessionClosed: "Perangkat itu telah dikeluarkan.",
        othersClosed: "Semua perangkat lain telah dikeluarkan.",
        messageSent: "Sebuah pesan sedang dikirim ke alamat Anda.",
        emailVerified: "Alamat email Anda telah dikonfirmasi.",
        passwordChanged: "Kata sandi Anda telah diubah. Masuklah dengannya.",
        confirmed: "Terima kasih. Silakan ulangi yang ingin Anda lakukan.",
        notRecent: """
            Proses masuk itu sudah terlalu lama berlalu. Keluarlah dari akun Anda di penyedia dan coba \
            lagi, atau gunakan cara lain.
            """,
        permissionGranted: "Terima kasih. Sekarang dibagikan.",
        permissionDeclined: "Anda menolak. Tidak ada hal lain yang berubah.",
        permissionUnknown: "Jawaban Anda telah diterima. Penyedia tidak memberitahukan apakah Anda membagikan ini.",
        permissionRevoked: "Tidak lagi dibagikan.",
        loginRevoked:
            "Tidak ada lagi yang dibagikan. Cara masuk ini berfungsi lagi setelah Anda menyetujuinya kembali.",
        notLinked: "Anda telah masuk. Cara masuk yang lain belum ditautkan; Anda dapat menautkannya di halaman akun.",
        passwordSaved: "Kata sandi Anda telah disimpan.",
        phoneAdded:
            "Telepon telah ditambahkan. Sekarang buat kode pemulihan, untuk berjaga-jaga jika Anda kehilangannya.",
        signedUp: "Akun Anda telah dibuat. Buka tautan dalam email dari kami untuk mengonfirmasi alamat Anda."
    )
}
#endif
