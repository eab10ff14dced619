// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
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
        guest: "이 기기에서만 게스트로 사용 중입니다. 계정을 유지하려면 로그인을 연결하십시오.",
        logins: "내 로그인",
        loginAs: { "\($0): \($1)" },
        linkedAt: "연결됨",
        lastUsed: "마지막 사용",
        shares: "이 서비스와 공유한 항목",
        permission: { PageText.koreanPermission($0) },
        passwordLogin: "이메일과 비밀번호",
        phoneLogin: "전화번호",
        notConfigured: "이 로그인은 지금 사용할 수 없습니다.",
        revoked: "제공업체에서 이 로그인을 취소하셨습니다. 사용하려면 다시 연결하십시오.",
        withoutPassword: "아직 비밀번호가 없습니다.",
        unlink: { "\($0) 연결 해제" },
        lastLogin: "작동하는 유일한 로그인입니다. 연결을 해제하려면 먼저 다른 로그인을 연결하십시오.",
        more: "로그인 추가",
        link: { "\($0) 연결" },
        factors: "2단계 인증",
        noFactors: "아직 없습니다. 2단계 인증은 다른 사람이 로그인 정보를 알아도 계정을 보호합니다.",
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
#endif
