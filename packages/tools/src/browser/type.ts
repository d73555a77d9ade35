import { defineTool, type Tool } from "@talaria/agent";
import { z } from "zod";
import type { Browsers } from "./browsers.ts";
import { callMs, elementFields, resources } from "./fields.ts";
import { findElement } from "./find-element.ts";
import { settle } from "./settle.ts";
import { showPage } from "./show-page.ts";
import { takeSnapshot } from "./snapshot.ts";
import { withDownloads } from "./with-downloads.ts";

const textChars = 20_000;

/** Fills in a field. A page's scripts see each letter, and may send it. */
export function createType(browsers: Browsers): Tool {
  return defineTool({
    name: "browser_type",
    description:
      "Replaces the content of a field on the open page, or selects an option of a list by its name, and shows the page afterwards. " +
      "Whatever you type is given to whoever runs the page: never type passwords or keys.",
    effect: "write",
    isRare: true,
    permissions: ["net"],
    timeoutMs: callMs,
    input: z.strictObject({
      ...elementFields,
      text: z.string().max(textChars).describe("The whole new content, or the name of an option."),
      submit: z.boolean().default(false).describe("Press Enter afterwards."),
    }),
    resources,
    targets: ({ url }) => [{ kind: "url", url, sendsBody: true }],
    async execute({ text, submit, ...asked }, context) {
      const { sessionKey, signal } = context;
      const browser = await browsers.find(sessionKey);
      return await withDownloads(browser, context, async (pages) => {
        const page = await pages.newest();
        const element = await findElement(page, asked, signal);
        const isList = await element.evaluate((one) => one.nodeName === "SELECT");
        if (isList) await element.selectOption({ label: text }, { signal });
        else await element.fill(text, { signal });
        if (submit) await element.press("Enter", { signal });
        await settle(page, signal);
        return { result: showPage(browser, await takeSnapshot(await pages.newest(), signal), 1) };
      });
    },
  });
}
