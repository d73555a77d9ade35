import { html } from "../html.js";
import { GrowingMarkdown } from "./markdown.js";
import { SeenSteps } from "./seen-steps.js";

/** A reply that still grows. */
export function Reply({ reply: { text, steps }, drawn }) {
  return html`
    <li class="line agent growing" dir="auto">
      <${SeenSteps} steps=${steps} />
      <${GrowingMarkdown} text=${text} drawn=${drawn} />
    </li>
  `;
}
