import { useState } from "preact/hooks";
import { html } from "../html.js";
import { Icon } from "../icons.js";
import { CopyButton } from "./copy-button.js";

/** What can be done with an answer. `retry` is there where it failed and can be asked for again. */
export function Actions({ said, retry }) {
  return html`
    <div class="actions">
      <${CopyButton} label="Copy answer" read=${() => said.markdown} />
      ${retry !== undefined && html`<${RetryButton} retry=${retry} />`}
    </div>
  `;
}

function RetryButton({ retry }) {
  const [state, setState] = useState({});
  async function press({ currentTarget }) {
    currentTarget.closest("li").focus();
    setState({ isBusy: true });
    try {
      await retry();
    } catch (error) {
      setState({ problem: `Not sent: ${error.message}` });
    }
  }
  return html`
    <button type="button" disabled=${state.isBusy} onClick=${press}><${Icon} name="retry" /> Retry</button>
    ${state.problem !== undefined && html`<p class="problem" role="alert">${state.problem}</p>`}
  `;
}
