import { defineTool, type Tool } from "@talaria/agent";
import { z } from "zod";
import type { Browsers } from "./browsers.ts";
import { callMs, pageField, resources } from "./fields.ts";
import { otherPage } from "./other-page.ts";
import { partChars, showPage } from "./show-page.ts";
import { plainAddress, takeSnapshot } from "./snapshot.ts";
import { withDownloads } from "./with-downloads.ts";

/** Shows the open page as it is now. */
export function createRead(browsers: Browsers): Tool {
  return defineTool({
    name: "browser_read",
    description:
      `Shows the page that is now open in the browser, in parts of up to ${partChars} characters; later parts continue what part 1 ` +
      "showed.",
    effect: "read",
    isRare: true,
    permissions: ["net"],
    timeoutMs: callMs,
    input: z.strictObject({ url: pageField, part: z.int().min(1).max(100).default(1) }),
    resources,
    targets: ({ url }) => [{ kind: "url", url, sendsBody: false }],
    async execute({ url, part }, context) {
      const { sessionKey, signal } = context;
      const browser = await browsers.find(sessionKey);
      return await withDownloads(browser, context, async (pages) => {
        const page = await pages.newest();
        const moved = otherPage(page, url);
        if (moved !== undefined) return { result: moved };
        const { shown } = browser;
        const kept = part > 1 && shown?.url === plainAddress(url) ? shown : undefined;
        return { result: showPage(browser, kept ?? (await takeSnapshot(page, signal)), part) };
      });
    },
  });
}
