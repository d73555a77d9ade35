import type { Tool } from "@talaria/agent";
import { createToolsets, type ToolPlace } from "./toolsets.ts";

type Asking = Pick<ToolPlace, "conversation" | "role">;

const everything: Asking = { conversation: { kind: "direct", platform: "web" }, role: "owner" };

const never = (): never => {
  throw new Error("this tool was made to be described, not to be called");
};

/**
 * The tools of ours that somebody has in such a place, by default all: what they are called and what they touch, whatever this
 * installation has. They can't be called.
 */
export function describedTools(asking = everything): readonly Tool[] {
  const toolsFor = createToolsets({
    workspace: true,
    web: { fetch: never, search: { name: "", address: "https://search.example.org/", search: never } },
    browser: { open: never, find: never, close: never, stop: never },
    media: { makeImage: never, speak: never, transcribe: never },
    secrets: [{ name: "example", hosts: ["api.example.org"], header: "Authorization", role: "guest" }],
  });
  const send = { maxBytes: 1, maxPerMessage: 1, maxCaptionLength: 1 };
  return toolsFor({ ...asking, send });
}
