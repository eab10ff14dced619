// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import LoginHTTP

/// The texts in Korean.
extension PageText {
    /// The texts in Korean, which no native speaker has reviewed.
    public static let korean = PageText(
        frame: .korean,
        login: .korean,
        fragment: .korean,
        signUp: .korean,
        account: .korean,
        confirm: .korean,
        conflict: .korean,
        merge: .korean,
        secondFactor: .korean,
        phone: .korean,
        enroll: .korean,
        recovery: .korean,
        sessions: .korean,
        reauthenticate: .korean,
        permissions: .korean,
        deletion: .korean,
        password: .korean,
        signedOut: .korean,
        problem: .korean,
        notices: .korean,
        time: koreanTime
    )

    /// Returns the description of a permission, by the provider's name.
    static func koreanPermission(_ name: String) -> String {
        switch name {
        case "openid": "본인 신원"
        case "public_profile": "이름과 사진"
        case "email": "이메일 주소"
        case "user_friends": "이 서비스를 쓰는 친구"
        case "user_birthday": "생일"
        case "user_age_range": "연령대"
        case "user_gender": "성별"
        case "user_hometown": "고향"
        case "user_location": "거주지"
        case "user_link": "프로필 링크"
        case "gaming_profile": "게임 이름"
        case "gaming_user_picture": "게임 프로필 사진"
        case "user_messenger_contact": "메신저로 연락"
        default: name
        }
    }

    /// Returns the explanation of a code; in English for codes that only programs receive.
    static func koreanExplanation(of code: ProblemCode) -> String {
        koreanExplanations[code.rawValue] ?? code.explanation
    }

    private static let koreanExplanations = [
        "credential-already-in-use": "다른 계정의 로그인입니다. 그 로그인으로 로그인한 후 두 계정을 합치십시오.",
        "account-exists-with-different-credential": "이 이메일 주소의 계정이 있습니다. 그 계정에 로그인한 후 이 로그인을 연결하십시오.",
        "email-already-in-use": "다른 계정의 이메일 주소입니다.",
        "provider-already-linked": "이 계정에 같은 종류의 로그인이 이미 있습니다. 먼저 그 연결을 해제하십시오.",
        "no-such-provider": "이 계정에 이런 종류의 로그인이 없습니다.",
        "ambiguous-provider": "이 계정에 같은 종류의 로그인이 여러 개 있습니다. 하나를 선택하십시오.",
        "last-provider": "마지막 로그인 방법입니다. 먼저 다른 방법을 연결하십시오.",
        "requires-recent-login": "이 작업을 하려면 다시 로그인하십시오.",
        "user-mismatch": "다른 사용자의 로그인입니다. 본인의 로그인을 사용하십시오.",
        "user-disabled": "이 계정은 사용 중지되었습니다.",
        "user-not-found": "그런 계정이 없습니다.",
        "operation-not-allowed": "여기에서는 사용할 수 없습니다.",
        "invalid-credential": "처리하지 못했습니다. 다시 로그인하십시오.",
        "wrong-password": "이메일 주소 또는 비밀번호가 올바르지 않습니다.",
        "weak-password": "추측하기 쉬운 비밀번호입니다. 더 긴 비밀번호를 사용하십시오.",
        "invalid-email": "올바른 이메일 주소가 아닙니다.",
        "invalid-profile": "올바른 이름이나 사진이 아닙니다.",
        "invalid-phone-number": "올바른 전화번호가 아닙니다. +와 국가 번호로 시작하십시오.",
        "missing-or-invalid-nonce": "알 수 없는 로그인이거나 시간이 너무 오래 걸렸습니다. 다시 시작하십시오.",
        "second-factor-required": "본인임을 확인하십시오.",
        "missing-multi-factor-session": "다시 시작하십시오.",
        "invalid-multi-factor-session": "시간이 너무 오래 걸렸습니다. 다시 로그인하십시오.",
        "missing-multi-factor-info": "2단계 인증 방법을 선택하십시오.",
        "multi-factor-info-not-found": "이 계정에 그런 2단계 인증이 없습니다.",
        "invalid-verification-code": "코드가 올바르지 않습니다.",
        "invalid-verification-id": "알 수 없는 코드입니다. 새 코드를 요청하십시오.",
        "session-expired": "만료된 코드입니다. 새 코드를 요청하십시오.",
        "quota-exceeded": "지금은 메시지를 더 보낼 수 없습니다. 나중에 다시 시도하십시오.",
        "too-many-requests": "시도 횟수가 너무 많습니다. 나중에 다시 시도하십시오.",
        "second-factor-already-enrolled": "이 계정에 이미 있는 2단계 인증입니다.",
        "maximum-second-factor-count-exceeded": "2단계 인증이 최대 개수에 도달했습니다. 먼저 하나를 삭제하십시오.",
        "unsupported-first-factor": "이 로그인은 이 2단계 인증과 함께 사용할 수 없습니다.",
        "unverified-email": "먼저 이메일 주소를 확인하십시오.",
        "invalid-user-token": "로그아웃되었습니다. 다시 로그인하십시오.",
        "user-token-expired": "세션이 만료되었습니다. 다시 로그인하십시오.",
        "account-merged": "이 계정은 다른 계정과 합쳐졌습니다. 다시 로그인하십시오.",
        "merge-conflict": "두 계정에 같은 종류의 로그인이 있습니다. 먼저 하나의 연결을 해제하십시오.",
        "conflict-retry": "다시 시도하십시오.",
        "store-unavailable": "서비스를 일시적으로 사용할 수 없습니다. 잠시 후 다시 시도하십시오.",
        "provider-unavailable": "제공업체가 응답하지 않습니다. 잠시 후 다시 시도하십시오.",
        "internal-error": "내부 오류가 발생했습니다.",
        "invalid-request": "요청이 올바르지 않거나 필요한 값이 없습니다.",
        "missing-session": "먼저 로그인하십시오.",
        "cross-site-request": "다른 사이트나 오래된 페이지에서 온 요청입니다. 페이지를 다시 불러오십시오.",
        "not-found": "이 주소에는 아무것도 없습니다.",
        "method-not-allowed": "이 주소에서는 그 방식을 사용할 수 없습니다.",
        "request-too-large": "요청이 너무 큽니다.",
        "keys-unavailable": "제공업체의 키를 가져올 수 없습니다. 나중에 다시 시도하십시오.",
        "not-ready": "서비스가 아직 준비되지 않았습니다.",
        "speculative-request": "이 페이지는 미리 불러올 수 없습니다. 다시 여십시오.",
    ]
}

