import type { Tool } from "@talaria/agent";
import type { SecretHandle } from "./secrets/secret-handle.ts";
import { createToolsets, type ToolPlace } from "./toolsets.ts";
import type { WebPowers } from "./web/index.ts";

type Asking = Pick<ToolPlace, "conversation" | "role">;

const everything: Asking = { conversation: { kind: "direct", platform: "web" }, role: "owner" };

const never = (): never => {
  throw new Error("this tool was made to be described, not to be called");
};

/** What calls of some tools touch depends on. */
interface Own {
  readonly search?: NonNullable<WebPowers["search"]>;
  readonly secrets: readonly SecretHandle[];
}

const examples: Own = {
  search: { name: "", address: "https://search.example.org/", search: never },
  secrets: [
    {
      ...{ name: "example", hosts: ["api.example.org"], header: "Authorization", role: "guest" },
      ...{ isForCommands: true, handOut: never },
    },
  ],
};

/**
 * The tools of ours that somebody has in such a place, by default all: what they are called and what they touch, whatever this
 * installation has. They can't be called. `own`: what it has, where that decides what calls touch; default: examples.
 */
export function describedTools(asking = everything, { search, secrets } = examples): readonly Tool[] {
  const toolsFor = createToolsets({
    workspace: true,
    web: { fetch: never, ...(search && { search }) },
    browser: { open: never, find: never, close: never, stop: never },
    media: { makeImage: never, speak: never, transcribe: never },
    facts: true,
    skills: { read: never },
    secrets,
  });
  const send = { maxBytes: 1, maxPerMessage: 1, maxCaptionLength: 1 };
  return toolsFor({ ...asking, send });
}
