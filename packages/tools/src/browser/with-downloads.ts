import type { ToolContext, ToolResult } from "@talaria/agent";
import { isGatewayError } from "@talaria/protocol";
import { keepDownload } from "../keep-download.ts";
import type { Downloads } from "./downloads.ts";
import type { OpenPages, SessionBrowser } from "./session-browser.ts";

/** What an action shows. `isFile`: instead of a page, something is being downloaded. */
export interface Shown {
  readonly result: ToolResult;
  readonly isFile?: boolean;
}

/**
 * Does something with the browser's pages, and keeps what it has downloaded by then: the files stand before all that the page says.
 * One that can't be kept is told of and takes nothing from the others.
 */
export async function withDownloads(
  browser: SessionBrowser,
  context: Pick<ToolContext, "media" | "signal">,
  work: (pages: OpenPages) => Promise<Shown>,
): Promise<ToolResult> {
  const { result, taken } = await browser.act(context.signal, async (pages) => {
    const { result, isFile = false } = await work(pages);
    const { downloads } = browser;
    if (!isFile && !downloads.hasNews) return { result };
    await downloads.settle(isFile, context.signal);
    return { result, taken: await downloads.take() };
  });
  return taken === undefined ? result : await withFiles(result, taken, browser, context);
}

async function withFiles(
  { content, kept = [], ...result }: ToolResult,
  { done, problems }: Awaited<ReturnType<Downloads["take"]>>,
  browser: SessionBrowser,
  context: Pick<ToolContext, "media" | "signal">,
): Promise<ToolResult> {
  const lines: string[] = [];
  const files = [...kept];
  for (const one of done) {
    try {
      const { file, told } = await keepDownload(browser.downloaded(one, context.signal), one, context);
      files.push(file);
      lines.push(`[downloaded: ${told}]`);
    } catch (error) {
      if (context.signal.aborted || !isGatewayError(error)) throw error;
      lines.push(`[not downloaded: ${error.message}]`);
    }
  }
  const told = [...lines, ...problems.map((problem) => `[not downloaded: ${problem}]`)];
  return { ...result, content: [...told, content].join("\n"), untrusted: true, kept: files };
}
