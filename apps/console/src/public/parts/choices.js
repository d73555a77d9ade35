import { useState } from "preact/hooks";
import { html } from "../html.js";
import { Markdown } from "./markdown.js";

/**
 * The buttons below a line, which has the focus once one is pressed: they may go away. All are disabled while one is pressed, and stay so once the gateway has it; one that could not be sent can be
 * pressed again. `closed` of the line says how the question ended: those choices decide nothing any more.
 */
export function Choices({ said: { id, choices = [], closed }, press }) {
  const [pressed, setPressed] = useState({});
  if (choices.length === 0 && closed === undefined) return undefined;
  const isWaiting = pressed.id !== undefined && pressed.problem === undefined && pressed.closed === closed;

  async function send(choiceId, { currentTarget }) {
    currentTarget.closest("li").focus();
    setPressed({ id: choiceId, closed });
    try {
      await press(id, choiceId);
    } catch (error) {
      setPressed({ id: choiceId, closed, problem: `Not sent: ${error.message}` });
    }
  }

  return html`
    <div class="choices" role="group">
      ${choices.map(
        (choice) => html`
          <button
            type="button"
            key=${choice.id}
            disabled=${isWaiting || closed?.choices.includes(choice.id)}
            aria-pressed=${pressed.id === choice.id && pressed.problem === undefined ? "true" : undefined}
            onClick=${(event) => send(choice.id, event)}
          >
            ${choice.label}
          </button>
        `,
      )}
    </div>
    ${pressed.problem !== undefined && html`<p class="problem" role="alert">${pressed.problem}</p>`}
    ${closed !== undefined && html`<div class="ending"><${Markdown} text=${closed.words} /></div>`}
  `;
}
