import type { Page } from "playwright-core";

const loadMs = 5_000;
const quietMs = 1_500;

/** Gives a page a few seconds to load and its scripts time to show something. Never rejects. */
export async function settle(page: Page, signal: AbortSignal): Promise<void> {
  await page.waitForLoadState("load", { timeout: loadMs, signal }).catch(() => undefined);
  await page.waitForLoadState("networkidle", { timeout: quietMs, signal }).catch(() => undefined);
}
