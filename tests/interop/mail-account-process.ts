import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { ConnectionState } from "@talaria/adapter";
import type { Effect, ErrorCode } from "@talaria/protocol";
import { waitFor } from "../support/wait-for.ts";

/** What an account in a process of its own tells. */
export type AccountWord =
  | { readonly state: ConnectionState }
  | { readonly received: string }
  | { readonly warned: string }
  | { readonly sentTo: string }
  | { readonly refused: { readonly code: ErrorCode; readonly effect: Effect; readonly message: string } };

type Told<Key extends string> = Extract<AccountWord, Record<Key, unknown>>;

/** Runs an email account with these settings, trusting the authority of a file as an operator would, or none. */
export class MailAccountProcess implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly words: AccountWord[] = [];

  constructor(settings: object, authorityFile?: string) {
    const { NODE_TEST_CONTEXT, NODE_EXTRA_CA_CERTS, ...env } = process.env;
    this.#child = fork(fileURLToPath(new URL("mail-account.ts", import.meta.url)), [JSON.stringify(settings)], {
      env: { ...env, ...(authorityFile === undefined ? {} : { NODE_EXTRA_CA_CERTS: authorityFile }) },
      execArgv: [],
    });
    this.#child.on("message", (word) => void this.words.push(word as AccountWord));
  }

  /** The first thing it tells that fits. */
  async told<Key extends "state" | "received" | "warned" | "sentTo" | "refused">(
    key: Key,
    fits: (told: Told<Key>) => boolean = () => true,
  ): Promise<Told<Key>> {
    const find = () => this.words.find((word): word is Told<Key> => key in word && fits(word as Told<Key>));
    return waitFor(find, `a word with "${key}" after ${JSON.stringify(this.words)}`);
  }

  /** Its state as soon as it is not `connecting`. */
  async firstState(): Promise<ConnectionState> {
    return (await this.told("state", ({ state }) => state.status !== "connecting")).state;
  }

  /** Lets it write a mail. */
  send(to: string): void {
    this.#child.send(to);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill("SIGKILL");
    await once(this.#child, "exit");
  }
}
