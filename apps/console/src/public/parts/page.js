import { useEffect, useState } from "preact/hooks";
import { html } from "../html.js";
import { Composer } from "./composer.js";
import { Head } from "./head.js";
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
      <${Transcript} page=${page} />
      ${
        page.isElsewhere.value
          ? html`<p id="read-only">Read only: answer it where it takes place.</p>`
          : html`<${Composer} page=${page} />`
      }
    </div>
    <${SignIn} page=${page} />
  `;
}
