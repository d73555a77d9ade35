import { useEffect, useState } from "preact/hooks";
import { copyText } from "../copy-text.js";
import { html } from "../html.js";
import { Icon } from "../icons.js";

const saidMs = 2_000;

/** Copies what `read()` answers, and says for a moment that it did. */
export function CopyButton({ label, read }) {
  const [said, setSaid] = useState();
  useEffect(() => {
    if (said === undefined) return undefined;
    const timer = setTimeout(() => setSaid(undefined), saidMs);
    return () => clearTimeout(timer);
  }, [said]);

  async function press() {
    try {
      await copyText(read());
      setSaid("Copied");
    } catch (error) {
      setSaid(`Not copied: ${error.message}`);
    }
  }
  const name = said ?? label;
  return html`
    <button type="button" class="small" aria-label=${name} title=${name} onClick=${press}>
      <${Icon} name=${said === "Copied" ? "copied" : "copy"} />
    </button>
  `;
}
