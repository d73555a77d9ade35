import { type ModelServer, startModelServer } from "@talaria/testkit";
import pg from "pg";
import type { BrowserContext, Page } from "playwright-core";
import { openBrowser } from "../e2e/browser.ts";
import { ConsolePage } from "../e2e/console-page.ts";
import { Installation } from "../support/installation.ts";
import { ModelPlan } from "../support/model-plan.ts";
import { waitFor } from "../support/wait-for.ts";
import { recordTasks, type Tasks } from "./browser-tasks.ts";
import type { Figure } from "./main.ts";
import { quantile } from "./statistics.ts";

const visits = 9;
const messages = 10_000;
const patienceMs = 600_000;

interface Visit {
  readonly paintMs: number;
  readonly usableMs: number;
  readonly requests: number;
  readonly bytes: number;
}

/** What a person waits for who opens the console for the first time, and how long the page keeps its thread with a long conversation. */
export async function consolePage(): Promise<readonly Figure[]> {
  const plan = new ModelPlan();
  await using model: ModelServer & AsyncDisposable = disposable(await startModelServer({ respond: plan.respond }));
  const config = `models: { main: { provider: openai-chat, baseUrl: "${model.baseUrl}", apiKey: key, model: test-model } }`;
  await using talaria = await Installation.start({ config, database: "shared" });
  return [...(await firstVisits(talaria)), ...(await longConversation(talaria))];
}

async function firstVisits(talaria: Installation): Promise<readonly Figure[]> {
  const all: Visit[] = [];
  for (let visit = 0; visit < visits; visit += 1) {
    await using browser = await openBrowser();
    all.push(await firstVisit(browser.context, `${talaria.url}/console/#conversation=visit&token=${talaria.token}`));
  }
  const ms = (values: readonly number[]) =>
    `p50 ${quantile(values, 0.5).toFixed(0)} ms, worst ${quantile(values, 1).toFixed(0)} ms (${visits} new profiles)`;
  const [one] = all;
  return [
    {
      measure: "console, first visit: first contentful paint",
      reach: "300 ms",
      value: ms(all.map((each) => each.paintMs)),
    },
    {
      measure: "console, first visit: connected, the field takes words",
      reach: "",
      value: ms(all.map((each) => each.usableMs)),
    },
    {
      measure: "console, first visit: requests, compressed size",
      reach: "150 kB",
      value: `${one?.requests} requests, ${((one?.bytes ?? 0) / 1_000).toFixed(0)} kB`,
    },
  ];
}

/** The page itself notes when it can be used: whoever asks it from outside keeps it from that. */
async function firstVisit(context: BrowserContext, address: string): Promise<Visit> {
  const page = await context.newPage();
  await page.addInitScript(noteUse);
  await page.goto(address);
  const read = () => page.evaluate(readVisit);
  const visit = await waitFor(async () => {
    const seen = await read();
    return seen.usableMs !== undefined && seen.paintMs !== undefined ? (seen as Visit) : undefined;
  }, "the console can be used");
  return visit;
}

function noteUse(): void {
  const page = globalThis as unknown as PageGlobals;
  const look = () => {
    const isConnected = page.document.getElementById("connection")?.textContent === "connected";
    if (isConnected && page.document.getElementById("text") !== null) page.usableMs = page.performance.now();
    else page.requestAnimationFrame(look);
  };
  page.requestAnimationFrame(look);
}

