// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
/// The style sheet of all pages.
///
/// It has no animations, so it needs no rules for `prefers-reduced-motion`.
enum StyleSheet {
    /// The file.
    static let asset = PageAsset("/assets/style.css", type: "text/css; charset=utf-8", text.utf8)

    /// The style sheet.
    static let text = """
        :root {
          color-scheme: light dark;
          --ground: #f3f4f6;
          --page: #ffffff;
          --card: #f6f7f9;
          --text: #1a1c20;
          --faint: #565a63;
          --edge: #dfe2e7;
          --line: #7f838c;
          --link: #0b4fb3;
          --strong: #0b57d0;
          --on-strong: #ffffff;
          --bad: #a8201a;
          --bad-tint: #fdf0ef;
          --good: #14602b;
          --good-tint: #ecf7ef;
          --warn: #8a5300;
          --warn-tint: #fdf4e3;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --ground: #0f1114;
            --page: #1a1d21;
            --card: #22262b;
            --text: #ececf0;
            --faint: #b4b7be;
            --edge: #31363d;
            --line: #868a93;
            --link: #a8c7fa;
            --strong: #a8c7fa;
            --on-strong: #062e6f;
            --bad: #f5b5b0;
            --bad-tint: #33201f;
            --good: #8fdca3;
            --good-tint: #19291e;
            --warn: #f2c879;
            --warn-tint: #2e2617;
          }
        }

        /* One column: narrow for visitors who are not signed in, and the whole width of a phone. */
        * { box-sizing: border-box; }
        html { font: 100%/1.5 system-ui, sans-serif; scroll-padding: 2rem; background: var(--ground); }
        body { max-width: 46rem; margin: 0 auto; padding: 2rem 1rem; color: var(--text); overflow-wrap: anywhere; }
        body:not(:has(header nav)) { max-width: 28rem; padding-top: 3.5rem; }
        main { background: var(--page); border: 1px solid var(--edge); border-radius: 1rem; padding: 2rem; }
        main > :last-child, main > section:last-child > :last-child { margin-bottom: 0; }
        header { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; margin: 0 0 1.25rem; }
        header p { margin: 0; }
        body:not(:has(header nav)) header { text-align: center; }
        body:not(:has(header nav)) .service img { margin: 0 auto; }
        body:not(:has(header nav)) main button { width: 100%; }
        body:not(:has(header nav)) main a.secondary { width: 100%; }
        body:not(:has(header nav)) main a.primary { width: 100%; }
        .service { flex-grow: 1; font-size: 1.25rem; font-weight: 700; letter-spacing: -.01em; }
        .service a { display: inline-block; padding: .4375rem 0; color: var(--text); text-decoration: none; }
        .service img { display: block; width: 10rem; height: 2.5rem; object-fit: contain; }
        .person { color: var(--faint); font-size: .9375rem; }
        nav { display: flex; flex-wrap: wrap; gap: 0 1.25rem; align-items: center; }
        nav a { padding: .625rem 0; }
        nav a[aria-current=page] { color: var(--text); font-weight: 600; text-decoration: none; }
        nav form { margin: 0; }
        footer { margin: 1rem 0 0; font-size: .875rem; }
        footer nav { gap: 0; justify-content: center; }
        footer strong, footer button.quiet { padding: .5rem; }
        footer button.quiet { color: var(--faint); font-weight: 400; }
        .skip { position: absolute; left: -100rem; }
        .skip:focus { position: static; }

        /* Texts. */
        h1 { font-size: 1.625rem; line-height: 1.25; letter-spacing: -.01em; margin: 0 0 1.5rem; }
        h2 { font-size: 1.125rem; line-height: 1.35; margin: 0 0 1rem; }
        main > h2 { margin-top: 2rem; }
        h2.small, h3 { font-size: 1rem; margin: 0 0 .5rem; }
        p, ul, ol, dl, form { margin: 0 0 1rem; }
        main > section + section, main > form + section {
          border-top: 1px solid var(--edge); padding-top: 1.75rem; margin-top: 1.75rem;
        }
        main > section + form { margin-top: 1.25rem; }
        a { color: var(--link); display: inline-block; min-height: 1.5rem; text-underline-offset: .2em; }
        a:hover { text-decoration-thickness: .15em; }
        code { font: 1rem/1.6 ui-monospace, monospace; }
        main p > a, .ways a { padding: .625rem 0; }
        main p:has(> a) { margin-bottom: .25rem; }
        .mark { color: var(--good); font-weight: 600; }
        details { margin: 0 0 1rem; }
        summary { color: var(--link); padding: .625rem 0; cursor: pointer; }
        :focus-visible { outline: .1875rem solid var(--link); outline-offset: .1875rem; }
        main:focus, .problems:focus { outline: none; }
        .success, .neutral, .warning, .problems {
          position: relative; background: var(--bad-tint); border-inline-start: .25rem solid var(--bad);
          border-radius: .375rem; padding: .75rem 1rem; margin: 0 0 1.5rem;
        }
        .success { background: var(--good-tint); border-color: var(--good); }
        .neutral { background: var(--card); border-color: var(--line); }
        .warning { background: var(--warn-tint); border-color: var(--warn); }
        /* The mark of a notice, which does not depend on colors (WCAG 2.2, 1.4.1). Screen readers skip it. */
        .success, .neutral, .warning { padding-inline-start: 2.75rem; }
        .success::before, .neutral::before, .warning::before {
          position: absolute; inset-inline-start: 1.125rem; font-weight: 700;
        }
        .success::before { content: "✓"; content: "✓" / ""; color: var(--good); }
        .neutral::before { content: "i"; content: "i" / ""; color: var(--faint); }
        .warning::before { content: "!"; content: "!" / ""; color: var(--warn); }
        .warning > :last-child { margin-bottom: 0; }
        .problems h2 { font-size: 1rem; margin: 0 0 .25rem; }
        .problems ul { margin: 0; padding-inline-start: 1.25rem; }
        .problems a { display: inline; color: var(--bad); font-weight: 600; }

        /* Forms. */
        label, legend { font-weight: 600; padding: 0; }
        label { display: inline-block; min-height: 1.5rem; margin: 0 0 .25rem; }
        .field, fieldset { margin: 0 0 1.25rem; }
        .hint { color: var(--faint); font-size: .9375rem; margin: 0 0 .375rem; }
        .problem { color: var(--bad); font-weight: 600; margin: 0 0 .375rem; }
        input[type=text], input[type=email], input[type=password] {
          display: block; width: 100%; min-height: 2.75rem; padding: .5rem .75rem; font: inherit;
          color: var(--text); background: var(--page); border: 1px solid var(--line); border-radius: .5rem;
        }
        input[autocomplete=one-time-code] {
          width: 12rem; max-width: 100%; font-size: 1.25rem; letter-spacing: .2em;
        }
        input[aria-invalid=true] { border: .125rem solid var(--bad); }
        input[type=radio], input[type=checkbox] {
          width: 1.5rem; height: 1.5rem; margin: 0; flex: none; accent-color: var(--strong);
        }
        fieldset { border: 0; padding: 0; min-width: 0; }
        .choice { display: flex; gap: .75rem; align-items: center; min-height: 2.75rem; }
        .choice label { display: flex; align-items: center; min-height: 2.75rem; font-weight: 400; margin: 0; }
        button, a.primary, a.secondary {
          min-height: 2.75rem; min-width: 2.75rem; max-width: 100%; padding: .5rem 1.125rem;
          font: inherit; font-weight: 600;
          color: var(--on-strong); background: var(--strong); border: 1px solid var(--strong); border-radius: .5rem;
          cursor: pointer;
        }
        a.primary, a.secondary { margin: 0 0 1rem; text-align: center; text-decoration: none; }
        button.secondary, a.secondary { color: var(--text); background: var(--page); border-color: var(--line); }
        button.quiet { color: var(--link); background: transparent; border-color: transparent; }
        button.danger { color: var(--page); background: var(--bad); border-color: var(--bad); }
        button:hover, a.primary:hover, a.secondary:hover { text-decoration: underline; text-underline-offset: .2em; }
        button:has(> img) { position: relative; padding-inline: 3rem; }
        button img {
          position: absolute; inset-inline-start: 1rem; top: 50%; margin-top: -.625rem;
          width: 1.25rem; height: 1.25rem; object-fit: contain;
        }
        .actions { display: flex; flex-wrap: wrap; gap: .5rem 1.25rem; align-items: center; }
        .actions a { padding: .625rem 0; text-align: center; }
        /* The word between the providers and the password form. */
        .or {
          display: flex; gap: 1rem; align-items: center; margin: 1.5rem 0;
          color: var(--faint); font-size: .9375rem;
        }
        .or::before, .or::after { content: ""; flex: 1; border-top: 1px solid var(--edge); }
        .guest { margin-top: 1.5rem; }

        /* Lists. */
        .cards, .ways, .methods { list-style: none; padding: 0; }
        .cards > li {
          background: var(--card); border: 1px solid var(--edge); border-radius: .75rem;
          padding: 1rem 1.25rem; margin: 0 0 1rem;
        }
        .cards > li > :last-child { margin-bottom: 0; }
        .cards ul { margin: 0; padding: 0; list-style: none; }
        .ways > li { margin: 0 0 .25rem; }
        .methods > li { margin: 0 0 .5rem; }
        .methods form { margin: 0; }
        .methods button { width: 100%; }
        .methods a.secondary { width: 100%; margin: 0; }
        dl > div { display: flex; flex-wrap: wrap; gap: 0 1rem; margin: 0 0 .625rem; }
        dt { color: var(--faint); min-width: 9rem; }
        dd { margin: 0; flex: 1 1 9rem; min-width: 0; }
        .codes { padding-inline-start: 2.5rem; }
        .codes code { font-weight: 600; }
        .initials {
          display: grid; place-items: center; width: 4rem; height: 4rem; border-radius: 50%;
          background: var(--strong); color: var(--on-strong); font-size: 1.5rem; font-weight: 600;
        }
        .steps > li { margin: 0 0 1.5rem; }
        .key { display: flex; flex-direction: column-reverse; align-items: flex-start; }
        .picture { width: 100%; margin: 0 0 1rem; }
        .picture svg { display: block; width: 100%; max-width: 16rem; height: auto; border-radius: .5rem; }

        @media (max-width: 34rem) {
          html { background: var(--page); }
          body, body:not(:has(header nav)) { padding: 1.25rem; }
          main { border: 0; border-radius: 0; padding: 0; }
          main button, main a.primary, main a.secondary { width: 100%; }
          .actions { flex-direction: column; align-items: stretch; }
          header nav { flex: 1 0 100%; }
          header nav form { margin-inline-start: auto; }
          footer { margin-top: 2rem; }
          .key { flex-direction: column; }
          .codes { padding-inline-start: 2rem; }
          .codes code { font-size: .8125rem; }
        }
        @media print {
          header, footer, form, a.primary, .skip { display: none; }
          body { max-width: none; }
        }

        """
}
#endif
