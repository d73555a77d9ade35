import { useEffect, useState } from "preact/hooks";
import { html } from "../html.js";
import { Icon } from "../icons.js";
import { Composer } from "./composer.js";
import { Side } from "./side.js";
import { SignIn } from "./sign-in.js";
import { Transcript } from "./transcript.js";

/** The whole page. What stands at its side is a drawer where there is little room. */
export function Page({ page }) {
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);

  useEffect(() => {
    if (!isOpen) return undefined;
    const leave = new AbortController();
    const keyed = ({ key }) => key === "Escape" && close();
    addEventListener("keydown", keyed, { signal: leave.signal });
    return () => leave.abort();
  }, [isOpen]);

  return html`
    <${Side} page=${page} isOpen=${isOpen} close=${close} />
    ${isOpen && html`<button id="shade" type="button" aria-label="Close" onClick=${close}></button>`}
    <div id="chat">
      <${Head} page=${page} open=${() => setOpen(true)} />
      <${Transcript} transcript=${page.transcript} calls=${page.calls} />
      <${Composer} page=${page} />
    </div>
    <${SignIn} page=${page} />
  `;
}

function Head({ page, open }) {
  const connection = page.connection.value;
  return html`
    <header>
      <button type="button" class="small narrow" aria-label="Conversations" title="Conversations" onClick=${open}>
        <${Icon} name="list" />
      </button>
      <h1>Talaria</h1>
      <p id="connection" class=${connection === "connected" ? "connected" : ""} role="status">${connection}</p>
      <button type="button" class="small narrow" aria-label="New conversation" onClick=${() => page.show()}>
        <${Icon} name="create" />
      </button>
    </header>
  `;
}
