import { html } from "../html.js";
import { Icon } from "../icons.js";

/** While an answer runs it can be stopped, and what is written meanwhile can be sent all the same. */
export function SendButtons({ page, isEmpty, stop }) {
  const isRunning = page.transcript.replies.value.length > 0;
  const isReady = !isEmpty || page.chosen.list.value.length > 0;
  return html`
    ${
      isRunning &&
      html`<button type="button" class="round" aria-label="Stop" title="Stop" onClick=${stop}><${Icon} name="stop" /></button>`
    }
    ${
      (!isRunning || isReady) &&
      html`<button type="submit" class="round" aria-label="Send" title="Send"><${Icon} name="send" /></button>`
    }
  `;
}