extension PageText.Frame {
    static let korean = Self(
        language: "ko",
        direction: "ltr",
        languageName: "한국어",
        languages: "언어",
        service: "로그인",
        skip: "본문으로 건너뛰기",
        navigation: "내 계정",
        account: "계정",
        sessions: "세션",
        signOut: "로그아웃",
        signIn: "로그인",
        cancel: "취소",
        guest: "게스트",
        someone: "이름 없는 사용자",
        problems: "문제가 있습니다",
        title: { "\($0) – \($1)" },
        titleWithProblem: { "문제: \($0)" },
        signedInAs: { "로그인한 사용자: \($0)" }
    )
}

extension PageText.Login {
    static let korean = Self(
        title: "로그인",
        with: { "\($0)(으)로 계속하기" },
        withPhone: "전화번호로 계속하기",
        or: "또는",
        email: "이메일 주소",
        password: "비밀번호",
        submit: "로그인",
        forgotten: "비밀번호를 잊으셨습니까?",
        newHere: "처음이신가요?",
        nothing: "지금은 로그인할 수 없습니다.",
        emailMissing: "이메일 주소를 입력하십시오.",
        passwordMissing: "비밀번호를 입력하십시오.",
        guest: "게스트로 계속하기"
    )
}

extension PageText.Fragment {
    static let korean = Self(
        title: "로그인을 완료하는 중",
        pending: "로그인을 완료하고 있습니다. 브라우저에서 이 사이트의 스크립트를 허용해야 합니다.",
        missing: "제공업체가 응답을 보내지 않았습니다. 변경된 것은 없습니다.",
        another: "다시 시작하거나 다른 로그인 사용하기"
    )
}

extension PageText.SignUp {
    static let korean = Self(
        title: "계정 만들기",
        passwordHint: { "\($0)자 이상이어야 합니다. 여러 단어를 쓰는 것이 좋습니다." },
        submit: "계정 만들기",
        haveAccount: "이미 계정이 있습니다"
    )
}

