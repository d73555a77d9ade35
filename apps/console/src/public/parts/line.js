import { html } from "../html.js";
import { Actions } from "./actions.js";
import { Choices } from "./choices.js";
import { DoneSteps } from "./done-steps.js";
import { Files } from "./files.js";
import { Markdown } from "./markdown.js";
import { QuestionState } from "./question.js";
import { SeenSteps } from "./seen-steps.js";

/** A stored line, `line` its signal. An answer that failed can be asked for again while it `isNewest`, and where `calls` can. */
export function Line({ line, isNewest, calls }) {
  const said = line.value;
  const isQuestion = said.choices !== undefined || said.question !== undefined;
  const names = ["line", said.from, said.isFailed && "failed", isQuestion && "question", said.did]
    .filter(Boolean)
    .join(" ");
  return html`
    <li class=${names} tabindex="-1" dir="auto" title=${new Date(said.at).toLocaleString()}>
      ${said.from === "person" ? html`<${Own} said=${said} />` : html`<${Answer} said=${said} calls=${calls} />`}
      <${Files} files=${said.files} read=${calls.file} />
      ${said.from === "agent" && html`<${Choices} said=${calls.press === undefined ? { ...said, choices: [] } : said} press=${calls.press} />`}
      <${QuestionState} question=${said.question} />
      ${said.from === "agent" && html`<${Actions} said=${said} retry=${isNewest && said.failure?.canRetry && calls.retry ? () => calls.retry(said.turnId) : undefined} />`}
    </li>
  `;
}

/** A person's words, as they were written. Files that are on their way are named. */
function Own({ said: { markdown, unsent = [] } }) {
  return html`${markdown}${unsent.map(({ name }) => html`<div>${name}</div>`)}`;
}

function Answer({ said, calls }) {
  return html`<${Steps} said=${said} read=${calls.steps} /><${Markdown} text=${said.markdown} />`;
}

/** From the journal, which knows what came of each; else what was seen here. */
function Steps({ said: { turnId, steps, seen }, read }) {
  if (steps !== undefined)
    return html`<${DoneSteps} count=${steps.count} failed=${steps.failed} ms=${seen?.ms} load=${() => read(turnId)} />`;
  return seen?.count.value > 0 && html`<${SeenSteps} steps=${seen} />`;
}
