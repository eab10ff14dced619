// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
/// The style sheet of all pages.
///
/// It has no animations, so it needs no rules for `prefers-reduced-motion`.
enum StyleSheet {
    /// The file.
    static let asset = PageAsset("/assets/style.css", type: "text/css; charset=utf-8", text)

    /// The style sheet.
    static let text = """
        :root {
          color-scheme: light dark;
          --ground: #eef0f3;
          --page: #ffffff;
          --card: #f4f5f7;
          --text: #1b1b1f;
          --faint: #54575e;
          --line: #767980;
          --link: #0b4fb3;
          --strong: #0b57d0;
          --on-strong: #ffffff;
          --bad: #a8201a;
          --good: #14602b;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --ground: #0e1013;
            --page: #1a1d21;
            --card: #25292f;
            --text: #ececf0;
            --faint: #b4b7be;
            --line: #8e9199;
            --link: #a8c7fa;
            --strong: #a8c7fa;
            --on-strong: #062e6f;
            --bad: #f5b5b0;
            --good: #8fdca3;
          }
        }
        * { box-sizing: border-box; }
        html { font: 100%/1.5 system-ui, sans-serif; scroll-padding: 2rem; background: var(--ground); }
        body { max-width: 44rem; margin: 0 auto; padding: 2rem 1rem; color: var(--text); overflow-wrap: anywhere; }
        main { background: var(--page); border-radius: .75rem; padding: 1.75rem 2rem; }
        h1 { font-size: 1.75rem; line-height: 1.25; margin: 0 0 1.25rem; }
        h2 { font-size: 1.25rem; line-height: 1.3; margin: 2rem 0 .75rem; }
        h2.small, h3 { font-size: 1rem; margin: 1rem 0 .5rem; }
        p, ul, ol, dl { margin: 0 0 1rem; }
        a { color: var(--link); display: inline-block; min-height: 1.5rem; text-underline-offset: .2em; }
        a:hover { text-decoration-thickness: .15em; }
        :focus-visible { outline: .1875rem solid var(--link); outline-offset: .1875rem; border-radius: .125rem; }
        main:focus, .problems:focus { outline: none; }
        .skip { position: absolute; left: -100rem; }
        .skip:focus { position: static; }
        header { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; align-items: center; margin: 0 .25rem 1rem; }
        header p { margin: 0; }
        .service { flex: 1 0 auto; font-size: 1.125rem; }
        .service a { color: var(--text); font-weight: 700; text-decoration: none; }
        .person { color: var(--faint); }
        nav { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; align-items: center; }
        footer { margin: 1rem .25rem 0; font-size: .9375rem; }
        footer nav { gap: 0 .25rem; justify-content: center; }
        footer strong, footer button.secondary { padding: .5rem; }
        footer button.secondary { border-color: transparent; font-weight: 400; }
        form { margin: 0 0 1rem; }
        nav form { margin: 0; }
        .field { margin: 0 0 1.25rem; }
        label, legend { font-weight: 600; padding: 0; }
        label { display: inline-block; min-height: 1.5rem; }
        .hint { color: var(--faint); margin: 0 0 .25rem; }
        .problem { color: var(--bad); font-weight: 600; margin: 0 0 .25rem; }
        input[type=text], input[type=email], input[type=password] {
          display: block; width: 100%; min-height: 2.75rem; padding: .5rem .75rem; font: inherit;
          color: var(--text); background: var(--page); border: 1px solid var(--line); border-radius: .25rem;
        }
        input[aria-invalid=true] { border: .1875rem solid var(--bad); }
        input[type=radio], input[type=checkbox] {
          width: 1.5rem; height: 1.5rem; margin: 0; flex: none; accent-color: var(--strong);
        }
        fieldset { border: 0; margin: 0 0 1.25rem; padding: 0; min-width: 0; }
        .choice { display: flex; gap: .75rem; align-items: center; min-height: 2.75rem; }
        .choice label { font-weight: 400; }
        button {
          min-height: 2.75rem; min-width: 2.75rem; max-width: 100%; padding: .5rem 1rem; font: inherit; font-weight: 600;
          border: 2px solid var(--strong); border-radius: .375rem; cursor: pointer;
          background: var(--strong); color: var(--on-strong);
        }
        button.secondary { background: transparent; color: var(--link); border-color: var(--line); }
        button.danger { background: transparent; color: var(--bad); border-color: var(--bad); }
        button:hover { text-decoration: underline; text-decoration-thickness: .15em; text-underline-offset: .2em; }
        .notice, .problems { border: .125rem solid var(--good); border-radius: .375rem; padding: .75rem 1rem; margin: 0 0 1.5rem; }
        .problems { border-color: var(--bad); }
        .problems h2 { margin: 0 0 .5rem; }
        .problems ul { margin: 0; padding-left: 1.25rem; }
        .problems a { color: var(--bad); font-weight: 600; }
        .cards, .ways { list-style: none; padding: 0; }
        .cards > li { background: var(--card); border-radius: .5rem; padding: .25rem 1rem; margin: 0 0 1rem; }
        .ways > li { margin: 0 0 .75rem; }
        .cards ul { margin: 0; padding: 0; list-style: none; }
        .mark { color: var(--good); font-weight: 600; }
        dl > div { display: flex; flex-wrap: wrap; gap: 0 1rem; margin: 0 0 .25rem; }
        dt { color: var(--faint); min-width: 9rem; }
        dd { margin: 0; flex: 1 1 12rem; min-width: 0; }
        code { font: 1rem/1.6 ui-monospace, monospace; }
        .codes { padding-left: 2.5rem; }
        .codes code { font-weight: 600; }
        .initials {
          display: grid; place-items: center; width: 4rem; height: 4rem; border-radius: 50%;
          background: var(--strong); color: var(--on-strong); font-size: 1.5rem; font-weight: 600;
        }
        .picture svg { display: block; width: 100%; max-width: 16rem; height: auto; }
        /* Pages for visitors who are not signed in: one narrow column with wide buttons. */
        body:not(:has(header nav)) { max-width: 29rem; }
        body:not(:has(header nav)) main button { width: 100%; }
        @media (max-width: 32rem) {
          body { padding: 1rem 0; }
          header, footer { margin-left: 1rem; margin-right: 1rem; }
          main { border-radius: 0; padding: 1.25rem 1rem; }
        }
        @media print {
          header, form, .skip { display: none; }
          body { max-width: none; }
        }

        """
}
#endif