extension PageText.Conflict {
    static let korean = Self(
        title: "이미 계정이 있습니다",
        address: { "이 로그인(\($0))의 주소 \($1)은(는) 다른 방법으로 로그인하는 계정의 주소입니다." },
        noAddress: { "이 로그인(\($0))의 주소는 다른 방법으로 로그인하는 계정의 주소입니다." },
        asBefore: { "이전과 같은 방법으로 로그인하십시오. 그러면 \($0)이(가) 계정에 연결되어 두 로그인을 모두 사용할 수 있습니다." },
        otherWays: "이 계정의 로그인은 지금 사용할 수 없습니다.",
        dismiss: "연결하지 않고 돌아가기",
        elsewhereTitle: "다른 계정의 로그인입니다",
        elsewhere: { "이 로그인(\($0))은 \($1)이(가) 아닌 다른 계정에 속합니다. 두 계정을 합칠 수 있습니다." },
        join: "합치기 미리 보기",
        leave: "계정을 따로 유지"
    )
}

extension PageText.Merge {
    static let korean = Self(
        title: "두 계정 합치기",
        intro: { "\($0)이(가) 로그인한 계정 \($1)에 합쳐집니다. 되돌릴 수 없습니다." },
        moves: "옮겨지는 로그인",
        nothingMoves: "옮겨지는 로그인이 없습니다.",
        drops: "삭제되는 로그인",
        choose: "두 계정에 같은 종류의 로그인이 있습니다. 어느 계정의 것을 남기시겠습니까?",
        clash: { "두 계정 모두 \($0)이(가) 있습니다." },
        keepThis: { "\($0)(로그인한 계정)" },
        keepOther: { "\($0)(다른 계정)" },
        keepMissing: "계정을 선택하십시오.",
        factors: "이후에는 두 계정의 2단계 인증이 모두 적용됩니다.",
        confirm: "계정 합치기",
        obstacle: { "아직 할 수 없습니다. \($0)" }
    )
}

extension PageText.Sessions {
    static let korean = Self(
        current: "이 기기",
        unknownDevice: "알 수 없는 기기",
        device: { "\($1)의 \($0)" },
        network: "네트워크",
        lastSeen: "마지막 사용",
        opened: "로그인한 시간",
        confirmed: "2단계 인증으로 확인됨",
        close: { "\($0) 로그아웃" },
        closeOthers: "다른 모든 곳에서 로그아웃",
        noOthers: "다른 곳에서는 로그인하지 않았습니다."
    )
}

extension PageText.Reauthenticate {
    static let korean = Self(
        intro: "로그인한 지 오래되었습니다. 다시 로그인한 후 시도하십시오.",
        code: "계정에 2단계 인증이 있습니다. 확인한 후 다시 시도하십시오."
    )
}

extension PageText.Permissions {
    static let korean = Self(
        title: "공유하는 항목",
        manage: "공유하는 항목 변경",
        intro: { "변경할 때마다 \($0)에 다시 로그인합니다. 언제든지 되돌릴 수 있습니다." },
        granted: "공유함",
        declined: "공유하지 않음: 거부하셨습니다",
        expired: "사용하지 않아서 더 이상 공유하지 않음",
        unknown: "알 수 없음: 제공업체가 알려 주지 않습니다",
        request: { "공유: \($0)" },
        requestAgain: { "다시 묻기: \($0)" },
        revoke: { "공유 중지: \($0)" },
        all: "전체",
        allHint: { "이 서비스가 \($0) 계정에서 삭제됩니다. 나중에 다시 로그인할 수 있습니다." },
        revokeAll: { "\($0)의 모든 공유 중지" },
        back: "내 계정으로 돌아가기"
    )
}

extension PageText.Deletion {
    static let korean = Self(
        title: "계정 삭제",
        warning: "프로필, 로그인 방법, 세션이 삭제됩니다.",
        sure: "되돌릴 수 없음을 이해합니다",
        sureMissing: "계정을 삭제하려면 확인란을 선택하십시오."
    )
}

extension PageText.Password {
    static let korean = Self(
        forgottenTitle: "비밀번호 재설정",
        forgottenIntro: "이메일 주소를 입력하면 링크를 보내 드립니다.",
        send: "링크 보내기",
        sentTitle: "이메일을 확인하십시오",
        sent: "이 주소를 사용하는 계정이 있으면 링크를 보냈습니다. 스팸함도 확인하십시오.",
        again: "다시 시도",
        newTitle: "새 비밀번호",
        newPassword: "새 비밀번호",
        save: "비밀번호 저장",
        everywhere: "모든 기기에서 로그아웃됩니다.",
        verifyTitle: "이메일 주소 확인",
        verifyIntro: "메시지를 받았음을 확인하려면 버튼을 누르십시오.",
        verify: "주소 확인",
        change: "비밀번호 변경",
        add: "비밀번호 추가",
        elsewhere: "다른 모든 기기에서 로그아웃됩니다.",
        otherAccount: "비밀번호가 있는 계정이 이미 있습니까?",
        existing: "그 주소와 비밀번호를 입력하면 두 계정을 합칠 수 있습니다.",
        join: "계속"
    )
}

