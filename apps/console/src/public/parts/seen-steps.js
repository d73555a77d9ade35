import { useEffect, useState } from "preact/hooks";
import { html } from "../html.js";
import { sumOf, timeOf } from "../steps.js";

/** What a turn does, folded: closed, it says what is done now, and while words come how many steps that were. */
export function SeenSteps({ steps }) {
  const current = steps.current.value;
  const count = steps.count.value;
  const [now, setNow] = useState(0);

  useEffect(() => {
    if (current === undefined) return undefined;
    const tick = setInterval(() => setNow(steps.now()), 1_000);
    return () => clearInterval(tick);
  }, [current]);

  if (current === undefined && count === 0) return undefined;
  const list = steps.list.value;
  const sum = current === undefined ? sumOf(count, steps.ms) : `${current.label}${timeOf(now - current.at)} …`;
  return html`
    <details class="steps">
      <summary>${sum}</summary>
      <ol start=${count - list.length + 1}>
        ${list.map(({ label, ms = 0 }) => html`<li>${label}${timeOf(ms)}</li>`)}
      </ol>
    </details>
  `;
}
