import { defineTool, type Tool } from "@talaria/agent";
import { z } from "zod";
import type { Browsers } from "./browsers.ts";
import { resources } from "./fields.ts";

/** Ends the session's browser. Nothing outside changes by it, so it counts as no write. */
export function createClose(browsers: Browsers): Tool {
  return defineTool({
    name: "browser_close",
    description:
      "Closes the browser and forgets its cookies and everything filled in. Do it when you no longer need it.",
    effect: "read",
    isRare: true,
    permissions: [],
    input: z.strictObject({}),
    resources,
    async execute(_, { sessionKey }) {
      return { content: (await browsers.close(sessionKey)) ? "The browser is closed." : "No browser was open." };
    },
  });
}
