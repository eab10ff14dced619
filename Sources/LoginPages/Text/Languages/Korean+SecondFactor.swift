// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
extension PageText.SecondFactor {
    static let korean = Self(
        title: "본인 확인",
        choose: "어떻게 확인하시겠습니까?",
        withApp: { "\($0)의 코드 사용" },
        withPhone: { "\($0)(으)로 끝나는 전화번호로 코드 보내기" },
        withRecovery: "복구 코드 사용",
        appCode: "앱의 코드",
        appHint: "앱에 30초마다 새 코드가 나타납니다.",
        phoneCode: "메시지의 코드",
        phoneHint: { "\($0)(으)로 끝나는 전화번호로 보냈습니다." },
        recoveryCode: "복구 코드",
        recoveryHint: "복구 코드 열 개 중 하나입니다. 각각 한 번만 사용할 수 있습니다.",
        codeMissing: "코드를 입력하십시오.",
        codeReplayed: "이미 사용한 코드입니다. 앱에 다음 코드가 나타날 때까지 기다리십시오.",
        submit: "확인",
        another: "다른 방법 사용",
        backToSignIn: "로그인으로 돌아가기",
        attemptsLeft: { "\($0)번 더 시도할 수 있습니다." },
        timeLeft: { "\($0)분 안에 코드를 입력하십시오." }
    )
}

extension PageText.Phone {
    static let korean = Self(
        signInTitle: "전화번호로 로그인",
        linkTitle: "로그인할 전화번호 추가",
        enrollTitle: "코드를 받을 휴대전화 추가",
        enrollIntro: "지금 이 휴대전화로 코드를 보냅니다. 이후 로그인할 때마다 코드를 묻습니다.",
        number: "전화번호",
        numberHint: "+와 국가 번호로 시작합니다. 예: +49 30 123456",
        numberMissing: "전화번호를 입력하십시오.",
        send: "코드 보내기",
        resend: "새 코드 보내기",
        another: "다른 번호 사용",
        confirm: "휴대전화 추가",
        reauthenticate: { "\($0)(으)로 끝나는 번호로 코드 보내기" },
        withNamed: { "\($0)(끝 번호 \($1))(으)로 코드 보내기" }
    )
}

extension PageText.Enroll {
    static let korean = Self(
        title: "인증 앱 추가",
        intro: "일회용 코드 앱이 필요합니다. 이후 로그인할 때마다 코드를 묻습니다.",
        name: "기기의 이름은 무엇입니까?",
        nameHint: "나중에 알아보기 위한 이름입니다. 선택 사항입니다.",
        begin: "계속",
        scan: "앱으로 이 QR 코드를 스캔하십시오.",
        picture: "앱에서 스캔할 키의 QR 코드",
        cannotScan: "스캔할 수 없습니까?",
        type: "이 키를 앱에 입력하십시오. 대소문자는 구분하지 않습니다.",
        key: "키",
        open: "이 기기에서 앱 열기",
        once: "키는 지금만 표시됩니다.",
        thenCode: "앱에 나타나는 6자리 코드를 입력하십시오.",
        confirm: "앱 추가",
        notShown: "키는 다시 표시되지 않습니다. 앱에 없으면 다시 시작하십시오.",
        again: "새 키로 다시 시작"
    )
}

extension PageText.Recovery {
    static let korean = Self(
        title: "복구 코드",
        intro: "휴대전화를 잃어버리면 이 코드 중 하나로 로그인하십시오. 각 코드는 한 번만 사용할 수 있습니다.",
        replaced: "이전 코드는 더 이상 사용할 수 없습니다.",
        once: "지금 이 코드를 저장하십시오. 다시 표시되지 않습니다.",
        done: "저장했습니다",
        later: "나중에 하기"
    )
}
#endif
