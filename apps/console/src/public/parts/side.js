import { html } from "../html.js";
import { Icon } from "../icons.js";
import { Connections } from "./connections.js";
import { ConversationList } from "./conversation-list.js";
import { Servers } from "./servers.js";

/** What stands beside the conversation, in the element that `place` refers to. `close()` is called where it is a drawer, once something in it is chosen. */
export function Side({ page, place, isOpen, close }) {
  const { calls } = page;
  const begin = () => {
    page.show();
    close();
  };
  return html`
    <aside id="side" ref=${place} class=${isOpen ? "open" : ""} aria-label="Conversations and connections">
      <header>
        <span>Talaria</span>
        <button type="button" class="small narrow" aria-label="Close" onClick=${close}><${Icon} name="close" /></button>
      </header>
      <button id="new-conversation" type="button" onClick=${begin}><${Icon} name="create" /> New conversation</button>
      <${ConversationList} page=${page} close=${close} />
      <${Connections} read=${calls.connections} />
      <${Servers} calls=${calls} />
    </aside>
  `;
}
