import { GatewayError } from "@talaria/protocol";
import type { Locator, Page } from "playwright-core";
import { frameOf, pageAddress, plainAddress, takeSnapshot } from "./snapshot.ts";

/**
 * The element that a call names, if it still is what the call says and what somebody may have agreed to: on the same page, with the
 * same role and name. Throws `not_found` or `conflict`; nothing of the page stands in the error.
 */
export async function findElement(
  page: Page,
  { url, ref, element }: { readonly url: string; readonly ref: string; readonly element: string },
  signal: AbortSignal,
): Promise<Locator> {
  const { elements, frames } = await takeSnapshot(page, signal);
  const found = elements.get(ref);
  if (found === undefined)
    throw new GatewayError(`there is no element ${ref} on the page; read it again`, {
      code: "not_found",
      effect: "none",
    });
  const frame = frameOf(ref);
  const address = frame === undefined ? pageAddress(page) : frames.get(frame);
  if (address === undefined || plainAddress(url) !== address)
    throw new GatewayError(`${ref} is not an element of the address in url; read the page again`, {
      code: "conflict",
      effect: "none",
    });
  if (oneLine(element) !== oneLine(found.label))
    throw new GatewayError(
      `${ref} is not what element says; read the page again and copy its line up to the reference`,
      {
        code: "conflict",
        effect: "none",
      },
    );
  return page.getByRef(ref);
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
