import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BrowserContext, chromium } from "playwright-core";
import { longestWaitMs } from "../support/wait-for.ts";

const executablePath = process.env.TALARIA_CHROMIUM ?? "/usr/bin/chromium";
const isMissing = !existsSync(executablePath);

/** The `skip` of tests that need the browser. In CI they run, and fail, without it. */
export const skipWithoutBrowser =
  isMissing && process.env.CI !== "true"
    ? `needs Chromium at ${executablePath}; TALARIA_CHROMIUM names another`
    : false;

export interface BrowserOptions {
  readonly viewport?: { readonly width: number; readonly height: number };
  /** Fingers instead of a mouse. */
  readonly isTouched?: boolean;
}

export interface Browser extends AsyncDisposable {
  readonly context: BrowserContext;
  close(): Promise<void>;
}

/** A Chromium of its own with an empty profile; `close` ends it and removes the profile. */
export async function openBrowser({
  viewport = { width: 1024, height: 768 },
  isTouched = false,
}: BrowserOptions = {}): Promise<Browser> {
  const profile = await mkdtemp(join(tmpdir(), "talaria-browser-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath,
    viewport,
    hasTouch: isTouched,
    isMobile: isTouched,
    args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"],
  });
  context.setDefaultTimeout(longestWaitMs);
  const close = async () => {
    await context.close();
    await rm(profile, { recursive: true, force: true, maxRetries: 3 });
  };
  return { context, close, [Symbol.asyncDispose]: close };
}
