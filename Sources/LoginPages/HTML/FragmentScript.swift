// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
/// The script of ``FragmentPage``, the only script of the pages.
enum FragmentScript {
    /// The file.
    static let asset = PageAsset("/assets/fragment.js", type: "text/javascript; charset=utf-8", text.utf8)

    /// The script.
    private static let text = """
        "use strict";
        // Browsers do not send the fragment of a URL to the server, so its parameters are posted as a form.
        const parameters = Array.from(new URLSearchParams(location.hash.slice(1)));
        // The token must remain neither in the address bar nor in the history.
        history.replaceState(null, "", location.pathname);
        if (parameters.length > 0) {
          const form = document.createElement("form");
          form.method = "post";
          form.action = location.pathname;
          for (const [name, value] of parameters) {
            const field = document.createElement("input");
            field.type = "hidden";
            field.name = name;
            field.value = value;
            form.append(field);
          }
          document.body.append(form);
          // A parameter named "submit" hides the method of the form itself.
          HTMLFormElement.prototype.submit.call(form);
        } else {
          document.getElementById("pending").hidden = true;
          document.getElementById("missing").hidden = false;
        }

        """
}
#endif
