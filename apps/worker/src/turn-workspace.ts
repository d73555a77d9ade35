import type { Workspace } from "@talaria/agent";
import type { SessionKey } from "@talaria/protocol";
import type { SessionLease } from "@talaria/store";
import type { Following } from "./following.ts";

/** The session's workspace in one turn: its files are brought before they are used, and kept at the end if they were. */
export class TurnWorkspace {
  readonly #lease: SessionLease;
  readonly #open: (sessionKey: SessionKey) => Promise<Workspace>;
  readonly #following: Following | undefined;
  #bringing: ReturnType<Following["bring"]> | undefined;
  #used: Workspace | undefined;

  constructor(
    lease: SessionLease,
    open: (sessionKey: SessionKey) => Promise<Workspace>,
    following: Following | undefined,
  ) {
    this.#lease = lease;
    this.#open = open;
    this.#following = following;
  }

  async open(): Promise<Workspace> {
    const workspace = await this.#open(this.#lease.sessionKey);
    this.#bringing ??= this.#following?.bring(this.#lease, workspace);
    try {
      await this.#bringing;
    } catch (error) {
      this.#bringing = undefined;
      throw error;
    }
    this.#used = workspace;
    return workspace;
  }

  async keep(): Promise<void> {
    const [brought, used] = [await this.#bringing, this.#used];
    if (brought === undefined || brought === "apart" || used === undefined) return;
    await this.#following?.keep(this.#lease, used, brought);
  }
}
