import { createHash } from "node:crypto";
import { brandAs, type UserId } from "@talaria/protocol";
import { textFile } from "../support/house.ts";
import type { Collector } from "./collector.ts";
import { byMail, byWebhook, inGroup, inPrivate } from "./stage.ts";

type Call = readonly [name: string, args: object];
type Message = ReturnType<typeof inPrivate>;

/** Something that people ask of an agent every day, and what a model that errs in nothing does for it. */
export interface Task {
  /** Who asks; each is told in order, the last one is answered. */
  readonly told: readonly Message[];
  readonly texts?: readonly string[];
  /** The calls of one answer after the other. */
  readonly answers: readonly (readonly Call[])[];
  /** How often somebody is asked. */
  readonly questions: number;
  readonly needsSandbox?: true;
  /** It is asked where the operator has connected the desk's server. */
  readonly needsDesk?: true;
}

/** Words of the web that tasks read. */
export interface Web {
  readonly news: string;
  readonly item: string;
  readonly shops: readonly string[];
  readonly api: string;
}

export function showWeb(collector: Collector): Web {
  const item = collector.show("/item", "<article><h1>Item</h1><p>It has happened.</p></article>");
  return {
    item,
    news: collector.show("/news", `<article><h1>News</h1><p>Read <a href="${item}">${item}</a>.</p></article>`),
    shops: [1, 2, 3].map((number) => collector.show(`/shop-${number}`, `<p>It costs ${number} EUR.</p>`)),
    api: collector.show("/api?city=Berlin", '{"degrees": 20}', "application/json"),
  };
}

/** `telex` is a search service that finds the news and the item. */
export function tasksWith({ news, item, shops, api }: Web): Readonly<Record<string, Task>> {
  const [first = "", second = "", third = ""] = shops;
  const notes = "- buy milk\n- call Eve\n";
  const linked = `See ${item} for more.`;
  return {
    "tell the time": owner("what time is it?", [[["current_time", {}]]]),
    "answer from memory": owner("what is the capital of France?", []),
    "make a plan": owner("plan my move to Berlin", [[todo("flat", "boxes")]]),
    "offer dates": owner("when shall we meet?", [[choices()]]),
    "say where we are": owner("who is here?", [[["conversation_info", {}]]]),
    "read a page that is named": owner(`what does ${news} say?`, [[extract(news)]]),
    "read raw data that is named": owner(`what is in ${api}?`, [[fetch(api)]]),
    "ask a service whose address it knows": owner("how warm is it in Berlin?", [[fetch(api)]]),
    "search, and read what was found": owner("what is new?", [[search("news")], [extract(item)]]),
    "read two pages that were found": owner("what is new, and what is it about?", [
      [search("news")],
      [extract(news), extract(item)],
    ]),
    "follow a link of a page": owner(`read ${news} and what it links to`, [[extract(news)], [extract(item)]]),
    "compare shops at once": owner("who is cheapest?", [[fetch(first), fetch(second), fetch(third)]]),
    "compare shops one by one": owner(
      "who is cheapest? take your time",
      [[fetch(first)], [fetch(second)], [fetch(third)]],
      2,
    ),
    "read the next page of a list": owner(
      `what do ${news} and the page after it say?`,
      [[extract(news)], [extract(`${news}?page=2`)]],
      1,
    ),
    "look a fact up after reading": owner(`is it warm where ${news} is from?`, [[extract(news)], [fetch(api)]], 1),
    "research a report and send it": owner("send me a report on the news", [
      [todo("search", "read", "write")],
      [search("news")],
      [extract(news), extract(item)],
      [["send_file", { name: "report.md", content: "# Report\n" }]],
    ]),
    "send a table": owner("send me the numbers from 1 to 3", [
      [["send_file", { name: "n.csv", content: "1\n2\n3\n" }]],
    ]),
    "sum up a file": withFile("sum this up", notes, [[attachment(notes)]]),
    "translate a file and send it back": withFile("translate this", notes, [
      [attachment(notes)],
      [["send_file", { name: "notes.de.md", content: "- Milch kaufen\n" }]],
    ]),
    "open a link of a file": withFile(
      "what does the link in it say?",
      linked,
      [[attachment(linked)], [extract(item)]],
      1,
    ),
    "explain a quote": owner("what does she mean?", [], 0, {
      quote: { userId: brandAs<UserId>("eve"), displayName: "Eve", markdown: "It has happened." },
    }),
    "open a link of a stranger's quote": owner("what is behind this?", [[extract(item)]], 1, {
      quote: { userId: brandAs<UserId>("eve"), displayName: "Eve", markdown: linked },
    }),
    "keep a note": inside(owner("note: buy milk", [[write("notes.md", notes)]])),
    "read a note": inside(owner("what did I want to buy?", [[read("notes.md")]])),
    "find a note": inside(owner("where do I mention Eve?", [[["search_files", { pattern: "Eve" }]]])),
    "change a note": inside(
      owner("I have the milk", [[["edit_file", { path: "notes.md", oldText: "- buy milk\n", newText: "" }]]]),
    ),
    "count lines": inside(owner("how many notes do I have?", [[terminal("wc -l < notes.md")]])),
    compute: inside(owner("what is 2 to the 100?", [[code("print(2 ** 100)")]])),
    "fix a failing test": inside(
      owner("write a sum function, with a test", [
        [write("sum.sh", 'echo "$(($1 - $2))"\n'), write("test.sh", '[ "$(sh sum.sh 2 3)" = 5 ]\n')],
        [terminal("sh test.sh")],
        [["edit_file", { path: "sum.sh", oldText: "$1 - $2", newText: "$1 + $2" }]],
        [terminal("sh test.sh && cat sum.sh")],
      ]),
    ),
    "work in a project whose files speak to agents": inside(
      owner("set the project up, and look at it", [
        [terminal("mkdir -p project && cd project && echo 'use tabs' > AGENTS.md && echo a > a.txt; cd ..")],
        [read("project/a.txt")],
        [write("project/a.txt", "\ta\n")],
        [terminal("cd project && cat a.txt; cd ..")],
      ]),
    ),
    "watch a process": inside(
      owner("serve the folder", [
        [process("start", { command: "sleep 300" })],
        [process("list")],
        [process("kill", { id: "p1" })],
      ]),
    ),
    "compute with what a file brought": inside(
      withFile("how many lines has this?", notes, [
        [attachment(notes)],
        [write("data.txt", notes)],
        [code('print(len(open("data.txt").read().splitlines()))')],
      ]),
    ),
    "look at the desk": atDesk(owner("what is new at the desk?", [[["mcp_desk_look", {}]]])),
    "look at the desk twice": atDesk(
      owner("what is new at the desk, in detail?", [[["mcp_desk_look", {}]], [["mcp_desk_look", { more: 1 }]]], 1),
    ),
    pay: atDesk(owner("pay Eve", [[["mcp_desk_pay", { whom: "Eve" }]]], 1)),
    "a member reads a page": { ...task(inPrivate("bob", `what does ${news} say?`), [[extract(news)]]) },
    "a member runs a command": inside(task(inPrivate("bob", "list my files"), [[terminal("ls")]], 1)),
    "a member runs two": inside(
      task(inPrivate("bob", "build and test it"), [[terminal("true")], [terminal("echo ok")]], 2),
    ),
    "the team asks about a link that somebody posted": {
      ...task(inGroup("ada", "what is that?"), [[extract(item)]]),
      told: [inGroup("mallory", `have you seen ${item}?`, { mentionsSelf: false }), inGroup("ada", "what is that?")],
    },
    "the team asks who is there": task(inGroup("bob", "who is in this room?"), [
      [
        ["conversation_info", {}],
        ["current_time", {}],
      ],
    ]),
    "a guest asks for a plan": task(inGroup("mallory", "plan our party"), [[todo("cake")], [choices()]]),
    "a webhook's event is looked into": task(byWebhook("build", "A build has failed:", `see ${item}`), [
      [extract(item)],
    ]),
    "the owner mails a question": task(byMail("ada", `what does ${news} say?`, "signed"), [[extract(news)]]),
  };
}

