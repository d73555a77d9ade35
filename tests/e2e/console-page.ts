import type { BrowserContext, Page } from "playwright-core";
import { longestWaitMs, waitFor } from "../support/wait-for.ts";

/** A line of the conversation as a person sees it. */
export interface SeenLine {
  readonly from: "person" | "agent";
  readonly text: string;
  /** What the turn did, folded. Empty: nothing that is told. */
  readonly steps: string;
  readonly isGrowing: boolean;
  readonly isFailed: boolean;
}

/** The web chat in a tab of a real browser. */
export class ConsolePage implements AsyncDisposable {
  readonly page: Page;
  /** What the page logged as an error, and what it threw. */
  readonly faults: string[] = [];

  constructor(page: Page) {
    this.page = page;
    page.on("pageerror", (error) => this.faults.push(error.stack ?? String(error)));
    page.on("console", (message) => {
      if (message.type() === "error") this.faults.push(message.text());
    });
  }

  /** Resolves when the page says that it is connected. */
  static async open(context: BrowserContext, address: string): Promise<ConsolePage> {
    const opened = new ConsolePage(await context.newPage());
    await opened.page.goto(address);
    await opened.connected();
    return opened;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.page.close();
  }

  /** With words beside it that only screen readers say where people get no answers. */
  async connected(): Promise<void> {
    await this.page
      .locator("#connection")
      .filter({ hasText: /^\s*connected\b/ })
      .waitFor();
  }

  async reload(): Promise<void> {
    await this.page.reload();
    await this.connected();
  }

  /** Types a message and presses Enter. */
  async say(text: string): Promise<void> {
    const field = this.page.getByLabel("Message", { exact: true });
    await field.fill(text);
    await field.press("Enter");
  }

  /** Chooses files, as from the disk. */
  async attach(...files: readonly { name: string; mimeType: string; buffer: Buffer }[]): Promise<void> {
    await this.page.getByLabel("Files", { exact: true }).setInputFiles([...files]);
  }

  async lines(): Promise<readonly SeenLine[]> {
    return this.page.locator("#lines > .line").evaluateAll((items) =>
      items.map((item) => ({
        from: item.classList.contains("person") ? "person" : "agent",
        text: [...item.childNodes]
          .filter((node) => !/\b(?:steps|actions)\b/.test(String((node as { className?: string }).className ?? "")))
          .map((node) => node.textContent ?? "")
          .join("")
          .trim(),
        steps: (item.querySelector(".steps:not([hidden])")?.textContent ?? "").trim(),
        isGrowing: item.classList.contains("growing"),
        isFailed: item.classList.contains("failed"),
      })),
    );
  }

  /** The first finished line of the agent that matches. */
  answer(matches: RegExp, timeoutMs = longestWaitMs): Promise<SeenLine> {
    return waitFor(
      async () => (await this.lines()).find((line) => isAnswer(line) && matches.test(line.text)),
      `an answer like ${matches} on the page`,
      timeoutMs,
    );
  }

  /** Collects every length that a growing reply has from now on; `lengths` reads them in order, each once. */
  async watchGrowth(): Promise<{ lengths(): Promise<readonly number[]> }> {
    const seen = await this.page.locator("body").evaluateHandle((body) => {
      const lengths = new Set<number>();
      const look = () => lengths.add(body.querySelector("#lines > .growing")?.textContent?.length ?? 0);
      const { MutationObserver } = body.ownerDocument.defaultView;
      new MutationObserver(look).observe(body, { childList: true, subtree: true, characterData: true });
      return lengths;
    });
    return { lengths: () => seen.evaluate((lengths) => [...lengths].filter((length) => length > 0)) };
  }
}

function isAnswer({ from, isGrowing }: SeenLine): boolean {
  return from === "agent" && !isGrowing;
}
