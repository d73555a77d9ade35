import { useEffect, useRef } from "preact/hooks";
import { html } from "../html.js";

/** Asks for the token as long as the page lacks one. */
export function SignIn({ page }) {
  const dialog = useRef();
  const field = useRef();
  const problem = page.token.value;

  useEffect(() => {
    if (problem === undefined) dialog.current.close();
    else if (!dialog.current.open) dialog.current.showModal();
  }, [problem]);

  const submit = (event) => {
    event.preventDefault();
    const given = field.current.value.trim();
    field.current.value = "";
    page.signIn(given);
  };

  return html`
    <dialog ref=${dialog} onCancel=${(event) => event.preventDefault()} aria-labelledby="sign-in">
      <form onSubmit=${submit}>
        <h2 id="sign-in">Token needed</h2>
        <p>
          Where Talaria runs, <code>talaria open</code> prints an address that opens this page with the token, and${" "}
          <code>talaria token show</code> the token alone. Paste it here.
        </p>
        <p class="problem" role="alert">${problem}</p>
        <input ref=${field} type="password" aria-label="Token" autocomplete="off" />
        <button type="submit">Continue</button>
      </form>
    </dialog>
  `;
}