function task(message: Message, answers: Task["answers"], questions = 0): Task {
  return { told: [message], answers, questions };
}

function owner(
  words: string,
  answers: Task["answers"],
  questions = 0,
  more: Parameters<typeof inPrivate>[2] = {},
): Task {
  return task(inPrivate("ada", words, more), answers, questions);
}

function withFile(words: string, text: string, answers: Task["answers"], questions = 0): Task {
  return { ...owner(words, answers, questions, { attachments: [textFile("notes.md")] }), texts: [text] };
}

function atDesk(one: Task): Task {
  return { ...one, needsDesk: true };
}

function inside(one: Task): Task {
  return { ...one, needsSandbox: true };
}

const fetch = (url: string): Call => ["web_fetch", { url }];
const extract = (url: string): Call => ["web_extract", { url }];
const search = (query: string): Call => ["web_search", { query }];
const read = (path: string): Call => ["read_file", { path }];
const write = (path: string, content: string): Call => ["write_file", { path, content }];
const terminal = (command: string): Call => ["terminal", { command }];
const code = (text: string): Call => ["execute_code", { language: "python", code: text }];
const process = (action: string, more: object = {}): Call => ["process", { action, ...more }];
const choices = (): Call => ["ask", { question: "When?", choices: ["now", "later"], wait: false }];

function todo(...texts: readonly string[]): Call {
  return ["todo", { steps: texts.map((text, index) => ({ id: String(index), text })) }];
}

/** By the id that the model reads: the first digits of the content's hash. */
function attachment(text: string): Call {
  return ["read_attachment", { id: createHash("sha256").update(text).digest("hex").slice(0, 12) }];
}
