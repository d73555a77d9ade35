import { useEffect, useRef } from "preact/hooks";
import { html } from "../html.js";

/** Commands that a text may become. The one that is marked is seen, however long the list is. */
export function CommandMenu({ found, at, choose }) {
  const marked = useRef();
  useEffect(() => marked.current?.scrollIntoView({ block: "nearest" }), [at]);
  if (found.length === 0) return undefined;
  return html`
    <ul id="commands" role="listbox" tabindex="0" aria-label="Commands">
      ${found.map(
        (command, place) => html`
          <li
            key=${command.name}
            id=${`command-${command.name}`}
            ref=${place === at ? marked : undefined}
            role="option"
            aria-selected=${place === at ? "true" : "false"}
            onMouseDown=${(event) => event.preventDefault()}
            onClick=${() => choose(command)}
          >
            <code>/${command.name}</code> ${command.text.replaceAll("`", "")}
          </li>
        `,
      )}
    </ul>
  `;
}
