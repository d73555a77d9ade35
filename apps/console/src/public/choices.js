/**
 * The buttons below a line, in a list of none or one. All are disabled while one is pressed, and stay so once the gateway
 * has it; one that could not be sent can be pressed again.
 */
export function createChoices({ id, choices = [] }, press) {
  if (choices.length === 0) return [];
  const group = document.createElement("div");
  group.className = "choices";
  group.setAttribute("role", "group");
  const buttons = choices.map((choice) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = choice.label;
    button.addEventListener("click", () => void send(button, choice.id));
    return button;
  });
  group.append(...buttons);

  async function send(pressed, choiceId) {
    for (const button of buttons) button.disabled = true;
    pressed.setAttribute("aria-pressed", "true");
    try {
      await press(id, choiceId);
    } catch (error) {
      pressed.removeAttribute("aria-pressed");
      pressed.title = `Not sent: ${error.message}`;
      for (const button of buttons) button.disabled = false;
    }
  }

  return [group];
}
