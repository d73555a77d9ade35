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
          The gateway prints an address with a token when it starts, and keeps the token in the file <code>token</code> of its data folder.
          Paste the token here.
        </p>
        <p class="problem" role="alert">${problem}</p>
        <input ref=${field} type="password" aria-label="Token" autocomplete="off" />
        <button type="submit">Continue</button>
      </form>
    </dialog>
  `;
}
