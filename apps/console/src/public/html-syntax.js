import { attributeOf, pairs, tagOf } from "./html-tags.js";

const escapes = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

export function escaped(text) {
  return text.replace(/[&<>"']/g, (character) => escapes[character]);
}

/** A comment; what looks like a tag; any other sign that a browser might take for the beginning of one. */
const pieces = /<!--[\s\S]*?-->|<\/?[a-z](?:"[^"]*"|'[^']*'|[^"'<>])*>|</gi;

/**
 * Tags as the package `markdown` reads them: what it does not know, such as the `<name>` of a placeholder, and half a pair are
 * words, which a browser would swallow. What is known goes to the sanitiser.
 */
export const htmlTokenizer = {
  /** Only a block that begins with a tag that stands for itself, or with a whole pair, keeps Markdown out. */
  html(text) {
    if (/^ {0,3}<!--/.test(text)) return false;
    const block = this.rules.block.html.exec(text)?.[0];
    const tag = block === undefined ? undefined : tagOf(block.trimStart().match(pieces)?.[0] ?? "");
    if (tag === undefined) return undefined;
    return !pairs.has(tag.meaning) || (!tag.isClosing && closes(block, tag)) ? false : undefined;
  },
  tag(text) {
    const raw = this.rules.inline.tag.exec(text)?.[0];
    if (raw === undefined) return undefined;
    const tag = tagOf(raw);
    if (tag === undefined && !raw.startsWith("<!--")) return { type: "text", raw, text: raw };
    if (/^<\/?a[\s>]/i.test(raw) && raw !== "<a>") this.lexer.state.inLink = !tag.isClosing;
    return { type: "html", raw, text: raw, block: false, inLink: this.lexer.state.inLink, inRawBlock: false };
  },
};

/** Called for each token of a text: makes words of what is left of tags that mark nothing up. */
export function readTags(token) {
  if (token.type === "html" && token.block) token.text = shownBlock(token.text);
  for (const line of linesOf(token)) readLine(line);
}

function closes(block, { name }) {
  return block.toLowerCase().includes(`</${name}`);
}

function linesOf(token) {
  if (token.type !== "table") return Array.isArray(token.tokens) ? [token.tokens] : [];
  return [...token.header, ...token.rows.flat()].map(({ tokens }) => tokens);
}

function readLine(tokens) {
  const places = [];
  let before = "";
  for (const token of tokens) {
    if (token.type === "html" && !token.block) places.push({ token, html: token.text, before });
    before = token.raw.at(-1) ?? "";
  }
  const shown = shownTags(places);
  for (const [index, { token }] of places.entries()) {
    const html = shown[index];
    if (html === undefined) Object.assign(token, { type: "text", escaped: false });
    else token.text = withoutHandlers(html);
  }
}

/** What sanitises the whole reads it first, and a browser notes each handler that it reads as one that the page wanted to run. */
function withoutHandlers(tag) {
  return tag.replaceAll(/\son[a-z]+\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'>]*)/gi, "");
}

function shownBlock(text) {
  const places = [...text.matchAll(pieces)].map(({ 0: html, index }) => ({
    html,
    index,
    before: text[index - 1] ?? "",
  }));
  const shown = shownTags(places);
  let written = "";
  let at = 0;
  for (const [n, { html, index }] of places.entries()) {
    written += text.slice(at, index) + (shown[n] === undefined ? escaped(html) : withoutHandlers(shown[n]));
    at = index + html.length;
  }
  return written + text.slice(at);
}

/** The HTML of each tag of a line, undefined for those that are words. */
function shownTags(places) {
  const tags = places.map(({ html }) => tagOf(html));
  const closed = new Set(tags.filter((tag) => tag?.isClosing).map(({ name }) => name));
  const shown = places.map(({ html, before }, index) => {
    const tag = tags[index];
    if (tag === undefined) return html.startsWith("<!--") ? "" : undefined;
    return pairs.has(tag.meaning) ? undefined : standing(tag, html, before, closed);
  });
  for (const [from, to] of pairsOf(tags)) {
    shown[from] = places[from].html;
    shown[to] = places[to].html;
  }
  return shown;
}

/** A name behind a word, as in `List<section>`, is part of it unless something closes it. */
function standing({ name, meaning, isClosing }, html, before, closed) {
  if (meaning === "picture") return pictureOf(html);
  const isWord = !isClosing && meaning !== "break" && !closed.has(name) && /\w/.test(before);
  return isWord ? undefined : html;
}

/** Pictures from elsewhere are not fetched. */
function pictureOf(html) {
  const url = attributeOf(html, "src");
  const words = attributeOf(html, "alt") || url;
  return words === "" ? "" : `<a href="${escaped(url)}">${escaped(words)}</a>`;
}

/** Where the tags of each pair stand. A pair takes in what was opened within it. */
export function pairsOf(tags) {
  const found = [];
  const opened = [];
  const waiting = new Map();
  for (const [index, tag] of tags.entries()) {
    if (tag === undefined || !pairs.has(tag.meaning)) continue;
    const count = waiting.get(tag.name) ?? 0;
    if (!tag.isClosing) {
      opened.push({ index, name: tag.name });
      waiting.set(tag.name, count + 1);
    } else if (count > 0)
      for (let last = opened.pop(); last !== undefined; last = opened.pop()) {
        waiting.set(last.name, waiting.get(last.name) - 1);
        if (last.name !== tag.name) continue;
        found.push([last.index, index]);
        break;
      }
  }
  return found;
}
