import { useEffect, useRef, useState } from "preact/hooks";
import { html } from "../html.js";
import { Composer } from "./composer.js";
import { Head } from "./head.js";
import { Side } from "./side.js";
import { SignIn } from "./sign-in.js";
import { Transcript } from "./transcript.js";

/** Where the side stands beside the conversation, as in `side.css`. */
const isWide = matchMedia("(width >= 48rem)");

/** The whole page. What stands at its side is a drawer where there is little room. */
export function Page({ page }) {
  const [isOpen, setOpen] = useState(false);
  const side = useRef();
  const opener = useRef();
  const close = () => setOpen(false);
  const open = () => {
    opener.current = document.activeElement;
    setOpen(true);
  };

  useEffect(() => {
    if (!isOpen) return undefined;
    const leave = new AbortController();
    const { signal } = leave;
    const keyed = ({ key }) => key === "Escape" && close();
    addEventListener("keydown", keyed, { signal });
    isWide.addEventListener("change", close, { signal });
    side.current.querySelector("button").focus();
    return () => {
      leave.abort();
      const { activeElement } = document;
      if (activeElement === document.body || side.current.contains(activeElement)) opener.current.focus();
    };
  }, [isOpen]);

  return html`
    <${Side} page=${page} place=${side} isOpen=${isOpen} close=${close} />
    ${isOpen && html`<button id="shade" type="button" aria-label="Close" onClick=${close}></button>`}
    <div id="chat" inert=${isOpen}>
      <${Head} page=${page} open=${open} />
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
