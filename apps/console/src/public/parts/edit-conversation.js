import { useEffect, useRef, useState } from "preact/hooks";
import { html } from "../html.js";

/** Renames a conversation, or deletes it, which is asked twice. */
export function EditConversation({ page, known, close }) {
  const dialog = useRef();
  const field = useRef();
  // As it was when the dialog opened: what somebody types stays whatever happens to the list.
  const [title] = useState(known.isNamed ? known.title : "");
  const [isSure, setSure] = useState(false);
  const [problem, setProblem] = useState("");
  useEffect(() => dialog.current.showModal(), []);

  /** A dialog that closes gives the focus back to where it was. With its conversation gone from the list, it is gone itself. */
  const leave = () => {
    dialog.current?.close();
    close();
  };

  async function attempt(work, done = () => {}) {
    try {
      await work();
      leave();
      done();
      await page.conversations.look();
    } catch (error) {
      setProblem(`Not done: ${error.message}`);
    }
  }

  const rename = (event) => {
    event.preventDefault();
    void attempt(() => page.calls.rename(known.id, field.current.value.trim()));
  };
  const remove = () => {
    if (!isSure) return setSure(true);
    void attempt(
      () => page.calls.remove(known.id),
      () => page.show(),
    );
  };

  return html`
    <dialog ref=${dialog} onClose=${close} aria-labelledby="edit-conversation">
      <form onSubmit=${rename}>
        <h2 id="edit-conversation">Conversation</h2>
        <label>
          Title
          <input ref=${field} maxlength="200" defaultValue=${title} placeholder=${known.title} autocomplete="off" />
        </label>
        <p class="problem" role="alert">${problem}</p>
        <div class="choices">
          <button type="submit">Rename</button>
          <button type="button" onClick=${leave}>Cancel</button>
          <button type="button" class="grave" onClick=${remove}>${isSure ? "Delete it for good" : "Delete …"}</button>
        </div>
      </form>
    </dialog>
  `;
}
