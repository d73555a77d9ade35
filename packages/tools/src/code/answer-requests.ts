import type { ToolContext, ToolResult, Workspace } from "@talaria/agent";
import { z } from "zod";

const mostRequestBytes = 1_200_000;

/** What code may call: nothing that asks people, goes out by itself, or begins commands of its own. */
const callable: ReadonlySet<string> = new Set([
  "conversation_info",
  "current_time",
  "edit_file",
  "read_attachment",
  "read_file",
  "search_files",
  "transcribe",
  "web_extract",
  "web_fetch",
  "web_search",
  "write_file",
]);

const request = z.object({ method: z.string().max(64), params: z.record(z.string(), z.unknown()) });

type Call = NonNullable<ToolContext["call"]>;
type Answer = Pick<Awaited<ReturnType<Call>>, "content" | "isError" | "untrusted" | "kept">;

/** Answers the requests of code, each once, and remembers what the result of the whole has to say of them. */
export class Requests {
  readonly #workspace: Workspace;
  readonly #folder: string;
  readonly #call: Call;
  readonly #seen = new Set<number>();
  readonly #made = new Map<string, number>();
  readonly #kept: NonNullable<ToolResult["kept"]>[number][] = [];
  #isUntrusted = false;

  constructor(workspace: Workspace, folder: string, call: Call) {
    this.#workspace = workspace;
    this.#folder = folder;
    this.#call = call;
  }

  /** Never rejects: code whose answer can't be written runs into its time limit. */
  async answer(number: number, most: number): Promise<void> {
    if (this.#seen.has(number) || this.#seen.size > most) return;
    this.#seen.add(number);
    const place = `${this.#folder}/${number}`;
    try {
      const { content, isError } = await this.#carryOut(`${place}.request.json`);
      const outcome = isError ? { error: { code: -32_000, message: content } } : { result: { content } };
      const text = JSON.stringify({ jsonrpc: "2.0", id: number, ...outcome });
      await this.#workspace.write(`${place}.response.json`, Buffer.from(text, "utf8"));
    } catch {
      // The workspace is away. The call that runs the code says so.
    }
  }

  /** `web_fetch 3 times, read_file`. */
  get made(): string {
    return [...this.#made].map(([name, count]) => (count === 1 ? name : `${name} ${count} times`)).join(", ");
  }

  /** What the result of the code takes over from those of its calls. */
  get traces(): Pick<ToolResult, "untrusted" | "kept"> {
    return { ...(this.#isUntrusted && { untrusted: true }), ...(this.#kept.length > 0 && { kept: [...this.#kept] }) };
  }

  async #carryOut(path: string): Promise<Answer> {
    const { bytes, size } = await this.#workspace.read(path, { length: mostRequestBytes });
    const parsed = size > mostRequestBytes ? undefined : request.safeParse(jsonIn(bytes)).data;
    if (parsed === undefined) return failure(`not a request, or more than ${mostRequestBytes} bytes`);
    const { method, params } = parsed;
    if (!callable.has(method)) return failure(`code may not call ${method}; it may call ${[...callable].join(", ")}`);
    this.#made.set(method, (this.#made.get(method) ?? 0) + 1);
    const result = await this.#call(method, params);
    if (result.untrusted) this.#isUntrusted = true;
    this.#kept.push(...(result.kept ?? []));
    return { ...result, content: result.untrusted ? withoutBlock(result.content) : result.content };
  }
}

function failure(reason: string): Answer {
  return { content: `Error: ${reason}`, isError: true };
}

function jsonIn(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString("utf8"));
  } catch {
    return undefined;
  }
}

/** The block is for the model; code wants the text. */
function withoutBlock(content: string): string {
  return content.replace(/^<untrusted>\n/, "").replace(/\n<\/untrusted>(?=\n|$)/, "");
}
