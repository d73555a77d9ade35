import { PassThrough } from "node:stream";
import { type Clock, GatewayError } from "@talaria/protocol";
import type { Sandbox } from "e2b";
import type { E2bSettings } from "../config.ts";
import type { RemoteCommand, RemoteMachine } from "../remote/remote-machine.ts";
import { inputBy, written } from "../remote/remote-stream.ts";
import { isUnreached, type ProcessClient, type ProcessEvent, processesOf, toEnd } from "./processes.ts";

type Sdk = Pick<typeof import("e2b"), "Sandbox" | "SandboxNotFoundError">;

/** A sandbox that nobody renews is paused after so long, by E2B itself: its files stay. */
const lifeMs = 600_000;
const requestTimeoutMs = 30_000;
const maxComplaint = 1_000;

export interface E2bParts {
  readonly sdk: Sdk;
  readonly settings: E2bSettings;
  /** By it the sandbox is found again. */
  readonly id: string;
  /** A command that a new sandbox runs first. */
  readonly prepare: string;
  readonly clock: Clock;
}

/** One sandbox of E2B, paused while nobody has it open. */
export class E2bMachine implements RemoteMachine {
  readonly name = "E2B";
  readonly #parts: E2bParts;
  #sandbox: Promise<Sandbox> | undefined;
  #renewedAt = 0;
  #running = 0;
  #calm = new AbortController();

  constructor(parts: E2bParts) {
    this.#parts = parts;
  }

