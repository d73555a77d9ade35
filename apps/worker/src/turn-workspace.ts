import type { Workspace } from "@talaria/agent";
import type { SessionKey } from "@talaria/protocol";
import type { SessionLease } from "@talaria/store";
import type { Following } from "./following.ts";
import type { Patience } from "./patience.ts";

/** The session's workspace in one turn: its files are brought before they are used, and kept at the end if they were. */
export class TurnWorkspace {
  readonly #lease: SessionLease;
  readonly #open: (sessionKey: SessionKey) => Promise<Workspace>;
  readonly #following: Following | undefined;
  readonly #patiently: Patience;
  #bringing: ReturnType<Following["bring"]> | undefined;
  #used: Workspace | undefined;

  constructor(
    lease: SessionLease,
    open: (sessionKey: SessionKey) => Promise<Workspace>,
    following: Following | undefined,
    patiently: Patience,
  ) {
    this.#lease = lease;
    this.#open = open;
    this.#following = following;
    this.#patiently = patiently;
  }

  async open(): Promise<Workspace> {
    const workspace = await this.#open(this.#lease.sessionKey);
    const following = this.#following;
    this.#bringing ??= following && this.#patiently(() => following.bring(this.#lease, workspace));
    try {
      await this.#bringing;
    } catch (error) {
      this.#bringing = undefined;
      throw error;
    }
    this.#used = workspace;
    return workspace;
  }

  /** As absolute paths name it. */
  get folder(): string {
    return this.#used?.folder ?? "/";
  }

  async keep(): Promise<void> {
    const [brought, used] = [await this.#bringing, this.#used];
    if (brought === undefined || brought === "apart" || used === undefined) return;
    await this.#following?.keep(this.#lease, used, brought);
  }
}
