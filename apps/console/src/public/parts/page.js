import { html } from "../html.js";
import { Composer } from "./composer.js";
import { Connections } from "./connections.js";
import { Servers } from "./servers.js";
import { SignIn } from "./sign-in.js";
import { Transcript } from "./transcript.js";

/** The whole page. */
export function Page({ page }) {
  const { calls, transcript } = page;
  return html`
    <header>
      <h1>Talaria</h1>
      <p id="connection" role="status">${page.connection}</p>
      <button id="new-conversation" type="button" onClick=${() => page.show()}>New conversation</button>
    </header>
    <${Connections} read=${calls.connections} />
    <${Servers} calls=${calls} />
    <${Transcript} transcript=${transcript} calls=${calls} />
    <${Composer} page=${page} />
    <${SignIn} page=${page} />
  `;
}
