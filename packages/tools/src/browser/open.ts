import { defineTool, type Tool, type ToolResult } from "@talaria/agent";
import type { Page } from "playwright-core";
import { z } from "zod";
import { webAddress } from "../web/web-address.ts";
import type { Browsers } from "./browsers.ts";
import { addressField, callMs, resources } from "./fields.ts";
import { settle } from "./settle.ts";
import { showPage } from "./show-page.ts";
import { plainAddress, takeSnapshot } from "./snapshot.ts";
import { withDownloads } from "./with-downloads.ts";

/** Opens an address in the session's browser. */
export function createOpen(browsers: Browsers): Tool {
  return defineTool({
    name: "browser_open",
    description:
      "Opens a public http or https address in a real browser that runs the page's scripts, and shows the page as lines with " +
      "references such as [ref=e3] for browser_click and browser_type. To just read a page, web_extract is faster. What the browser " +
      "downloads is kept as files.",
    effect: "read",
    isRare: true,
    permissions: ["net"],
    timeoutMs: callMs,
    input: z.strictObject({ url: addressField }),
    resources,
    targets: ({ url }) => [{ kind: "url", url, sendsBody: false }],
    async execute({ url }, context) {
      const { sessionKey, signal } = context;
      const address = webAddress(url).href;
      const browser = await browsers.open(sessionKey);
      return await withDownloads(browser, context, async (pages) => {
        const page = await pages.only();
        const notes = await load(page, address, browser.loadMs, signal);
        if (notes === "file") return { isFile: true, result: fileAt(address) };
        if (plainAddress(page.url()) === undefined && browser.trouble !== undefined) throw browser.trouble;
        return { result: showPage(browser, await takeSnapshot(page, signal), 1, notes) };
      });
    },
  });
}

function fileAt(address: string): ToolResult {
  return {
    content: `address: ${address}\n[this address is a file and no page: the browser shows what it showed before]`,
  };
}

/** What the model should know of how it went. A page that never ends loading is taken as far as it came. */
async function load(
  page: Page,
  address: string,
  loadMs: number,
  signal: AbortSignal,
): Promise<readonly string[] | "file"> {
  let hasBegun = false;
  page.on("framenavigated", (frame) => {
    hasBegun ||= frame === page.mainFrame();
  });
  try {
    const response = await page.goto(address, { waitUntil: "domcontentloaded", timeout: loadMs, signal });
    await settle(page, signal);
    const status = response?.status() ?? 200;
    return status < 400 ? [] : [`status ${status}`];
  } catch (error) {
    const text = error instanceof Error ? error.message : "";
    if (text.includes("Download is starting")) return "file";
    if (!text.includes("Timeout") || !hasBegun) throw error;
    return [`the page had not loaded whole after ${loadMs / 1_000} s`];
  }
}