function readVisit() {
  const { performance, usableMs } = globalThis as unknown as PageGlobals;
  const entries = [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")];
  const files = entries.filter(({ name }) => name.includes("/console/"));
  return {
    paintMs: performance.getEntriesByName("first-contentful-paint")[0]?.startTime,
    usableMs,
    requests: files.length,
    bytes: files.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
  };
}

interface PageGlobals {
  usableMs?: number;
  readonly document: { getElementById(id: string): { readonly textContent: string | null } | null };
  readonly performance: {
    now(): number;
    getEntriesByType(type: string): readonly { readonly name: string; readonly encodedBodySize: number }[];
    getEntriesByName(name: string): readonly { readonly startTime: number }[];
  };
  requestAnimationFrame(call: () => void): void;
}

async function longConversation(talaria: Installation): Promise<readonly Figure[]> {
  await fillConversation(talaria);
  await using browser = await openBrowser({ viewport: { width: 1440, height: 900 } });
  await using chat = await ConsolePage.open(
    browser.context,
    `${talaria.url}/console/#conversation=long&token=${talaria.token}`,
  );
  const paging = await recordTasks(chat.page, () => scrollToFirst(chat.page));
  const nodes = await chat.page.locator("#lines *").count();
  const scrolling = await recordTasks(chat.page, () => scrollThrough(chat.page));
  const writing = await recordTasks(chat.page, async () => {
    await chat.say("one more");
    await chat.answer(/one more/);
  });
  const times = ({ longestMs, p99Ms }: Tasks["taken"]) =>
    `longest ${longestMs.toFixed(0)} ms, 99 % below ${p99Ms.toFixed(1)} ms`;
  const row = (what: string, { taken, worked, count }: Tasks): Figure => ({
    measure: `console, ${messages} messages: ${what}`,
    reach: "50 ms",
    value: `${count} tasks: ${times(taken)}; of the processor ${times(worked)}`,
  });
  return [
    row("paging up to the first", paging),
    row("scrolling down", scrolling),
    row("a new message and its answer", writing),
    { measure: `console, ${messages} messages: elements of the conversation`, reach: "", value: `${nodes}` },
  ];
}

/** What answers are made of, one after the other. */
const answers = [
  "A short one.",
  "Two paragraphs with **bold** words, `code` and [a link](https://example.org).\n\nThe second one goes on for a while, as they do, until it ends.",
  "```js\n// A function.\nexport function sum(numbers) {\n  return numbers.reduce((sum, each) => sum + each, 0);\n}\n```\n\nThat is all of it.",
  "| city | people |\n| --- | --- |\n| Turin | 850000 |\n| Milan | 1350000 |\n\n- [x] counted\n- [ ] checked",
  "1. first\n2. second\n   - and a part of it\n\n> quoted words\n\n## Heading\n\nSo $a^2 + b^2 = c^2$ holds.",
];

/** Copies a message and its answer, with the words of answers as people get them. */
async function fillConversation(talaria: Installation): Promise<void> {
  await talaria.say("long", "message 0");
  await talaria.waitForLine("long", /message 0/);
  const database = new pg.Client({ connectionString: talaria.databaseUrl });
  await database.connect();
  const later = "inbox.recorded_at + n * interval '1 millisecond'";
  const first = "inbox.conversation_id = 'long' and inbox.event_id not like 'long.%'";
  const values = [messages / 2];
  try {
    await database.query("set search_path to talaria");
    await database.query(
      `insert into outbox overriding system value
       select (jsonb_populate_record(outbox, jsonb_build_object('id', 1000000 + n, 'delivery_key', 'reply:long-' || n, 'turn_id', null,
           'created_at', ${later} + interval '500 microseconds',
           'body', jsonb_set(outbox.body, '{markdown}', $2::jsonb -> (n % ${answers.length}))))).*
         from outbox cross join inbox cross join generate_series(1, $1::integer) as n
        where outbox.conversation_id = 'long' and ${first}`,
      [...values, JSON.stringify(answers)],
    );
    await database.query(
      `insert into inbox select (jsonb_populate_record(inbox, jsonb_build_object(
           'event_id', 'long.' || n, 'seq', 1000 + n, 'recorded_at', ${later},
           'body', jsonb_set(body, '{message,markdown}', to_jsonb('message ' || n || repeat(' with some more words', n % 20)))))).*
         from inbox cross join generate_series(1, $1::integer) as n
        where ${first}`,
      values,
    );
  } finally {
    await database.end();
  }
}

async function scrollToFirst(page: Page): Promise<void> {
  const first = page.locator("#lines > .person").first();
  await page.mouse.move(900, 400);
  await waitFor(
    async () => {
      for (let turn = 0; turn < 10; turn += 1) await page.mouse.wheel(0, -1_200);
      return (await first.textContent()) === "message 0";
    },
    "the first message",
    patienceMs,
  );
}

async function scrollThrough(page: Page): Promise<void> {
  for (let turn = 0; turn < 300; turn += 1) await page.mouse.wheel(0, 600);
}

function disposable<Peer extends { stop(): Promise<void> }>(peer: Peer): Peer & AsyncDisposable {
  return Object.assign(peer, { [Symbol.asyncDispose]: () => peer.stop() });
}
