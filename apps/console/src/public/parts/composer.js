import { useEffect, useRef, useState } from "preact/hooks";
import { html } from "../html.js";
import { createSending } from "../sending.js";
import { ChosenFiles } from "./chosen-files.js";

/** The field that people write in, and the files that go along. */
export function Composer({ page }) {
  const field = useRef();
  const files = useRef();
  const [problem, setProblem] = useState("");
  const [sending] = useState(() => createSending(page));

  async function submit(event) {
    event?.preventDefault();
    setProblem("");
    const left = await sending.send(field.current);
    if (left === undefined) return;
    if (left.text !== undefined && field.current.value === "") field.current.value = left.text;
    setProblem(left.problem);
  }

  const add = (chosen) => setProblem(page.chosen.add(chosen));
  useDropsAndPastes(add);

  function keyed(event) {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    void submit();
  }

  return html`
    <form id="composer" onSubmit=${submit}>
      <textarea
        id="text"
        ref=${field}
        dir="auto"
        rows="1"
        placeholder="Message"
        aria-label="Message"
        autocomplete="off"
        onKeyDown=${keyed}
      ></textarea>
      <button type="button" onClick=${() => files.current.click()}>Attach</button>
      <button type="submit">Send</button>
      <input
        ref=${files}
        type="file"
        multiple
        hidden
        aria-label="Files"
        onChange=${({ currentTarget }) => {
          add(currentTarget.files);
          currentTarget.value = "";
        }}
      />
      <${ChosenFiles} chosen=${page.chosen} />
      <p class="problem" role="alert">${problem}</p>
    </form>
  `;
}

/** Files that are dropped or pasted anywhere on the page. */
function useDropsAndPastes(add) {
  useEffect(() => {
    const leave = new AbortController();
    const { signal } = leave;
    document.addEventListener("dragover", (event) => event.preventDefault(), { signal });
    for (const name of ["drop", "paste"])
      document.addEventListener(
        name,
        (event) => {
          const { files } = event.dataTransfer ?? event.clipboardData;
          if (files.length === 0) return;
          event.preventDefault();
          add(files);
        },
        { signal },
      );
    return () => leave.abort();
  }, []);
}