extension PageText.SignedOut {
    static let korean = Self(
        title: "로그아웃했습니다",
        intro: "제공업체에는 아직 로그인되어 있을 수 있습니다.",
        deletedTitle: "계정이 삭제되었습니다",
        deletedIntro: "모든 데이터가 삭제되었습니다."
    )
}

extension PageText.ProblemTexts {
    static let korean = Self(
        title: "처리하지 못했습니다",
        notFoundTitle: "페이지를 찾을 수 없습니다",
        code: "코드",
        requestID: "요청",
        start: "시작 페이지로 이동",
        signInAgain: "다시 로그인",
        newLink: "새 링크 요청",
        support: "지원팀에 문의",
        retryAfter: { $0 <= 60 ? "1분 후에 다시 시도하십시오." : "\(($0 + 59) / 60)분 후에 다시 시도하십시오." },
        explanation: { PageText.koreanExplanation(of: $0) },
        stale: "페이지를 너무 오래 열어 두셨습니다. 양식을 다시 제출하십시오.",
        noCookie: "브라우저가 이 사이트의 쿠키를 보내지 않았습니다. 쿠키를 허용하고 페이지를 다시 불러오십시오.",
        repeatedCookie:
            "브라우저가 이 사이트의 쿠키를 두 번 보내 받아들이지 않았습니다. 둘 다 삭제했으니 페이지를 다시 불러오고, 필요하면 다시 로그인하십시오.",
        otherSite: "이 사이트의 페이지에서 제출된 양식이 아닙니다. 이 사이트에서 페이지를 여십시오.",
        providerFailed: "제공업체에서 로그인이 취소되었거나 실패했습니다. 다시 로그인하십시오.",
        misconfigured: "지금은 로그인을 완료할 수 없습니다. 사용자의 잘못이 아닙니다.",
        unknownLogin:
            "이 브라우저에서 시작한 로그인이 아닙니다. 다른 브라우저나 앱에서 시작했거나 너무 오래되었을 수 있습니다. 여기에서 다시 로그인하십시오.",
        finishedLogin:
            "이미 끝난 로그인이므로 다시 사용할 수 없습니다. 로그인되어 있지 않다면 다시 로그인하십시오."
    )
}

extension PageText.Notices {
    static let korean = Self(
        cancelled: "로그인을 취소했습니다. 변경된 것은 없습니다.",
        linked: "로그인 방법을 연결했습니다.",
        unlinked: "로그인 방법의 연결을 해제했습니다.",
        merged: "두 계정을 합쳤습니다.",
        factorAdded: "앱을 추가했습니다. 앱을 잃어버릴 때를 대비해 지금 복구 코드를 만드십시오.",
        factorRemoved: "인증 방법을 삭제했습니다.",
        sessionClosed: "해당 기기에서 로그아웃했습니다.",
        othersClosed: "다른 모든 기기에서 로그아웃했습니다.",
        messageSent: "이메일 주소로 메시지를 보내고 있습니다.",
        emailVerified: "이메일 주소를 확인했습니다.",
        passwordChanged: "비밀번호를 변경했습니다. 새 비밀번호로 로그인하십시오.",
        confirmed: "감사합니다. 하려던 작업을 다시 시도하십시오.",
        notRecent: "최근 로그인이 아닙니다. 제공업체에서 로그아웃한 후 다시 시도하거나 다른 로그인 방법을 사용하십시오.",
        permissionGranted: "감사합니다. 이제 공유합니다.",
        permissionDeclined: "거부하셨습니다. 그 밖에 변경된 것은 없습니다.",
        permissionUnknown: "응답을 받았습니다. 제공업체는 이 항목의 공유 여부를 알려 주지 않습니다.",
        permissionRevoked: "더 이상 공유하지 않습니다.",
        loginRevoked: "더 이상 아무것도 공유하지 않습니다. 다시 동의하면 이 로그인 방법을 사용할 수 있습니다.",
        notLinked: "로그인했습니다. 다른 로그인 방법은 연결되지 않았습니다. 계정 페이지에서 연결할 수 있습니다.",
        passwordSaved: "비밀번호를 저장했습니다.",
        phoneAdded: "휴대전화를 추가했습니다. 휴대전화를 잃어버릴 때를 대비해 지금 복구 코드를 만드십시오.",
        signedUp: "계정을 만들었습니다. 보내 드린 이메일의 링크를 열어 주소를 확인하십시오."
    )
}
#endif
