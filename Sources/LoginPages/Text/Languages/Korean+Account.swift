// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
extension PageText.AccountTexts {
    static let korean = Self(
        title: "내 계정",
        profile: "프로필",
        name: "이름",
        noName: "알 수 없음",
        email: "이메일 주소",
        verified: "확인됨",
        notVerified: "확인되지 않음",
        verify: "주소 확인 메시지 보내기",
        createdAt: "가입한 날",
        guest: "게스트로 사용 중입니다. 이 계정을 유지하려면 로그인 방법을 추가하십시오.",
        save: "이 계정 저장",
        logins: "로그인 방법",
        loginAs: { "\($0): \($1)" },
        linkedAt: "연결됨",
        lastUsed: "마지막 사용",
        shares: "이 서비스와 공유한 항목",
        permission: { PageText.koreanPermission($0) },
        passwordLogin: "이메일과 비밀번호",
        phoneLogin: "전화번호",
        notConfigured: "이 로그인 방법은 지금 사용할 수 없습니다.",
        revoked: "제공업체에서 이 로그인 방법을 취소하셨습니다. 사용하려면 다시 연결하십시오.",
        withoutPassword: "아직 비밀번호가 없습니다.",
        unlink: { "\($0) 연결 해제" },
        lastLogin: "작동하는 유일한 로그인 방법입니다. 연결을 해제하려면 먼저 다른 방법을 추가하십시오.",
        more: "로그인 방법 추가",
        link: { "\($0) 연결" },
        addPhone: "전화번호 추가",
        factors: "2단계 인증",
        noFactors: "꺼져 있습니다. 로그인할 때 코드를 요청하여 비밀번호가 도난당해도 계정을 보호합니다.",
        app: "인증 앱",
        phone: { "\($0)(으)로 끝나는 전화번호" },
        removeFactor: { "\($0) 삭제" },
        codesLeft: { "복구 코드가 \($0)개 남았습니다." },
        noCodes: "복구 코드가 없습니다. 휴대전화를 잃어버리면 로그인할 수 없습니다.",
        makeCodes: "새 복구 코드 만들기",
        data: "내 데이터",
        download: "내 데이터 내려받기",
        delete: "내 계정 삭제"
    )
}

extension PageText.Confirmations {
    static let korean = Self(
        signOutTitle: "로그아웃하고 이 계정을 잃으시겠습니까?",
        signOut: "게스트는 다시 로그인할 수 없습니다. 이 계정과 데이터를 유지하려면 로그아웃하기 전에 계정을 저장하십시오.",
        unlink: { "더 이상 \($0)(으)로 이 계정에 로그인할 수 없습니다." },
        removeFactor: "여기에서 해당 코드를 더 이상 사용할 수 없습니다. 다른 방법은 계속 계정을 보호합니다.",
        removeLastFactor: "2단계 인증이 꺼집니다. 복구 코드를 더 이상 사용할 수 없습니다.",
        makeCodes: "현재 복구 코드를 더 이상 사용할 수 없습니다."
    )
}
#endif
