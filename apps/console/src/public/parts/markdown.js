import { useSignalEffect } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { dressMarkdown } from "../dress-markdown.js";
import { html } from "../html.js";
import { renderGrowing, renderMarkdown } from "../markdown.js";

/** What the agent wrote. It stands there before the layout effects of whatever it is a part of. */
export function Markdown({ text }) {
  const words = useRef();
  useLayoutEffect(() => {
    words.current.replaceChildren(dressMarkdown(renderMarkdown(text), true));
  }, [text]);
  return html`<div class="words" ref=${words}></div>`;
}

/** The same while it grows, drawn once per frame, however many pieces came. `text` is a signal, `drawn()` is called after each. */
export function GrowingMarkdown({ text, drawn }) {
  const words = useRef();
  const frame = useRef();
  useSignalEffect(() => {
    if (text.value === "") return;
    frame.current ??= requestAnimationFrame(() => {
      frame.current = undefined;
      words.current.replaceChildren(dressMarkdown(renderGrowing(text.peek()), false));
      drawn();
    });
  });
  // Cleanups of `useEffect` run after the next paint: the frame would find its element gone.
  useLayoutEffect(() => () => cancelAnimationFrame(frame.current), []);
  return html`<div class="words" ref=${words}></div>`;
}
