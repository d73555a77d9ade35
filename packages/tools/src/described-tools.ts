import type { Tool } from "@talaria/agent";
import { createToolsets, type ToolPlace } from "./toolsets.ts";

const never = (): never => {
  throw new Error("this tool was made to be described, not to be called");
};

const withOwners: Omit<ToolPlace, "send"> = { conversation: { kind: "direct", platform: "web" }, role: "owner" };

/**
 * Tools of ours, whatever this installation has: what they are called and what they touch. They can't be called. All of them, unless
 * told the place.
 */
export function describedTools(place: Omit<ToolPlace, "send"> = withOwners): readonly Tool[] {
  const toolsFor = createToolsets({
    workspace: true,
    web: { fetch: never, search: { name: "", address: "https://search.example.org/", search: never } },
    browser: { open: never, find: never, close: never, stop: never },
    media: { makeImage: never, speak: never, transcribe: never },
    secrets: [{ name: "example", hosts: ["api.example.org"], header: "Authorization", role: "owner" }],
  });
  const send = { maxBytes: 1, maxPerMessage: 1, maxCaptionLength: 1 };
  return toolsFor({ ...place, send });
}
