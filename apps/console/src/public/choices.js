import { renderMarkdown } from "./markdown.js";

/**
 * The buttons below a line, in `items`, a list of none or one. All are disabled while one is pressed, and stay so once the gateway
 * has it; one that could not be sent can be pressed again. `close({ words, choices })` says how the question ended: those choices
 * decide nothing any more.
 */
export function createChoices({ id, choices = [], closed }, press) {
  if (choices.length === 0 && closed === undefined) return { items: [], close() {} };
  let spent = [];
  const group = document.createElement("div");
  group.className = "choices";
  group.setAttribute("role", "group");
  const buttons = choices.map((choice) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = choice.label;
    button.dataset.choice = choice.id;
    button.addEventListener("click", () => void send(button, choice.id));
    return button;
  });
  const ending = document.createElement("div");
  ending.className = "ending";
  ending.hidden = true;
  group.append(...buttons);
  if (closed !== undefined) close(closed);

  function close({ words, choices: decided }) {
    spent = decided;
    ending.replaceChildren(renderMarkdown(words));
    ending.hidden = false;
    enable(true);
  }

  function enable(enabled) {
    for (const button of buttons) button.disabled = !enabled || spent.includes(button.dataset.choice);
  }

  async function send(pressed, choiceId) {
    enable(false);
    pressed.setAttribute("aria-pressed", "true");
    try {
      await press(id, choiceId);
    } catch (error) {
      pressed.removeAttribute("aria-pressed");
      pressed.title = `Not sent: ${error.message}`;
      enable(true);
    }
  }

  return { items: [group, ending], close };
}
