import { defineTool, fileIdOf, type Tool } from "@talaria/agent";
import { z } from "zod";
import type { Browsers } from "./browsers.ts";
import { callMs, pageField, resources } from "./fields.ts";
import { otherPage } from "./other-page.ts";

/** Keeps a picture of what the page shows. */
export function createScreenshot(browsers: Browsers): Tool {
  return defineTool({
    name: "browser_screenshot",
    description:
      "Takes a picture of the browser window and gives you its id. It is for people: send it with send_file. To read a page, use " +
      "browser_read.",
    effect: "read",
    isRare: true,
    permissions: ["net"],
    timeoutMs: callMs,
    input: z.strictObject({ url: pageField }),
    resources,
    targets: ({ url }) => [{ kind: "url", url, sendsBody: false }],
    async execute({ url }, { sessionKey, signal, media }) {
      const browser = await browsers.find(sessionKey);
      return await browser.act(signal, async (pages) => {
        const page = await pages.newest();
        const moved = otherPage(page, url);
        if (moved !== undefined) return moved;
        const bytes = await page.screenshot({ type: "jpeg", quality: 75, signal });
        const kept = await media.put(bytes, "image/jpeg", signal);
        return { content: `kept as file ${fileIdOf(kept.ref)}, ${kept.mimeType}`, untrusted: true, kept: [kept] };
      });
    },
  });
}
