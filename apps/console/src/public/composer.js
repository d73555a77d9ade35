import { newId } from "./new-id.js";

/**
 * The field that people write in, and the files that go along. `send(text, files, id)` posts a message and resolves with its event id. What could not be
 * sent stays in the field, and keeps its id when it is sent again: it counts once, even if only the answer was lost.
 */
export function createComposer({ form, field, problem }, chosen, transcript, send) {
  let unsent;
  let isSending = false;

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if ((field.value.trim() === "" && chosen.isEmpty) || isSending) return;
    problem.textContent = "";
    const files = await uploaded();
    if (files === undefined) return;
    const text = field.value.trim();
    const said = JSON.stringify([text, files]);
    const id = unsent?.said === said ? unsent.id : newId();
    unsent = undefined;
    field.value = "";
    transcript.writing(id, text, files);
    try {
      transcript.accepted(id, await send(text, files, id));
      chosen.sent(files);
    } catch (error) {
      transcript.refused(id);
      unsent = { said, id };
      if (field.value === "") field.value = text;
      problem.textContent = `Not sent: ${error.message}`;
    }
  });

  /** Undefined: one could not be sent. */
  async function uploaded() {
    if (chosen.isEmpty) return [];
    isSending = true;
    try {
      return await chosen.uploaded();
    } catch (error) {
      problem.textContent = `Not sent: ${error.message}`;
      return undefined;
    } finally {
      isSending = false;
    }
  }

  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    form.requestSubmit();
  });
}
