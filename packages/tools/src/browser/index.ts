import type { Tool } from "@talaria/agent";
import type { Browsers } from "./browsers.ts";
import { createClick } from "./click.ts";
import { createClose } from "./close.ts";
import { createOpen } from "./open.ts";
import { createRead } from "./read.ts";
import { createScreenshot } from "./screenshot.ts";
import { createType } from "./type.ts";

/** A browser for each session. Whoever made `browsers` stops them. */
export function createBrowserTools(browsers: Browsers): readonly Tool[] {
  return [createOpen, createRead, createClick, createType, createScreenshot, createClose].map((make) => make(browsers));
}
