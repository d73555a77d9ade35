import type { HeadlineWords } from "@talaria/agent";
import type { ToolWords } from "@talaria/protocol";

type Input = Readonly<Record<string, unknown>>;
type InWords = (input: Input, words: HeadlineWords) => ToolWords;

/** What people read who are asked whether a call may run, by the tool's name. */
export const inWords: Readonly<Record<string, InWords>> = {
  send_message: ({ to, text }, words) => ({
    headline: words.sendMessage(nameOf(to)),
    parts: [{ kind: "text", text: textOf(text) }],
    says: ["to", "text"],
  }),
  send_file: ({ name, content }, words) => ({
    headline: content === undefined ? words.sendFile() : words.sendFile(nameOf(name)),
    parts: content === undefined ? [] : [{ kind: "block", text: textOf(content) }],
    says: content === undefined ? [] : ["name", "content"],
  }),
  read_file: ({ path }, words) => ({ headline: words.readFile(nameOf(path)), says: ["path"] }),
  search_files: ({ path = "." }, words) => ({ headline: words.searchFiles(nameOf(path)), says: ["path"] }),
  write_file: ({ path, content }, words) => ({
    headline: words.writeFile(nameOf(path)),
    parts: [{ kind: "block", text: textOf(content) }],
    says: ["path", "content"],
  }),
  edit_file: ({ path, oldText, newText }, words) => ({
    headline: words.changeFile(nameOf(path)),
    parts: [{ kind: "difference", text: difference(textOf(oldText), textOf(newText)) }],
    says: ["path", "oldText", "newText"],
  }),
  terminal: (_, words) => ({ headline: words.runCommand([]), says: [] }),
  run_with_secrets: ({ secrets }, words) => ({ headline: words.runCommand(namesIn(secrets)), says: [] }),
  process: ({ action, id }, words) => processWords(textOf(action), nameOf(id), words),
  execute_code: ({ language, secrets }, words) => ({
    headline: words.runCode(language === "node" ? "JavaScript" : "Python", namesIn(secrets)),
    says: ["language"],
  }),
  web_search: ({ query }, words) => ({ headline: words.searchWeb(nameOf(query)), says: ["query"] }),
  web_fetch: ({ url, secret }, words) => ({
    headline: words.read(addressIn(url), namesIn(secret === undefined ? [] : [secret])),
    says: ["url"],
  }),
  web_extract: ({ url }, words) => ({ headline: words.read(addressIn(url)), says: ["url"] }),
  browser_open: ({ url }, words) => ({ headline: words.openInBrowser(addressIn(url)), says: ["url"] }),
  browser_read: ({ url }, words) => ({ headline: words.readInBrowser(addressIn(url)), says: ["url"] }),
  browser_screenshot: ({ url }, words) => ({ headline: words.takePicture(addressIn(url)), says: ["url"] }),
  browser_click: ({ url, element }, words) => ({
    headline: words.click(nameOf(element), addressIn(url)),
    says: ["url", "element"],
  }),
  browser_type: ({ url, element, text }, words) => ({
    headline: words.typeInto(nameOf(element), addressIn(url)),
    parts: [{ kind: "text", text: textOf(text) }],
    says: ["url", "element", "text"],
  }),
  generate_image: ({ prompt }, words) => ({
    headline: words.makePicture(),
    parts: [{ kind: "text", text: textOf(prompt) }],
    says: ["prompt"],
  }),
  speak: ({ text }, words) => ({
    headline: words.speak(),
    parts: [{ kind: "text", text: textOf(text) }],
    says: ["text"],
  }),
  transcribe: ({ id }, words) => ({ headline: words.transcribe(nameOf(id)), says: ["id"] }),
  read_attachment: ({ id }, words) => ({ headline: words.readAttachment(nameOf(id)), says: ["id"] }),
  current_time: (_, words) => ({ headline: words.lookAtClock(), says: [] }),
  find_conversations: ({ name }, words) => ({
    headline: name === undefined ? words.findConversations() : words.findConversations(nameOf(name)),
    says: ["name"],
  }),
  search_conversations: ({ query }, words) => ({ headline: words.searchConversations(nameOf(query)), says: ["query"] }),
  memory: ({ action, text, ids }, words) => ({
    headline:
      action === "add"
        ? words.remember()
        : action === "remove"
          ? words.forget(namesIn(ids))
          : words.replaceMemory(namesIn(ids)),
    parts: action === "remove" ? [] : [{ kind: "text", text: textOf(text) }],
    says: ["action", "text", "ids"],
  }),
  recall: (_, words) => ({ headline: words.recall(), says: ["words"] }),
  skill: ({ name }, words) => ({ headline: words.readSkill(nameOf(name)), says: ["name"] }),
  write_skill: ({ name, description, body }, words) => ({
    headline: words.writeSkill(nameOf(name)),
    parts: [
      { kind: "text", text: textOf(description) },
      { kind: "block", text: textOf(body) },
    ],
    says: ["name", "description", "body"],
  }),
  ask: ({ question }, words) => ({
    headline: words.ask(),
    parts: [{ kind: "text", text: textOf(question) }],
    says: ["question"],
  }),
};

function nameOf(value: unknown) {
  return { name: textOf(value) };
}

function addressIn(value: unknown) {
  return { address: textOf(value) };
}

function namesIn(values: unknown) {
  return Array.isArray(values) ? values.map(nameOf) : [];
}

/** What it starts or writes is shown as a command. */
function processWords(action: string, id: { readonly name: string }, words: HeadlineWords): ToolWords {
  switch (action) {
    case "start":
      return { headline: words.startProcess(), says: ["action"] };
    case "write":
      return { headline: words.writeToProcess(id), says: ["action", "id", "text"] };
    case "kill":
      return { headline: words.endProcess(id), says: ["action", "id"] };
    case "output":
      return { headline: words.readProcess(id), says: ["action", "id"] };
    default:
      return { headline: words.lookAfterProcesses(), says: [] };
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
