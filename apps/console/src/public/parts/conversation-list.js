import { useEffect, useRef } from "preact/hooks";
import { html } from "../html.js";
import { timeText } from "../time-text.js";

const everyMs = 15_000;
/** A burst of news is one look, and so are the letters of a word. */
const calmMs = 300;

/** The conversations, newest first. `close()` is called once one is chosen. */
export function ConversationList({ page, close }) {
  const { conversations, transcript } = page;
  const { list, next, isPartial, problem, query, isAll, changes } = conversations;
  const typing = useRef();
  const { connection, shown } = page;
  const news = [connection.value, transcript.lines.value, transcript.replies.value.length, shown.value, changes.value];

  useEffect(() => {
    const timer = setTimeout(() => void page.markRead().then(conversations.look), calmMs);
    return () => clearTimeout(timer);
  }, news);
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === "visible" && void conversations.look(), everyMs);
    return () => {
      clearInterval(timer);
      clearTimeout(typing.current);
    };
  }, []);

  function search({ currentTarget }) {
    clearTimeout(typing.current);
    const words = currentTarget.value;
    typing.current = setTimeout(() => {
      void conversations.choose(() => {
        query.value = words;
      });
    }, calmMs);
  }
  const widen = ({ currentTarget }) => {
    void conversations.choose(() => {
      isAll.value = currentTarget.checked;
    });
  };

  return html`
    <input type="search" placeholder="Search" aria-label="Search conversations" maxlength="200" onInput=${search} />
    <label class="choice"><input type="checkbox" onChange=${widen} /> All platforms</label>
    <nav aria-label="Conversations">
      <ul id="conversations">
        ${list.value.map(
          (one) => html`<${Row} key=${one.key} one=${one} isShown=${page.isShown(one)} close=${close} />`,
        )}
      </ul>
      ${
        list.value.length === 0 &&
        query.value !== "" &&
        html`<p class="quiet">Nothing found${isPartial.value ? " in time. Add a word." : "."}</p>`
      }
      ${next.value !== undefined && html`<button type="button" onClick=${conversations.more}>More</button>`}
    </nav>
    <p class="problem" role="alert">${problem}</p>
  `;
}

function Row({ one, isShown, close }) {
  const { id, key, platform, title, preview, lastAt, unread = 0, isRunning, waiting } = one;
  const address =
    id === undefined ? `#elsewhere=${encodeURIComponent(key)}` : `#conversation=${encodeURIComponent(id)}`;
  const marks = [
    isRunning && { name: "running", text: "…", words: "an answer is being written" },
    waiting > 0 && { name: "waiting", text: "?", words: `${waiting} waiting for your answer` },
    unread > 0 && !isShown && { name: "unread", text: unread >= 100 ? "99+" : unread, words: `${unread} unread` },
  ].filter(Boolean);
  return html`
    <li>
      <a href=${address} aria-current=${isShown ? "page" : undefined} onClick=${close}>
        <span class="title" dir="auto">${title || "New conversation"}</span>
        <time datetime=${lastAt}>${timeText(lastAt)}</time>
        <span class="preview" dir="auto">${[platform !== "web" && platform, preview].filter(Boolean).join(": ")}</span>
        <span class="marks">
          ${marks.map(
            ({ name, text, words }) =>
              html`<span key=${name} class=${`mark ${name}`} role="img" title=${words} aria-label=${words}>${text}</span>`,
          )}
        </span>
      </a>
    </li>
  `;
}
