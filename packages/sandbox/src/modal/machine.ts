import { type Clock, GatewayError } from "@talaria/protocol";
import type { App, Image, ModalClient, Sandbox, Volume } from "modal";
import type { ModalSettings } from "../config.ts";
import { quote } from "../quote.ts";
import type { RemoteCommand, RemoteMachine } from "../remote/remote-machine.ts";
import { toRemoteCommand } from "./command.ts";

type Sdk = Pick<typeof import("modal"), "AlreadyExistsError" | "NotFoundError">;

/** The longest that Modal lets a sandbox live: https://modal.com/docs/guide/sandbox#timeouts. Then commands end and another one is made. */
const lifeMs = 86_400_000;
/** One in which nothing runs is ended after so long, by Modal itself. */
const idleMs = 600_000;
const requestTimeoutMs = 30_000;
/** The first one of an image waits until Modal has fetched that. */
const creationTimeoutMs = 300_000;
const watchAgainMs = 10_000;
/** Of the SDK: 65536, with `/bin/sh -c`. */
const maxCommandChars = 65_000;

export interface ModalParts {
  readonly sdk: Sdk;
  readonly client: ModalClient;
  readonly app: App;
  readonly image: Image;
  readonly settings: ModalSettings;
  /** Name of the sandbox and of the volume. */
  readonly id: string;
  /** Where the volume stands in the sandbox. */
  readonly folder: string;
  readonly clock: Clock;
}

interface Opened {
  readonly sandbox: Sandbox;
  readonly commands: Set<RemoteCommand>;
  hasEnded: boolean;
}

/** One sandbox of Modal at a time, with a volume that outlives it. */
export class ModalMachine implements RemoteMachine {
  readonly name = "Modal";
  readonly #parts: ModalParts;
  #opened: Promise<Opened> | undefined;

  constructor(parts: ModalParts) {
    this.#parts = parts;
  }

  async run(command: string, stderr?: "apart"): Promise<RemoteCommand> {
    if (command.length > maxCommandChars)
      throw new GatewayError(
        `Modal takes commands of at most ${maxCommandChars} characters, and this one has ${command.length}: write it into a file and run that`,
        { code: "invalid_request" },
      );
    const used = this.#ready();
    const opened = await used;
    try {
      return await this.#start(opened, command, stderr);
    } catch (error) {
      // In a sandbox that has ended nothing runs, so it can be begun again.
      if (!(await hasEnded(opened))) throw unavailable("could not run a command", error);
      this.#forget(used);
      return this.#start(await this.#ready(), command, stderr).catch((cause: unknown) => {
        throw unavailable("could not run a command", cause);
      });
    }
  }

  /** Ends the sandbox once its files are in the volume. Where that fails, Modal ends it when nothing runs in it. */
  async end(): Promise<void> {
    const opened = await this.#opened?.catch(() => undefined);
    this.#opened = undefined;
    if (opened === undefined || opened.hasEnded) return;
    await this.#committed(opened).catch(() => undefined);
    await this.#terminate(opened).catch(() => undefined);
  }

  /** Ends the sandbox, and deletes its files. */
  async delete(): Promise<void> {
    const { client, id } = this.#parts;
    const opened = await this.#opened?.catch(() => undefined);
    this.#opened = undefined;
    if (opened !== undefined) await this.#terminate(opened);
    await this.#soon(client.volumes.delete(id, { allowMissing: true }));
  }

  /** Two that ask at once get the same. */
  #ready(): Promise<Opened> {
    if (this.#opened === undefined) {
      const opened = this.#open();
      this.#opened = opened;
      opened.catch(() => this.#forget(opened));
    }
    return this.#opened;
  }

  /** Unless somebody else has opened another one already. */
  #forget(opened: Promise<Opened>): void {
    if (this.#opened === opened) this.#opened = undefined;
  }

  async #open(): Promise<Opened> {
    const { client, settings, id } = this.#parts;
    // By version 2 `sync` stores what was written: https://modal.com/docs/guide/volumes
    const volume = await this.#soon(client.volumes.fromName(id, { createIfMissing: true, version: 2 })).catch(
      (error: unknown) => {
        throw unavailable("made no volume", error);
      },
    );
    const sandbox = await this.#soon(this.#createOrFind(volume), creationTimeoutMs).catch((error: unknown) => {
      throw unavailable(`made no sandbox of the image ${settings.image}`, error);
    });
    const opened: Opened = { sandbox, commands: new Set(), hasEnded: false };
    void this.#watch(opened);
    return opened;
  }

  /** A name belongs to one running sandbox of the app. */
  async #createOrFind(volume: Volume): Promise<Sandbox> {
    const { sdk, client, settings, id } = this.#parts;
    try {
      return await this.#create(volume);
    } catch (error) {
      if (!(error instanceof sdk.AlreadyExistsError)) throw error;
    }
    try {
      return await client.sandboxes.fromName(settings.app, id);
    } catch (error) {
      // It has ended in between.
      if (!(error instanceof sdk.NotFoundError)) throw error;
      return this.#create(volume);
    }
  }

  #create(volume: Volume): Promise<Sandbox> {
    const { client, app, image, id, folder } = this.#parts;
    return client.sandboxes.create(app, image, {
      ...{ name: id, timeoutMs: lifeMs, idleTimeoutMs: idleMs, blockNetwork: true, volumes: { [folder]: volume } },
      command: ["sleep", String(lifeMs / 1_000)],
    });
  }

  /** Lets commands end with their sandbox. Rejects never. */
  async #watch(opened: Opened): Promise<void> {
    const { sdk, clock } = this.#parts;
    while (!opened.hasEnded) {
      try {
        await opened.sandbox.wait();
        opened.hasEnded = true;
      } catch (error) {
        if (error instanceof sdk.NotFoundError) opened.hasEnded = true;
        else await clock.sleep(watchAgainMs).catch(() => undefined);
      }
    }
    if ((await this.#opened?.catch(() => undefined)) === opened) this.#opened = undefined;
    for (const command of opened.commands) command.close();
    opened.sandbox.detach();
  }

  async #start({ sandbox, commands }: Opened, command: string, stderr?: "apart"): Promise<RemoteCommand> {
    const process = await this.#soon(sandbox.exec(["/bin/sh", "-c", command], { mode: "binary" }));
    const running = toRemoteCommand(process, stderr);
    commands.add(running);
    void running.ended.then(() => commands.delete(running));
    return running;
  }

  async #committed(opened: Opened): Promise<void> {
    const sync = await this.#start(opened, `sync ${quote(this.#parts.folder)}`);
    sync.output.resume();
    sync.stdin.end();
    await this.#soon(sync.ended);
  }

  async #terminate({ sandbox }: Opened): Promise<void> {
    await this.#soon(sandbox.terminate({ wait: true }));
  }

  async #soon<Value>(promise: Promise<Value>, ms = requestTimeoutMs): Promise<Value> {
    const done = new AbortController();
    const late = this.#parts.clock.sleep(ms, done.signal).then(() => {
      throw new Error(`no answer within ${ms / 1_000} seconds`);
    });
    return Promise.race([promise, late]).finally(() => done.abort());
  }
}

async function hasEnded({ sandbox, hasEnded: isKnown }: Opened): Promise<boolean> {
  return isKnown || (await sandbox.poll().catch(() => null)) !== null;
}

export function unavailable(what: string, cause: unknown): GatewayError {
  const said = cause instanceof Error ? cause.message.slice(0, 300) : "";
  return new GatewayError(`Modal ${what}: ${said}`, { code: "unavailable", cause });
}
