/** Longer code is shown without colours. */
const longest = 50_000;
/** What takes longer than this never ends, as far as anybody waits for it. */
const patienceMs = 2_000;

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

/** One block after the other. */
let turn = Promise.resolve();
let worker;

/**
 * Colours the code of an element, which holds nothing but text and goes on to hold the same. A thread of its own reads the code, and is ended
 * when it does not come back: code that nobody can read in time stays as it is.
 */
export function highlight(element, named) {
  const language = names[named.toLowerCase()] ?? named.toLowerCase();
  const code = element.textContent;
  if (!known.has(language) || code.length > longest) return;
  turn = turn.then(async () => {
    if (!element.isConnected) return;
    const pieces = await read(code, language);
    if (pieces.map(([text]) => text).join("") !== code) return;
    element.replaceChildren(...pieces.map(nodeOf));
  });
}

function read(code, language) {
  const { promise, resolve } = Promise.withResolvers();
  worker ??= new Worker(import.meta.resolve("./highlight-worker.js"), { type: "module" });
  const timer = setTimeout(giveUp, patienceMs);
  worker.onmessage = ({ data }) => {
    clearTimeout(timer);
    resolve(data);
  };
  worker.onerror = giveUp;
  worker.postMessage({ code, language });
  return promise;

  function giveUp() {
    clearTimeout(timer);
    worker?.terminate();
    worker = undefined;
    resolve([]);
  }
}

function nodeOf([text, type]) {
  if (type === undefined) return text;
  const item = document.createElement("span");
  item.className = `code-${type}`;
  item.textContent = text;
  return item;
}
