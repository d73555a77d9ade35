import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { runningGatewayUrl } from "../gateway-url.ts";
import type { LoadedHome } from "../load-home.ts";
import { notRunning, withStore } from "../open-store.ts";
import { isHomeServed } from "../start/home-lock.ts";
import { type Dose, doses, give } from "../verify/doses.ts";
import { awaitAnswers, type Conversation, write } from "../verify/drive.ts";
import { type Tally, totalOf } from "../verify/tally.ts";
import { WebChat } from "../verify/web-chat.ts";

const most = { conversations: 200, messages: 200 };
/** A gateway that has not answered for this long is not running. */
const reachMs = 15_000;

type Options = Record<string, string | boolean | undefined>;

/**
 * `talaria verify`: writes in conversations of its own, kills or freezes processes of this machine meanwhile, and counts what was
 * lost, duplicated or reordered. Exit code 1 when anything was.
 */
export function verify(options: Options): Promise<void> {
  return withStore(options, async ({ processes }, loaded) => {
    const conversations = conversationsOf(options);
    const dose = doseOf(options);
    const messages = conversations.reduce((sum, one) => sum + one.messages, 0);
    confirmCost(loaded, messages, options.yes === true);
    const isServed = await isHomeServed(loaded.home.dir);
    if (loaded.config.database.kind === "embedded" && !isServed) throw notRunning(loaded.home);
    const url = await runningGatewayUrl(loaded.config, loaded.home);
    const chat = new WebChat(url, await tokenOf(loaded));
    await reach(chat, conversations[0]?.id ?? "verify", url);
    const supervised = options.kill !== false && isServed;
    const databaseDir = loaded.config.database.kind === "embedded" ? loaded.home.databaseDir : undefined;
    if (supervised && dose.endsWith("database") && databaseDir === undefined)
      throw new Error(`--dose ${dose} needs the embedded database`);
    const kills = supervised ? harms[dose] : "without killing anything";
    const from = performance.now();
    console.log(`${conversations.length} conversations with ${messages} messages, ${kills}`);
    const ending = new AbortController();
    const { signal } = ending;
    try {
      const [tallies] = await Promise.all([
        drive(conversations, chat, waitMsOf(options), signal),
        supervised ? give(dose, { processes, databaseDir, say: (line) => console.log(line), signal }) : undefined,
      ]);
      report(totalOf(tallies));
      console.log(`${"seconds".padEnd(12)}${String(Math.round((performance.now() - from) / 1_000)).padStart(6)}`);
    } finally {
      ending.abort();
    }
  });
}

/** Runs all conversations at the same time. `waitMs` is how long answers may take after the last message. */
async function drive(
  conversations: readonly Conversation[],
  chat: WebChat,
  waitMs: number,
  signal: AbortSignal,
): Promise<readonly Tally[]> {
  const written = await Promise.all(
    conversations.map(async (one) => ({ ...one, sent: await write(one, chat, Math.random, signal) })),
  );
  console.log("everything is written; waiting for the answers");
  const patience = AbortSignal.any([signal, AbortSignal.timeout(waitMs)]);
  return await Promise.all(written.map(({ id, sent }) => awaitAnswers(id, sent, chat, patience)));
}

function report(total: Tally): void {
  const { notices, ...counts } = total;
  for (const [name, count] of Object.entries(counts)) console.log(`${name.padEnd(12)}${String(count).padStart(6)}`);
  if (notices > 0) console.log(`${notices} of the answers only say that something went wrong: see the log`);
  if (total.lost + total.duplicated + total.reordered > 0) process.exitCode = 1;
}

function conversationsOf(options: Options): readonly Conversation[] {
  const run = randomBytes(4).toString("hex");
  const messages = wholeNumber("messages", options.messages, most.messages);
  const count = wholeNumber("conversations", options.conversations, most.conversations);
  return Array.from({ length: count }, (_, index) => ({ id: `verify-${run}-${index + 1}`, messages }));
}

const harms: Readonly<Record<Dose, string>> = {
  kill: "while processes are killed",
  freeze: "while a worker and then a gateway are frozen",
  "freeze-database": "while the database is frozen",
  "restart-database": "while the database stops at once again and again",
  "kill-database": "while the database is killed again and again",
};

function doseOf({ dose }: Options): Dose {
  const found = doses.find((one) => one === dose);
  if (found === undefined) throw new Error(`--dose must be one of ${doses.join(", ")}`);
  return found;
}

function waitMsOf(options: Options): number {
  return wholeNumber("wait", options.wait, 86_400) * 1_000;
}

function wholeNumber(name: string, value: string | boolean | undefined, atMost: number): number {
  const number = Number(value);
  if (Number.isInteger(number) && number >= 1 && number <= atMost) return number;
  throw new Error(`--${name} must be a whole number from 1 to ${atMost}`);
}

function confirmCost({ config }: LoadedHome, messages: number, isConfirmed: boolean): void {
  const model = config.models[config.agent.model];
  if (model?.provider === "demo" || isConfirmed) return;
  throw new Error(
    `this costs up to ${messages} calls of the model "${config.agent.model}", and kills processes: add --yes`,
  );
}

async function tokenOf({ config, home }: LoadedHome): Promise<string> {
  return config.auth.token?.reveal() ?? (await readFile(home.tokenFile, "utf8")).trim();
}

async function reach(chat: WebChat, conversation: string, url: string): Promise<void> {
  const signal = AbortSignal.timeout(reachMs);
  try {
    await chat.history(conversation, signal);
  } catch (error) {
    if (signal.aborted) throw new Error(`no gateway answers at ${url}: start Talaria first`, { cause: error });
    throw error;
  }
}
