import { html } from "../html.js";
import { timeText } from "../time-text.js";

/** Until when a question waits, and when it was decided. What was decided stands in other words beside it. */
export function QuestionState({ question }) {
  if (question === undefined) return undefined;
  const { calls } = question;
  const waiting = calls.filter(({ state }) => state === "waiting");
  const until = waiting
    .map(({ expiresAt }) => expiresAt)
    .filter(Boolean)
    .toSorted()[0];
  const decidedAt = calls
    .map(({ at }) => at)
    .filter(Boolean)
    .toSorted()
    .at(-1);
  const share = waiting.length < calls.length ? `${waiting.length} of ${calls.length} wait` : "Waits for your answer";
  return html`
    <p class="state">
      ${waiting.length > 0 && `${share}${until === undefined ? "" : ` until ${timeText(until)}`}. `}
      ${decidedAt !== undefined && `Decided: ${timeText(decidedAt)}.`}
    </p>
  `;
}
