export { type Browsers, createBrowsers } from "./browser/browsers.ts";
export { findChromium } from "./browser/chromium.ts";
export type { BrowserCells } from "./browser/ports.ts";
export { builtinTools } from "./builtin-tools.ts";
export type { MediaPowers } from "./media/ports.ts";
export { createToolsets, type Powers, type ToolPlace } from "./toolsets.ts";
export { createSearch } from "./web/create-search.ts";
export type { WebPowers } from "./web/index.ts";
export type { SearchConfig } from "./web/search-provider.ts";
