import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { type GuardedProcess, startGuarded } from "@talaria/guarded-process";
import { GatewayError } from "@talaria/protocol";
import { AtMost } from "./at-most.ts";
import { type DocumentNews, type DocumentQuery, type DocumentRead, newsSchema } from "./document-messages.ts";
import { kindOf } from "./kind-of.ts";
import { renderRead } from "./render-read.ts";

export interface DocumentLimits {
  readonly heapMb: number;
  readonly dataMb: number;
  /** To start and to load the libraries. */
  readonly startMs: number;
  readonly workMs: number;
  readonly answerBytes: number;
}

const usual: DocumentLimits = { heapMb: 256, dataMb: 1_024, startMs: 30_000, workMs: 30_000, answerBytes: 2_097_152 };
const mostAtOnce = 2;
const mostComplaintChars = 4_000;

const children = new AtMost(mostAtOnce);
const program = fileURLToPath(new URL("./child/main.ts", import.meta.url));

/** Whether `readDocument` knows the kind of a file, by its first 1,024 bytes, and by its name where bytes can't tell. */
export function isDocument(head: Uint8Array, name: string): boolean {
  return kindOf(head, name) !== undefined;
}

/**
 * The text of a PDF, an office document, a book, a notebook, a mail, or the list of an archive, from a page or sheet and a line on, with what
 * there is and how to go on above it. What strangers wrote: the caller marks it. Read in a child process of its own, at most two at once in this
 * process, with 256 MB of heap, 1 GB of all memory and 30 s. Throws `unsupported` with a sentence for what can't be read, and
 * `invalid_request` where there is no such page, `too_large` when a limit is met, `aborted` when stopped.
 */
export async function readDocument(
  bytes: Uint8Array,
  query: DocumentQuery,
  signal: AbortSignal,
  limits: Partial<DocumentLimits> = {},
): Promise<string> {
  try {
    const read = await children.run(() => readInChild(bytes, query, signal, { ...usual, ...limits }), signal);
    return renderRead(query.name, read);
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new GatewayError("reading the document was stopped", {
      code: "aborted",
      effect: "none",
      cause: error,
    });
  }
}

async function readInChild(bytes: Uint8Array, query: DocumentQuery, signal: AbortSignal, limits: DocumentLimits) {
  const { heapMb, dataMb } = limits;
  const child = startGuarded(program, { readable: readable(), heapMb, dataMb, isOffline: true });
  const stop = new AbortController();
  const onAbort = () => stop.abort(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  stop.signal.addEventListener("abort", () => child.kill(), { once: true });
  const limit = (ms: number, what: string) => {
    const limited = AbortSignal.timeout(ms);
    limited.addEventListener("abort", () => stop.abort(tooMuch(query, `${ms / 1_000} s${what}`)), { once: true });
  };
  limit(limits.startMs + limits.workMs, " with the start of its reader");
  try {
    child.stdin.write(`${JSON.stringify(query)}\n`);
    child.stdin.end(bytes);
    const [news, complaint] = await Promise.all([
      answerOf(child, limits, () => limit(limits.workMs, ""), stop),
      complaintOf(child),
    ]);
    const end = await child.ended;
    stop.signal.throwIfAborted();
    if (news === undefined) throw failed(query, end, complaint, limits);
    return resultOf(query, news);
  } finally {
    signal.removeEventListener("abort", onAbort);
    child.kill();
  }
}

/** The last that it said, unless that is that it is ready. */
async function answerOf(child: GuardedProcess, limits: DocumentLimits, onReady: () => void, stop: AbortController) {
  const pieces: Buffer[] = [];
  let length = 0;
  let isReady = false;
  for await (const piece of child.stdout) {
    length += (piece as Buffer).byteLength;
    if (length > limits.answerBytes) {
      stop.abort(new GatewayError("the document's text is longer than expected", { code: "too_large" }));
      return undefined;
    }
    pieces.push(piece as Buffer);
    if (!isReady) onReady();
    isReady = true;
  }
  const lines = Buffer.concat(pieces).toString("utf8").trimEnd().split("\n");
  const parsed = newsSchema.safeParse(parseJson(lines.at(-1) ?? ""));
  return parsed.success && parsed.data.type !== "ready" ? parsed.data : undefined;
}

async function complaintOf(child: GuardedProcess): Promise<string> {
  let text = "";
  for await (const piece of child.stderr) text = (text + (piece as Buffer).toString("utf8")).slice(-mostComplaintChars);
  return text;
}

function resultOf({ name }: DocumentQuery, news: Exclude<DocumentNews, { type: "ready" }>): DocumentRead {
  if (news.type === "read") return news;
  const isAboutPage = news.reason.startsWith("there is no ");
  if (isAboutPage) throw new GatewayError(`${name}: ${news.reason}`, { code: "invalid_request" });
  throw new GatewayError(`${name} can't be read: ${news.reason}`, { code: "unsupported" });
}

/** V8's last words say that its heap is full; what the system denies it is a signal or a failed allocation. */
function failed(query: DocumentQuery, end: string, complaint: string, limits: DocumentLimits): GatewayError {
  const isMemory =
    /out of memory|allocation failed|ENOMEM|bad_alloc/i.test(complaint) || /^signal|code 13[49]/.test(end);
  if (isMemory) return tooMuch(query, `${limits.heapMb} MB of memory`);
  const said =
    complaint
      .trim()
      .split("\n")
      .findLast((line) => /Error/.test(line)) ?? "";
  return new GatewayError(`${query.name} can't be read: it is broken, or no reader understands it`, {
    code: "unsupported",
    cause: new Error(`the child ended with ${end}: ${said.slice(0, 300)}`),
  });
}

function tooMuch({ name }: DocumentQuery, limit: string): GatewayError {
  return new GatewayError(`${name} takes more than ${limit} to read: it is left alone. Ask for a smaller part of it`, {
    code: "too_large",
  });
}

/** Our sources, those of the package for HTML, and the libraries. */
function readable(): readonly string[] {
  const own = dirname(dirname(dirname(program)));
  const html = dirname(dirname(fileURLToPath(import.meta.resolve("@talaria/foreign-content"))));
  const library = fileURLToPath(import.meta.resolve("yauzl"));
  const libraries = library.slice(0, library.lastIndexOf("/node_modules/"));
  return [`${own}/*`, `${html}/*`, `${libraries}/node_modules/*`];
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
