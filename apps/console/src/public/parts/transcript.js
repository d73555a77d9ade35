import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { createFollowEnd } from "../follow-end.js";
import { html } from "../html.js";
import { Icon } from "../icons.js";
import { createShownLines } from "../shown-lines.js";
import { Line } from "./line.js";
import { Reply } from "./reply.js";

/** The conversation, and at its end the replies that still grow. `page.older()` resolves with how many earlier lines there are now. */
export function Transcript({ page }) {
  const { transcript, lineCalls } = page;
  const view = useRef();
  const list = useRef();
  const shown = useMemo(() => createShownLines(transcript.lines), []);
  const follow = useMemo(() => createFollowEnd(shown, () => void page.older()), []);
  const lines = transcript.lines.value;
  const replies = transcript.replies.value;
  const wrote = transcript.wrote.value;
  const { from, until } = shown.places();

  useLayoutEffect(() => {
    transcript.beforeOlder = (count) => {
      follow.holdPlace();
      shown.moved(count);
    };
    return follow.begin(view.current, list.current);
  }, []);
  useLayoutEffect(follow.settle, [lines, replies, from, until]);
  useLayoutEffect(() => {
    if (wrote > 0) follow.toEnd();
  }, [wrote]);

  return html`
    <main ref=${view} onScroll=${follow.scrolled}>
      <ol id="lines" ref=${list} aria-live="polite" aria-label="Conversation">
        ${lines.slice(from, until).map(
          ({ key, line }, at) => html`
            <${Line}
              key=${key}
              line=${line}
              isNewest=${from + at === lines.length - 1}
              calls=${lineCalls}
            />
          `,
        )}
        ${
          until === lines.length &&
          replies.map((reply) => html`<${Reply} key=${reply.turnId} reply=${reply} drawn=${follow.settle} />`)
        }
      </ol>
      ${
        until < lines.length &&
        html`<button id="to-newest" type="button" class="round" aria-label="To the newest" onClick=${follow.toEnd}>
          <${Icon} name="down" />
        </button>`
      }
      ${
        lines.length + replies.length === 0 &&
        html`<p id="empty">Write a message. <code>/help</code> shows what else I understand.</p>`
      }
    </main>
  `;
}
