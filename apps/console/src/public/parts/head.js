import { useEffect, useState } from "preact/hooks";
import { html } from "../html.js";
import { Icon } from "../icons.js";
import { EditConversation } from "./edit-conversation.js";

/** How often it is asked whether people get answers, and how soon after something has come. */
const looks = { everyMs: 5_000, soonMs: 1_000 };

/** What the colour of the dot says. */
const means = {
  sound: "people get answers",
  troubled: "people get no answers",
  waiting: "messages wait until Talaria is back",
  unknown: "whether people get answers is not known yet",
};

/** Above the conversation: its title, how the connection is, and what can be done with it. `open()` shows the list where it is a drawer. */
export function Head({ page, open }) {
  const [isEdited, setEdited] = useState(false);
  const connection = page.connection.value;
  const known = page.conversations.list.value.find(page.isShown);
  const trouble = page.trouble.value;
  const isConnected = connection === "connected";
  const { state, line } = isConnected ? (trouble ?? { state: "unknown", line: "" }) : { state: "", line: "" };
  const isSaid = state === "troubled" || state === "waiting";

  useEffect(() => {
    if (!isConnected) return undefined;
    const look = () => document.visibilityState === "visible" && void page.look();
    const first = setTimeout(look, looks.soonMs);
    const others = setInterval(look, looks.everyMs);
    return () => {
      clearTimeout(first);
      clearInterval(others);
    };
  }, [isConnected, page.transcript.lines.value]);

  return html`
    <header>
      <button type="button" class="small narrow" aria-label="Conversations" title="Conversations" onClick=${open}>
        <${Icon} name="list" />
      </button>
      <h1 dir="auto">${known?.title || "Talaria"}</h1>
      <p id="connection" class=${state} role="status" title=${means[state]}>
        ${connection}${isSaid && html`<span class="unseen">, ${means[state]}</span>`}
      </p>
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
      ${line !== "" && html`<p id="trouble" class=${state} role="status">${line}</p>`}
      ${isEdited && known !== undefined && html`<${EditConversation} page=${page} known=${known} close=${() => setEdited(false)} />`}
    </header>
  `;
}
