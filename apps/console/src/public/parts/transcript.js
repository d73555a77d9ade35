import { useSignalEffect } from "@preact/signals";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { createFollowEnd } from "../follow-end.js";
import { html } from "../html.js";
import { Line } from "./line.js";
import { Reply } from "./reply.js";

/** The conversation, and at its end the replies that still grow. */
export function Transcript({ transcript, calls }) {
  const view = useRef();
  const list = useRef();
  const follow = useMemo(createFollowEnd, []);
  const lines = transcript.lines.value;
  const replies = transcript.replies.value;

  useLayoutEffect(() => follow.begin(view.current, list.current), []);
  useLayoutEffect(follow.settle, [lines, replies]);
  useSignalEffect(() => {
    if (transcript.wrote.value > 0) follow.toEnd();
  });

  return html`
    <main ref=${view} onScroll=${follow.scrolled}>
      <ol id="lines" ref=${list} aria-live="polite" aria-label="Conversation">
        ${lines.map(
          ({ key, line }, at) => html`
            <${Line} key=${key} line=${line} isNewest=${at === lines.length - 1} calls=${calls} drawn=${follow.settle} />
          `,
        )}
        ${replies.map((reply) => html`<${Reply} key=${reply.turnId} reply=${reply} drawn=${follow.settle} />`)}
      </ol>
      ${
        lines.length + replies.length === 0 &&
        html`<p id="empty">Write a message. <code>/help</code> shows what else I understand.</p>`
      }
    </main>
  `;
}
