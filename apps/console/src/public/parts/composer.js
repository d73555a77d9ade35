import { useEffect, useRef, useState } from "preact/hooks";
import { html } from "../html.js";
import { Icon } from "../icons.js";
import { createSending } from "../sending.js";
import { ChosenFiles } from "./chosen-files.js";

/** The field that people write in, and the files that go along. */
export function Composer({ page }) {
  const field = useRef();
  const files = useRef();
  const [problem, setProblem] = useState("");
  const [isEmpty, setEmpty] = useState(true);
  const [sending] = useState(() => createSending(page));

  async function submit(event) {
    event?.preventDefault();
    setProblem("");
    const left = await sending.send(field.current, looked);
    if (left === undefined) return;
    if (left.text !== undefined && field.current.value === "") field.current.value = left.text;
    looked();
    setProblem(left.problem);
  }

  async function stop() {
    try {
      await page.calls.stop();
    } catch (error) {
      setProblem(`Not stopped: ${error.message}`);
    }
  }

  const looked = () => setEmpty(field.current.value.trim() === "");

  const add = (chosen) => setProblem(page.chosen.add(chosen));
  useDropsAndPastes(add);

  function keyed(event) {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    void submit();
  }

  return html`
    <form id="composer" aria-label="New message" onSubmit=${submit}>
      <button type="button" class="round" aria-label="Attach" title="Attach files" onClick=${() => files.current.click()}>
        <${Icon} name="attach" />
      </button>
      <textarea
        id="text"
        ref=${field}
        dir="auto"
        rows="1"
        placeholder="Message"
        aria-label="Message"
        autocomplete="off"
        onInput=${looked}
        onKeyDown=${keyed}
      ></textarea>
      <${Buttons} transcript=${page.transcript} isEmpty=${isEmpty && page.chosen.list.value.length === 0} stop=${stop} />
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

/** While an answer runs it can be stopped, and words that are written meanwhile can be sent all the same. */
function Buttons({ transcript, isEmpty, stop }) {
  const isRunning = transcript.replies.value.length > 0;
  return html`
    ${isRunning && html`<button type="button" class="round" aria-label="Stop" title="Stop" onClick=${stop}><${Icon} name="stop" /></button>`}
    ${(!isRunning || !isEmpty) && html`<button type="submit" class="round" aria-label="Send" title="Send"><${Icon} name="send" /></button>`}
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
