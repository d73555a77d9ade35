import { defineTool, type Tool } from "@talaria/agent";
import { z } from "zod";
import type { Browsers } from "./browsers.ts";
import { callMs, elementFields, resources } from "./fields.ts";
import { findElement } from "./find-element.ts";
import { settle } from "./settle.ts";
import { showPage } from "./show-page.ts";
import { takeSnapshot } from "./snapshot.ts";
import { withDownloads } from "./with-downloads.ts";

/** Clicks on an element: what its page sends then, and to whom, is the page's choice. */
export function createClick(browsers: Browsers): Tool {
  return defineTool({
    name: "browser_click",
    description:
      "Clicks an element of the open page and shows the page afterwards. A click may send something, such as a form or an order. To " +
      "follow a link, use browser_open with its address instead.",
    effect: "write",
    isRare: true,
    permissions: ["net"],
    timeoutMs: callMs,
    input: z.strictObject(elementFields),
    resources,
    targets: ({ url }) => [{ kind: "url", url, sendsBody: true }],
    async execute(asked, context) {
      const { sessionKey, signal } = context;
      const browser = await browsers.find(sessionKey);
      return await withDownloads(browser, context, async (pages) => {
        const page = await pages.newest();
        const element = await findElement(page, asked, signal);
        await element.click({ signal });
        await settle(page, signal);
        return { result: showPage(browser, await takeSnapshot(await pages.newest(), signal), 1) };
      });
    },
  });
}
