import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { runningGatewayUrl } from "../gateway-url.ts";
import type { LoadedHome } from "../load-home.ts";
import { findDatabase, notRunning, withStore } from "../open-store.ts";
import { isHomeServed } from "../start/home-lock.ts";
import { type Commanded, command, converse } from "../verify/converse.ts";
import type { DoseDeps } from "../verify/dose-deps.ts";
import { type Dose, doses, give, kindOf } from "../verify/doses.ts";
import type { Conversation } from "../verify/drive.ts";
import type { Tally } from "../verify/tally.ts";
import { WebChat } from "../verify/web-chat.ts";

const most = { conversations: 200, messages: 200 };
/** A gateway that has not answered for this long is not running. */
const reachMs = 15_000;

type Options = Record<string, string | boolean | undefined>;
type Places = Pick<DoseDeps, "databaseUrl" | "databaseDir" | "redisUrl">;

/**
 * `talaria verify`: writes in conversations of its own, harms processes and servers of this machine meanwhile, and counts what was
 * lost, duplicated or reordered, and which commands ran twice or without a result. Exit code 1 when anything was.
 */
export function verify(options: Options): Promise<void> {
  return withStore(options, async ({ processes }, loaded) => {
    const conversations = conversationsOf(options);
    const dose = doseOf(options);
    const [blows, awaySeconds] = [wholeNumber("blows", options.blows, 100), wholeNumber("away", options.away, 3_600)];
    const messages = conversations.reduce((sum, one) => sum + one.messages, 0);
    confirmCost(loaded, messages, options);
    const isServed = await isHomeServed(loaded.home.dir);
    if (loaded.config.database.kind === "embedded" && !isServed) throw notRunning(loaded.home);
    const url = await runningGatewayUrl(loaded.config, loaded.home);
    const chat = new WebChat(url, await tokenOf(loaded));
    await reach(chat, conversations[0]?.id ?? "verify", url);
    const supervised = options.kill !== false && isServed;
    const places = await placesOf(loaded);
    if (supervised) checkNeeds(dose, places);
    const from = performance.now();
    const kinds = options.commands === true ? "messages that ask for a command" : "messages";
    const harms = supervised ? kindOf(dose).text : "without killing anything";
    console.log(`${conversations.length} conversations with ${messages} ${kinds}, ${harms}`);
    const ending = new AbortController();
    const { signal } = ending;
    const say = (line: string) => console.log(line);
    try {
      const harm = supervised
        ? give(dose, { processes, ...places, say, signal, blows, awayMs: awaySeconds * 1_000 })
        : Promise.resolve();
      const conversing = { conversations, chat, waitMs: waitMsOf(options), signal, harm, say };
      const spared = !supervised || kindOf(dose).sparesWorkers;
      if (options.commands === true) reportMarks(await command(conversing), spared);
      else report(await converse(conversing));
      console.log(`${"seconds".padEnd(12)}${String(Math.round((performance.now() - from) / 1_000)).padStart(6)}`);
    } finally {
      ending.abort();
    }
  });
}

function report(total: Tally): void {
  const { notices, ...counts } = total;
  print(counts);
  if (notices > 0) console.log(`${notices} of the answers only say that something went wrong: see the log`);
  if (total.lost + total.duplicated + total.reordered > 0) process.exitCode = 1;
}

/** `spared`: no worker ended or lost its sessions, so that the end of every command was seen. */
function reportMarks({ tally, marks }: Commanded, spared: boolean): void {
  report(tally);
  const { needless, ...counts } = marks;
  print({ ...counts, [spared ? "needless" : "ended anyway"]: needless });
  if (marks.twice + marks.failed + (spared ? needless : 0) > 0) process.exitCode = 1;
}

function print(counts: Readonly<Record<string, number>>): void {
  for (const [name, count] of Object.entries(counts)) console.log(`${name.padEnd(12)}${String(count).padStart(6)}`);
}

async function placesOf({ config, home }: LoadedHome): Promise<Places> {
  const isEmbedded = config.database.kind === "embedded";
  return {
    databaseUrl: await findDatabase({ config, home }),
    databaseDir: isEmbedded ? home.databaseDir : undefined,
    redisUrl: config.redis.kind === "redis" ? config.redis.url.reveal() : undefined,
  };
}

function checkNeeds(dose: Dose, { databaseDir, redisUrl }: Places): void {
  const { needs } = kindOf(dose);
  const has = { "the embedded database": databaseDir !== undefined, Redis: redisUrl !== undefined };
  if (needs !== undefined && !has[needs]) throw new Error(`--dose ${dose} needs ${needs}`);
}

function conversationsOf(options: Options): readonly Conversation[] {
  const run = randomBytes(4).toString("hex");
  const messages = wholeNumber("messages", options.messages, most.messages);
  const count = wholeNumber("conversations", options.conversations, most.conversations);
  return Array.from({ length: count }, (_, index) => ({ id: `verify-${run}-${index + 1}`, messages }));
}

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

function confirmCost({ config }: LoadedHome, messages: number, { yes, commands }: Options): void {
  const model = config.models[config.agent.model];
  if (model?.provider === "demo" || yes === true) return;
  const calls = commands === true ? 2 * messages : messages;
  throw new Error(
    `this costs up to ${calls} calls of the model "${config.agent.model}", and kills processes: add --yes`,
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
