import { newId } from "./new-id.js";

/**
 * The field that people write in. `send(text, id)` posts a message and resolves with its event id. What could not be
 * sent stays in the field, and keeps its id when it is sent again: it counts once, even if only the answer was lost.
 */
export function createComposer({ form, field, problem }, transcript, send) {
  let unsent;

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const text = field.value.trim();
    if (text === "") return;
    const id = unsent?.text === text ? unsent.id : newId();
    unsent = undefined;
    field.value = "";
    problem.textContent = "";
    transcript.writing(id, text);
    try {
      transcript.accepted(id, await send(text, id));
    } catch (error) {
      transcript.refused(id);
      unsent = { text, id };
      if (field.value === "") field.value = text;
      problem.textContent = `Not sent: ${error.message}`;
    }
  });

  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    form.requestSubmit();
  });
}
