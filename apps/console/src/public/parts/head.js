import { useState } from "preact/hooks";
import { html } from "../html.js";
import { Icon } from "../icons.js";
import { EditConversation } from "./edit-conversation.js";

/** Above the conversation: its title, how the connection is, and what can be done with it. `open()` shows the list where it is a drawer. */
export function Head({ page, open }) {
  const [isEdited, setEdited] = useState(false);
  const connection = page.connection.value;
  const known = page.conversations.list.value.find(page.isShown);
  return html`
    <header>
      <button type="button" class="small narrow" aria-label="Conversations" title="Conversations" onClick=${open}>
        <${Icon} name="list" />
      </button>
      <h1 dir="auto">${known?.title || "Talaria"}</h1>
      <p id="connection" class=${connection === "connected" ? "connected" : ""} role="status">${connection}</p>
      ${
        known?.id !== undefined &&
        html`
          <button type="button" class="small" aria-label="Rename or delete" title="Rename or delete" onClick=${() => setEdited(true)}>
            <${Icon} name="more" />
          </button>
        `
      }
      <button type="button" class="small narrow" aria-label="New conversation" onClick=${() => page.show()}>
        <${Icon} name="create" />
      </button>
      ${isEdited && known !== undefined && html`<${EditConversation} page=${page} known=${known} close=${() => setEdited(false)} />`}
    </header>
  `;
}
