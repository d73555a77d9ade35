import DOMPurify from "dompurify";
import { Marked } from "marked";
import { addressBeside } from "./address-beside.js";
import { closeMarkdown } from "./close-markdown.js";
import { escaped } from "./html-syntax.js";
import { growing, syntax } from "./markdown-syntax.js";
import { directionOf } from "./text-order.js";

const options = { gfm: true, breaks: true, async: false };
const renderer = { code: codeOf, checkbox: ({ checked }) => taskMark(checked) };
const whole = new Marked(options, syntax, { renderer });
const partial = new Marked(options, syntax, growing, { renderer });

const allowed = {
  USE_PROFILES: { html: true },
  FORBID_TAGS: ["img", "picture", "source", "audio", "video", "track", "style", "form", "input", "button", "dialog"],
  FORBID_ATTR: ["style", "id", "class", "name", "dir"],
  ALLOW_DATA_ATTR: false,
  ADD_ATTR: ["data-formula", "data-language", "data-task"],
};

/** What a browser may open from here; relative addresses would lead into the console. */
const links = /^(?:https?:\/\/|mailto:|tel:|sms:|xmpp:|matrix:)/i;

DOMPurify.addHook("beforeSanitizeAttributes", (node) => {
  const address = node.tagName === "A" ? node.getAttribute("href") : null;
  if (address === null || links.test(address)) return;
  node.removeAttribute("href");
  node.append(addressBeside(node.textContent, address));
});

DOMPurify.addHook("afterSanitizeAttributes", (node) => {
  if (node.tagName === "A") {
    node.setAttribute("target", "_blank");
    node.setAttribute("rel", "noopener noreferrer nofollow");
  }
});

/** What the agent wrote, as nodes that can neither run nor fetch anything. */
export function renderMarkdown(text) {
  return drawn(text, () => whole.parse(text));
}

/** The same of an answer that still grows, without halves of marks and tags. */
export function renderGrowing(text) {
  return drawn(text, () => partial.parse(closeMarkdown(text)));
}

/** What is nested deeper than the stack holds is shown as it was written. */
function drawn(text, parse) {
  try {
    return safe(parse());
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return safe(`<p>${escaped(text).replaceAll("\n", "<br>")}</p>`);
  }
}

function safe(html) {
  const nodes = DOMPurify.sanitize(html, { ...allowed, RETURN_DOM_FRAGMENT: true });
  for (const block of [...nodes.children, ...nodes.querySelectorAll("p, li, td, th, h1, h2, h3, h4, h5, h6")])
    setDirection(block);
  return nodes;
}

/** How a block is read: as its own letters, and without any as what is around it. */
function setDirection(block) {
  const direction = block.tagName === "PRE" ? "ltr" : directionOf(block.textContent);
  if (direction !== undefined) block.dir = direction;
}

/** Code with the name of its language, if it has one, where `dressMarkdown` finds it. */
function codeOf({ text, lang }) {
  const [language] = /^[\w#+.-]{1,30}/.exec(lang ?? "") ?? [];
  const named = language === undefined ? "" : ` data-language="${language}"`;
  return `<pre${named}><code>${escaped(text.replace(/\n$/, ""))}\n</code></pre>\n`;
}

/** Nothing in an answer can be ticked: the box is a sign. */
function taskMark(isDone) {
  return `<span data-task role="img" aria-label="${isDone ? "done" : "open"}">${isDone ? "☑" : "☐"}</span> `;
}