  async run(command: string, stderr?: "apart"): Promise<RemoteCommand> {
    const used = this.#ready();
    const processes = processesOf(await used);
    try {
      return await this.#start(processes, command, stderr);
    } catch (error) {
      // It was paused or ended meanwhile, or not to be reached: nothing was begun.
      if (!isUnreached(error)) throw unavailable("could not run a command", error);
      this.#forget(used);
      const again = processesOf(await this.#ready());
      return this.#start(again, command, stderr).catch((cause: unknown) => {
        throw unavailable("could not run a command", cause);
      });
    }
  }

  /** Its files stay with E2B. Where that fails, it is paused at the end of its life. */
  async pause(): Promise<void> {
    const sandbox = await this.#sandbox?.catch(() => undefined);
    this.#sandbox = undefined;
    await sandbox?.pause({ keepMemory: false, requestTimeoutMs }).catch(() => undefined);
  }

  async kill(): Promise<void> {
    const sandbox = await this.#sandbox?.catch(() => undefined);
    this.#sandbox = undefined;
    await sandbox?.kill({ requestTimeoutMs });
  }

  /** The sandbox, with a good part of its life before it. Two that ask at once get the same. */
  #ready(): Promise<Sandbox> {
    const { clock } = this.#parts;
    if (this.#sandbox === undefined || clock.elapsed() - this.#renewedAt > lifeMs / 3) {
      const known = this.#sandbox;
      this.#renewedAt = clock.elapsed();
      const renewed = this.#renew(known);
      this.#sandbox = renewed;
      renewed.catch(() => this.#forget(renewed));
    }
    return this.#sandbox;
  }

  /** Unless somebody else has renewed it already: two that find it gone make one new one. */
  #forget(sandbox: Promise<Sandbox>): void {
    if (this.#sandbox === sandbox) this.#sandbox = undefined;
  }

  async #renew(known: Promise<Sandbox> | undefined): Promise<Sandbox> {
    const { sdk } = this.#parts;
    const id = (await known?.catch(() => undefined))?.sandboxId ?? (await this.#find());
    try {
      if (id !== undefined)
        return await sdk.Sandbox.connect(id, { ...connection(this.#parts.settings), timeoutMs: lifeMs });
    } catch (error) {
      if (!(error instanceof sdk.SandboxNotFoundError)) throw unavailable("did not resume a sandbox", error);
    }
    return this.#create();
  }

  async #find(): Promise<string | undefined> {
    const { sdk, settings, id } = this.#parts;
    const list = sdk.Sandbox.list({ ...connection(settings), query: { metadata: { talaria: id } }, limit: 2 });
    const [found] = await list.nextItems().catch((error: unknown) => {
      throw unavailable("did not list its sandboxes", error);
    });
    return found?.sandboxId;
  }

  async #create(): Promise<Sandbox> {
    const { sdk, settings, id, prepare } = this.#parts;
    const sandbox = await sdk.Sandbox.create(settings.template, {
      ...connection(settings),
      ...{ timeoutMs: lifeMs, metadata: { talaria: id }, allowInternetAccess: false },
      lifecycle: { onTimeout: "pause" },
    }).catch((error: unknown) => {
      throw unavailable(`made no sandbox of the template ${settings.template}`, error);
    });
    const command = await this.#start(processesOf(sandbox), prepare);
    command.output.resume();
    command.stdin.end();
    await command.ended;
    return sandbox;
  }

  async #start(processes: ProcessClient, command: string, stderr?: "apart"): Promise<RemoteCommand> {
    const over = new AbortController();
    const events = processes.start(command, over.signal)[Symbol.asyncIterator]();
    const begun = new AbortController();
    const late = this.#parts.clock.sleep(requestTimeoutMs, begun.signal).then(() => over.abort());
    late.catch(() => undefined);
    const first = await events.next().finally(() => begun.abort());
    const pid = first.done === true ? undefined : first.value.pid;
    if (pid === undefined) throw new GatewayError("E2B did not begin a process", { code: "unavailable" });
    const output = new PassThrough();
    const errors = stderr === "apart" ? new PassThrough() : undefined;
    let complaint = "";
    this.#begun();
    const complain = async (bytes: Uint8Array) => {
      if (errors !== undefined) await written(errors, bytes);
      else if (complaint.length < maxComplaint) complaint += Buffer.from(bytes).toString();
    };
    const ended = readEvents(events, output, complain).finally(() => {
      output.end();
      errors?.end();
      this.#ended();
    });
    return {
      stdin: inputBy(
        (bytes) => processes.sendInput(pid, bytes),
        () => processes.closeInput(pid),
      ),
      output,
      ...(errors && { errors }),
      complaint: () => complaint,
      ended,
      close: () => {
        void processes.kill(pid).catch(() => undefined);
        over.abort();
      },
    };
  }

  #begun(): void {
    this.#running += 1;
    if (this.#running > 1) return;
    this.#calm = new AbortController();
    void this.#keepAlive(this.#calm.signal);
  }

  #ended(): void {
    this.#running -= 1;
    if (this.#running === 0) this.#calm.abort();
  }

  /** A sandbox in which something runs isn't paused. */
  async #keepAlive(signal: AbortSignal): Promise<void> {
    const { clock } = this.#parts;
    while (!signal.aborted) {
      await clock.sleep(lifeMs / 3, signal).catch(() => undefined);
      if (signal.aborted) return;
      const sandbox = await this.#sandbox?.catch(() => undefined);
      await sandbox?.setTimeout(lifeMs, { requestTimeoutMs }).catch(() => undefined);
    }
  }
}

/** Nothing of it comes from the environment of the worker. */
function connection({ apiKey, apiUrl, sandboxUrl }: E2bSettings) {
  return {
    ...{ apiKey, requestTimeoutMs, debug: false, domain: "e2b.app", apiUrl: apiUrl ?? "https://api.e2b.app" },
    ...(sandboxUrl !== undefined && { sandboxUrl }),
  };
}

async function readEvents(
  events: AsyncIterator<ProcessEvent>,
  output: PassThrough,
  complain: (bytes: Uint8Array) => Promise<void>,
) {
  try {
    for (let next = await events.next(); next.done !== true; next = await events.next()) {
      const { stdout, stderr, end } = next.value;
      if (stderr !== undefined) await complain(stderr);
      if (stdout !== undefined) await written(output, stdout);
      if (end !== undefined) return toEnd(end);
    }
  } catch {
    // The connection was lost, or closed by us.
  }
  return undefined;
}

function unavailable(what: string, cause: unknown): GatewayError {
  const said = cause instanceof Error ? cause.message.slice(0, 300) : "";
  return new GatewayError(`E2B ${what}: ${said}`, { code: "unavailable", cause });
}
