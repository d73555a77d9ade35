import { useEffect, useRef, useState } from "preact/hooks";
import { commandsFor, keyInMenu } from "../command-menu.js";
import { html } from "../html.js";
import { Icon } from "../icons.js";
import { createSending } from "../sending.js";
import { ChosenFiles } from "./chosen-files.js";
import { CommandMenu } from "./command-menu.js";
import { SendButtons } from "./send-buttons.js";
import { useFilesFromPage } from "./use-files-from-page.js";

/** A keyboard on the screen has no Shift+Enter, and would cover the page on its own accord. */
const isTouched = () => matchMedia("(pointer: coarse)").matches;

/** The field that people write in, and the files that go along. */
export function Composer({ page }) {
  const field = useRef();
  const files = useRef();
  const [problem, setProblem] = useState("");
  const [text, setText] = useState("");
  const [marked, setMarked] = useState();
  const [sending] = useState(() => createSending(page));
  const found = commandsFor(text, page.commands.value);
  const conversation = page.conversation.value;

  useEffect(() => {
    if (!isTouched()) field.current.focus();
  }, [conversation]);

  function looked() {
    setText(field.current.value);
    setMarked(undefined);
  }

  function write(words) {
    field.current.value = words;
    field.current.focus();
    looked();
  }

  async function submit(event) {
    event?.preventDefault();
    setProblem("");
    const left = await sending.send(field.current, looked);
    if (left === undefined) return;
    if (left.text !== undefined && field.current.value === "") write(left.text);
    setProblem(left.problem);
  }

  async function stop() {
    if (!isTouched()) field.current.focus();
    try {
      await page.calls.stop();
    } catch (error) {
      setProblem(`Not stopped: ${error.message}`);
    }
  }

  const add = (chosen) => setProblem(page.chosen.add(chosen));
  useFilesFromPage(add);

  const choose = ({ name }) => write(`/${name} `);

  function keyed(event) {
    if (event.isComposing) return;
    const inMenu = keyInMenu(event.key, found, marked);
    if (inMenu?.chosen !== undefined) choose(inMenu.chosen);
    else if (inMenu !== undefined) setMarked(inMenu.at);
    else if (event.key === "ArrowUp" && field.current.value === "") write(page.transcript.lastWords());
    else if (event.key === "Enter" && !event.shiftKey && !isTouched()) void submit();
    else return;
    event.preventDefault();
  }

  return html`
    <form id="composer" aria-label="New message" onSubmit=${submit}>
      <${CommandMenu} found=${found} at=${marked} choose=${choose} />
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
        aria-activedescendant=${marked === undefined ? undefined : `command-${found[marked]?.name}`}
        autocomplete="off"
        onInput=${looked}
        onKeyDown=${keyed}
      ></textarea>
      <${SendButtons} page=${page} isEmpty=${text.trim() === ""} stop=${stop} />
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
