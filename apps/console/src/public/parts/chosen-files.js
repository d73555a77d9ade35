import { html } from "../html.js";
import { sizeText } from "../size-text.js";
import { inReadingOrder } from "../text-order.js";

/** The files that go with the next message. */
export function ChosenFiles({ chosen }) {
  return html`
    <ul id="chosen" aria-label="Files of the message">
      ${chosen.list.value.map(
        (one) => html`
          <li key=${one}>
            <span>${`${inReadingOrder(one.file.name)} (${sizeText(one.file.size)})`}</span>
            <${Share} one=${one} />
            <button type="button" class="file" aria-label=${`Remove ${inReadingOrder(one.file.name)}`} onClick=${() => chosen.remove(one)}>
              Remove
            </button>
          </li>
        `,
      )}
    </ul>
  `;
}

function Share({ one: { file, share } }) {
  return html`<progress max="1" value=${share.value} aria-label=${`${inReadingOrder(file.name)} is sent`}></progress>`;
}
