import type { ToolResult } from "@talaria/agent";
import type { Page } from "playwright-core";
import { pageAddress, plainAddress } from "./snapshot.ts";

/**
 * What is told where the page that is open is not the one that the call names, and was decided about. Its address is a stranger's
 * text, so it is no error's. Undefined where it is the same.
 */
export function otherPage(page: Page, named: string): ToolResult | undefined {
  const address = pageAddress(page);
  if (plainAddress(named) === address) return undefined;
  const content = `page: ${address}\n[not done: this is the page that is open now; call again with its address]`;
  return { content, untrusted: true };
}
