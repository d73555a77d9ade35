import { defineTool, type ModelEvent, type Tool } from "@talaria/agent";
import { z } from "zod";
import { done } from "../worker.fixture.ts";

let made = 0;

/** An answer of the model that calls this tool and says nothing. Each call has an id of its own. */
export function does(name: string, input: object = {}): readonly ModelEvent[] {
  made += 1;
  return [done("", [{ callId: `c${made}`, name, arguments: JSON.stringify(input) }])];
}

/** The tool `web_fetch`, to which every page says the same: a stranger's words. */
export function pageThatSays(content: string): Tool {
  return defineTool({
    name: "web_fetch",
    description: "reads",
    effect: "read",
    permissions: ["clock"],
    input: z.strictObject({}),
    execute: async () => ({ content, untrusted: true }),
  });
}
