import { createAskedThread } from "./asked-thread.js";

/** Longer code is shown without colours. */
const longest = 50_000;

/** Other names of languages. */
const names = {
  "c++": "c",
  console: "bash",
  cpp: "c",
  dockerfile: "docker",
  golang: "go",
  h: "c",
  htm: "html",
  javascript: "js",
  json5: "json",
  jsonc: "json",
  jsx: "js",
  makefile: "make",
  markdown: "md",
  mjs: "js",
  patch: "diff",
  perl: "pl",
  python: "py",
  rust: "rs",
  sh: "bash",
  shell: "bash",
  svg: "xml",
  tsx: "ts",
  typescript: "ts",
  yml: "yaml",
  zsh: "bash",
};
const known = new Set(
  "asm bash c css csv diff docker go html http ini java js json lua make md pl py regex rs sql toml ts xml yaml".split(
    " ",
  ),
);

const read = createAskedThread(import.meta.resolve("./highlight-worker.js"), { type: "module" });

/**
 * Colours the code of an element, which holds nothing but text and goes on to hold the same. A thread of its own reads the code, and is ended
 * when it does not come back: code that nobody can read in time stays as it is.
 */
export async function highlight(element, named) {
  const language = names[named.toLowerCase()] ?? named.toLowerCase();
  const code = element.textContent;
  if (!known.has(language) || code.length > longest) return;
  const pieces = await read({ code, language }, () => element.isConnected);
  if (pieces?.map(([text]) => text).join("") === code) element.replaceChildren(...pieces.map(nodeOf));
}

function nodeOf([text, type]) {
  if (type === undefined) return text;
  const item = document.createElement("span");
  item.className = `code-${type}`;
  item.textContent = text;
  return item;
}
