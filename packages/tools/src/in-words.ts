import type { ToolWords } from "@talaria/protocol";

type Input = Readonly<Record<string, unknown>>;
type InWords = (input: Input) => ToolWords;

/** What people read who are asked whether a call may run, by the tool's name. Behind "May I". */
export const inWords: Readonly<Record<string, InWords>> = {
  send_message: ({ to, text }) => ({
    headline: ["send this message to ", nameOf(to)],
    parts: [{ kind: "text", text: textOf(text) }],
    says: ["to", "text"],
  }),
  send_file: ({ name, content }) => ({
    headline: content === undefined ? ["send a file here"] : ["send this file here: ", nameOf(name)],
    parts: content === undefined ? [] : [{ kind: "block", text: textOf(content) }],
    says: content === undefined ? [] : ["name", "content"],
  }),
  read_file: ({ path }) => ({ headline: ["read the file ", nameOf(path)], says: ["path"] }),
  search_files: ({ path = "." }) => ({ headline: ["search the files in ", nameOf(path)], says: ["path"] }),
  write_file: ({ path, content }) => ({
    headline: ["write the file ", nameOf(path), ", in place of what may be there"],
    parts: [{ kind: "block", text: textOf(content) }],
    says: ["path", "content"],
  }),
  edit_file: ({ path, oldText, newText }) => ({
    headline: ["change the file ", nameOf(path)],
    parts: [{ kind: "difference", text: difference(textOf(oldText), textOf(newText)) }],
    says: ["path", "oldText", "newText"],
  }),
  terminal: () => ({ headline: ["run this command"], says: [] }),
  run_with_secrets: ({ secrets }) => ({ headline: ["run this command with ", ...secretNames(secrets)], says: [] }),
  process: ({ action, id }) => processWords(textOf(action), id),
  execute_code: ({ language, secrets }) => ({
    headline: [
      `run this ${language === "node" ? "JavaScript" : "Python"} code`,
      ...(Array.isArray(secrets) && secrets.length > 0 ? [" with ", ...secretNames(secrets)] : []),
    ],
    says: ["language"],
  }),
  web_search: ({ query }) => ({ headline: ["search the web for ", nameOf(query)], says: ["query"] }),
  web_fetch: ({ url, secret }) => ({
    headline: ["read ", addressIn(url), ...(secret === undefined ? [] : [" with ", ...secretNames([secret])])],
    says: ["url"],
  }),
  web_extract: ({ url }) => ({ headline: ["read ", addressIn(url)], says: ["url"] }),
  browser_open: ({ url }) => ({ headline: ["open ", addressIn(url), " in the browser"], says: ["url"] }),
  browser_read: ({ url }) => ({ headline: ["read ", addressIn(url), " in the browser"], says: ["url"] }),
  browser_screenshot: ({ url }) => ({ headline: ["take a picture of ", addressIn(url)], says: ["url"] }),
  browser_click: ({ url, element }) => ({
    headline: ["click ", nameOf(element), " on ", addressIn(url)],
    says: ["url", "element"],
  }),
  browser_type: ({ url, element, text }) => ({
    headline: ["type this into ", nameOf(element), " on ", addressIn(url)],
    parts: [{ kind: "text", text: textOf(text) }],
    says: ["url", "element", "text"],
  }),
  generate_image: ({ prompt }) => ({
    headline: ["have a picture made"],
    parts: [{ kind: "text", text: textOf(prompt) }],
    says: ["prompt"],
  }),
  speak: ({ text }) => ({
    headline: ["have this said as speech"],
    parts: [{ kind: "text", text: textOf(text) }],
    says: ["text"],
  }),
  transcribe: ({ id }) => ({ headline: ["have the recording ", nameOf(id), " written down"], says: ["id"] }),
  read_attachment: ({ id }) => ({ headline: ["read the file ", nameOf(id)], says: ["id"] }),
  current_time: () => ({ headline: ["look at the clock"], says: [] }),
  find_conversations: ({ name }) => ({
    headline: name === undefined ? ["list conversations"] : ["look for conversations named ", nameOf(name)],
    says: ["name"],
  }),
  search_conversations: ({ query }) => ({
    headline: ["search what was said before for ", nameOf(query)],
    says: ["query"],
  }),
  memory: ({ action, text, ids }) => ({
    headline:
      action === "add"
        ? ["remember this"]
        : [`${action === "remove" ? "forget" : "put this in the place of"} what I know under `, ...numbersIn(ids)],
    parts: action === "remove" ? [] : [{ kind: "text", text: textOf(text) }],
    says: ["action", "text", "ids"],
  }),
  recall: () => ({ headline: ["look at what I remember"], says: ["words"] }),
  skill: ({ name }) => ({ headline: ["read the skill ", nameOf(name)], says: ["name"] }),
  ask: ({ question }) => ({
    headline: ["ask this"],
    parts: [{ kind: "text", text: textOf(question) }],
    says: ["question"],
  }),
};

type Headline = ToolWords["headline"];

function nameOf(value: unknown): Headline[number] {
  return { name: textOf(value) };
}

function addressIn(value: unknown): Headline[number] {
  return { address: textOf(value) };
}

function secretNames(secrets: unknown): Headline {
  const names = Array.isArray(secrets) ? secrets : [];
  const word = names.length === 1 ? "the secret " : "the secrets ";
  return [word, ...names.flatMap((name, n) => (n === 0 ? [nameOf(name)] : [", ", nameOf(name)]))];
}

function numbersIn(ids: unknown): Headline {
  const numbers = Array.isArray(ids) ? ids : [];
  return numbers.flatMap((id, n) => (n === 0 ? [nameOf(id)] : [", ", nameOf(id)]));
}

/** What it starts or writes is shown as a command. */
function processWords(action: string, id: unknown): ToolWords {
  switch (action) {
    case "start":
      return { headline: ["start this command in the background"], says: ["action"] };
    case "write":
      return { headline: ["write this to the process ", nameOf(id)], says: ["action", "id", "text"] };
    case "kill":
      return { headline: ["end the process ", nameOf(id)], says: ["action", "id"] };
    case "output":
      return { headline: ["read what the process ", nameOf(id), " prints"], says: ["action", "id"] };
    default:
      return { headline: ["look after the processes in the background"], says: [] };
  }
}

/** Whole lines, with those that stay at both ends only once. */
function difference(before: string, after: string): string {
  const [old, fresh] = [before.split("\n"), after.split("\n")];
  const most = Math.min(old.length, fresh.length);
  let head = 0;
  while (head < most && old[head] === fresh[head]) head += 1;
  let tail = 0;
  while (tail < most - head && old.at(-1 - tail) === fresh.at(-1 - tail)) tail += 1;
  return [
    ...old.slice(0, head).map((line) => ` ${line}`),
    ...old.slice(head, old.length - tail).map((line) => `-${line}`),
    ...fresh.slice(head, fresh.length - tail).map((line) => `+${line}`),
    ...old.slice(old.length - tail).map((line) => ` ${line}`),
  ].join("\n");
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
