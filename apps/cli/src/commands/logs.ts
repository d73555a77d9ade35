import { open, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { locateHome } from "../home.ts";
import { linesFromEnd } from "../logs/lines-from-end.ts";
import { type LogFilter, lineAsks, logLine } from "../logs/log-line.ts";
import { type LogSubject, readSubject, type Wanted } from "../logs/log-subject.ts";
import { nameWords } from "./place-words.ts";

type Options = Readonly<Record<string, string | boolean | undefined>>;

const lookMs = 500;
const pieceBytes = 262_144;
const mostLines = 10_000;
const mostNamed = 20;

/**
 * `talaria logs`: the last lines of the log that match, the oldest first, for people; with `--follow` those that come, until the process is
 * ended. Reads 16 MiB back at most. Control characters never reach the terminal as such.
 */
export async function logs(options: Options): Promise<void> {
  const file = join(locateHome(options, process.env).logDir, "talaria.log");
  const filter = filterOf(options);
  const count = Number(options.lines ?? "50");
  if (!Number.isInteger(count) || count < 0 || count > mostLines)
    throw new Error(`--lines has to be a whole number from 0 to ${mostLines}`);
  const size = await sizeOf(file);
  if (size === undefined)
    throw new Error(`there is no ${file}: Talaria writes it when it runs on this machine, see --home`);
  const show = (line: string) => console.log(logLine(line, process.stdout.isTTY === true));
  const about = await meant(options, filter);
  const { lines, isCut } = await linesFromEnd([file, `${file}.1`], count, (line) => lineAsks(line, about));
  for (const line of lines) show(line);
  if (isCut) console.error("talaria: older lines were not read: look for them in the file itself");
  if (options.follow !== true) return;
  await follow(file, size, async (more) => {
    const now = await again(options, about);
    for (const line of more) if (lineAsks(line, now)) show(line);
  });
}

/** With whom the words mean; while nobody can tell, they are taken for ids. */
async function meant(options: Options, filter: LogFilter): Promise<LogFilter> {
  const wanted = wantedOf(options);
  const words = Object.values(wanted);
  if (words.length === 0) return filter;
  const asIds = { ...filter, about: [...filter.about, ...words] };
  const subject = await readSubject(options, wanted).catch((error: Error) => error);
  if (subject instanceof Error) {
    console.error(
      `talaria: shown is what names ${words.join(" and ")} as an id, since names can't be looked up: ${subject.message}`,
    );
    return asIds;
  }
  if (typeof subject === "string") {
    console.error(`talaria: ${subject}\ntalaria: shown is what names ${words.join(" and ")} as an id`);
    return asIds;
  }
  const { people } = subject;
  if (people.length > 1)
    console.error(
      `talaria: several people are meant; \`--person ID\` chooses one:\n${people.slice(0, mostNamed).map(personLine).join("\n")}`,
    );
  return { ...filter, subject };
}

/** Messages and turns that came since. What was known counts where the database is away. */
async function again(options: Options, filter: LogFilter): Promise<LogFilter> {
  if (filter.subject === undefined) return filter;
  const subject = await readSubject(options, wantedOf(options)).catch(() => undefined);
  return { ...filter, subject: typeof subject === "object" ? subject : filter.subject };
}

function wantedOf({ person, conversation }: Options): Wanted {
  return {
    ...(typeof person === "string" && { person: person.trim() }),
    ...(typeof conversation === "string" && { conversation: conversation.trim() }),
  };
}

function personLine({ accountId, senderId, senderName = "" }: LogSubject["people"][number]): string {
  return `  ${nameWords(senderName, senderId)} on ${accountId}`;
}

function filterOf({ level, account, about }: Options): LogFilter {
  const levels = ["debug", "info", "warn", "error"];
  const least = levels.indexOf(String(level ?? "debug"));
  if (least === -1) throw new Error("--level has to be debug, info, warn or error");
  return {
    levels: [...levels.slice(least), "fatal"],
    ...(typeof account === "string" ? { account } : {}),
    about: typeof about === "string" ? [about] : [],
  };
}

async function follow(file: string, from: number, take: (lines: readonly string[]) => Promise<void>): Promise<never> {
  let position = from;
  let rest = Buffer.alloc(0);
  for (;;) {
    const size = (await sizeOf(file)) ?? 0;
    // It has been begun anew.
    if (size < position) [position, rest] = [0, Buffer.alloc(0)];
    if (size === position) {
      await sleep(lookMs);
      continue;
    }
    const piece = await read(file, position, Math.min(pieceBytes, size - position));
    position += piece.length;
    const text = Buffer.concat([rest, piece]);
    const end = text.lastIndexOf("\n") + 1;
    rest = text.length - end > pieceBytes * 4 ? Buffer.alloc(0) : text.subarray(end);
    const whole = text.subarray(0, end).toString("utf8").split("\n");
    await take(whole.filter((line) => line !== ""));
  }
}

async function read(file: string, position: number, length: number): Promise<Buffer> {
  await using handle = await open(file, "r");
  const { bytesRead, buffer } = await handle.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}

function sizeOf(file: string): Promise<number | undefined> {
  return stat(file).then(
    ({ size }) => size,
    () => undefined,
  );
}
