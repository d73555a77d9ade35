import type { AdapterDeps } from "@talaria/adapter";
import { noteUnreadable } from "@talaria/adapter-kit";
import { faultsIn } from "./wire.ts";

type UnreadableDeps = Pick<AdapterDeps, "id" | "log" | "countUnreadable">;

/**
 * Events of a known kind that could not be read. They are acknowledged, since Slack would only repeat them; each is
 * counted, and logged with the fields at fault.
 */
export class Unreadable {
  readonly #deps: UnreadableDeps;

  constructor(deps: UnreadableDeps) {
    this.#deps = deps;
  }

  /** `kind` is Slack's name for the event. */
  note(kind: string, schema: Parameters<typeof faultsIn>[0], value: unknown): void {
    noteUnreadable(this.#deps, kind, { accountId: this.#deps.id, fields: faultsIn(schema, value) });
  }
}
