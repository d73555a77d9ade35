import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type DiscordServer, startDiscordServer } from "@talaria/adapter-discord/emulator";
import { startTelegramServer, type TelegramServer } from "@talaria/adapter-telegram/emulator";
import {
  callTool,
  hold,
  type ModelRequest,
  type ModelScript,
  type ModelServer,
  modelFault,
  say,
  startModelServer,
} from "@talaria/testkit";
import { freePort } from "../../support/free-port.ts";
import { Installation } from "../../support/installation.ts";
import { waitFor } from "../../support/wait-for.ts";
import { Diary } from "./diary.ts";
import { Disk } from "./disk.ts";
import { questionsIn, Reader } from "./reader.ts";
import { isSaid, problems as known, linesLike } from "./sentences.ts";
import { Shell } from "./shell.ts";

const npmStart = [fileURLToPath(new URL("../../../scripts/run.mjs", import.meta.url)), "start"];
const inUse = /^the new (?:configuration is|secrets are) in use$/gm;
/** The conversation of the console in which an owner is asked, too. */
export const office = "office";

interface Readiness {
  readonly ready: boolean;
  readonly problems: readonly { readonly line: string }[];
}

/** One installation, the people around it, and whoever serves its model. */
export class Week implements AsyncDisposable {
  readonly diary = new Diary();
  readonly telegram: TelegramServer;
  readonly discord: DiscordServer;
  readonly model: ModelServer;
  readonly provider: Provider;
  readonly folder: string;
  readonly disk: Disk;
  shell: Shell;
  readonly #port: number;
  #talaria: Installation | undefined;
  readonly #closing: AsyncDisposableStack;

  private constructor(parts: Parts, closing: AsyncDisposableStack) {
    this.telegram = parts.telegram;
    this.discord = parts.discord;
    this.model = parts.model;
    this.provider = parts.provider;
    this.folder = parts.folder;
    this.disk = parts.disk;
    this.shell = new Shell(parts.disk.folder, this.diary);
    this.#port = parts.port;
    this.#closing = closing;
  }

  static async begin(): Promise<Week> {
    await using closing = new AsyncDisposableStack();
    const folder = await mkdtemp(join(tmpdir(), "talaria-week-"));
    closing.defer(() => rm(folder, { recursive: true, force: true }));
    await mkdir(join(folder, "home"));
    const disk = new Disk(join(folder, "home"));
    closing.defer(() => disk.remove());
    const port = await freePort();
    // The usual port may be taken, and commands are no part of this week.
    await writeFile(join(disk.folder, "config.yaml"), `gateway: { port: ${port} }\nsandbox: { backend: off }\n`);
    const provider = new Provider();
    const [telegram, discord, model] = [
      closing.use(await startTelegramServer()),
      closing.use(await startDiscordServer()),
      closing.use(await startModelServer({ respond: provider.respond, models: ["small", "large"] })),
    ];
    const week = new Week({ telegram, discord, model, provider, folder, disk, port }, closing.move());
    return week;
  }

  get talaria(): Installation {
    assert.ok(this.#talaria, "it runs");
    return this.#talaria;
  }

  /** Types `npm start`. */
  async start(home = this.disk.folder): Promise<void> {
    this.#talaria = await Installation.start({ home, port: this.#port, starts: npmStart });
    this.shell = new Shell(home, this.diary);
    this.diary.typed("npm start", this.#talaria.output.trimEnd().split("\n").at(-1) ?? "");
  }

  /** Does what changes a file, and waits until the running installation has taken it into use. */
  async untilUsed<Result>(change: () => Promise<Result>): Promise<Result> {
    const count = () => this.talaria.output.match(inUse)?.length ?? 0;
    const before = count();
    const result = await change();
    await waitFor(() => count() > before, "the change to be in use");
    return result;
  }

  /** Types `talaria status` when the gateway knows of the problem, or of none: processes say every few seconds how they are. */
  async status(code: 0 | 1, problem?: string): Promise<void> {
    await waitFor(() => this.#knows(problem), `the gateway to know of ${problem ?? "no problem"}`);
    const line = problem && `PROBLEM     ${problem.replace("since <time>", "since <clock>")}`;
    const { code: ended, said } = await this.shell.look(["status"]);
    const shown = said.split("\n").filter((one) => one.startsWith("PROBLEM"));
    assert.ok(ended === code, `talaria status ended with ${ended}, and said:\n${said}`);
    assert.ok(line === undefined ? shown.length === 0 : linesLike(line, said).length === 1, said);
    this.shell.note(["status"], { code, said: shown[0] ?? said.split("\n")[0] ?? "" });
  }

  async #knows(problem: string | undefined): Promise<boolean> {
    const { ready, problems } = (await (await this.talaria.fetch("/readyz")).json()) as Readiness;
    const lines = [...problems.map(({ line }) => line), ...(ready ? [] : [known.disk])];
    return problem === undefined ? lines.length === 0 : lines.some((line) => isSaid(problem, line));
  }

  /** Types `talaria ...`, which succeeds and says exactly this, line by line. */
  async types(words: readonly string[], lines: readonly string[], input?: string): Promise<void> {
    const { code, said } = await this.shell.type(words, input);
    const isRight = code === 0 && isSaid(lines.join("\n"), said);
    assert.ok(
      isRight,
      `talaria ${words.join(" ")} ended with ${code}, and said:\n${said}\ninstead of:\n${lines.join("\n")}`,
    );
  }

  /** Types `talaria why ...`, which says this of at least one message. */
  async tellsWhy(who: string, line: string): Promise<void> {
    const { code, said } = await this.shell.look(["why", who]);
    const [found] = linesLike(line, said);
    assert.ok(code === 0 && found !== undefined, `talaria why ${who} ended with ${code}, and said:\n${said}`);
    this.shell.note(["why", who], { code, said: found });
  }

  reader(name: string, shown: ConstructorParameters<typeof Reader>[1]): Reader {
    return new Reader(name, shown, this.diary);
  }

  /** What the agent wrote in the console. */
  async officeLines() {
    const lines = await this.talaria.history(office);
    return lines.filter(({ from }) => from === "agent").map(({ id, markdown }) => ({ id, text: markdown }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#talaria?.stop();
    await this.#closing.disposeAsync();
  }
}

interface Parts extends Pick<Week, "telegram" | "discord" | "model" | "provider" | "folder" | "disk"> {
  readonly port: number;
}

/** Serves models as long as its key is right and its bill is paid. */
class Provider {
  key = "sk-the-first-key";
  isPaid = true;
  #held: Promise<unknown> | undefined;

  /** The next answer waits for this. */
  holds(until: Promise<unknown>): void {
    this.#held = until;
  }

  readonly respond = (request: ModelRequest): ModelScript => {
    if (request.headers.authorization !== `Bearer ${this.key}`) return modelFault.unauthorized();
    if (!this.isPaid) return unpaid;
    const proof = request.tools.some(({ function: { name } }) => name === "word_of_the_day");
    if (proof)
      return request.toolResults.length === 0 ? callTool("word_of_the_day", {}) : say(request.toolResults.join());
    const held = this.#held;
    this.#held = undefined;
    const answer = say(`${request.model}: ${questionsIn(request.lastUserText).join(" ")}`);
    return held === undefined ? answer : [...hold(held), ...answer];
  };
}

/** The status of DeepSeek for an account without balance: https://api-docs.deepseek.com/quick_start/error_codes */
const unpaid: ModelScript = [
  {
    kind: "status",
    status: 402,
    body: {
      error: { message: "Insufficient Balance", type: "unknown_error", param: null, code: "invalid_request_error" },
    },
  },
];
