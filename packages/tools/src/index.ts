export { builtinTools } from "./builtin-tools.ts";
export type { MediaPowers } from "./media/ports.ts";
export { createToolFiles, type ToolFiles } from "./tool-files/create-tool-files.ts";
export { createToolsets, type Powers, type ToolPlace } from "./toolsets.ts";
export { createSearch } from "./web/create-search.ts";
export { createGuardedFetch, type GuardedFetch } from "./web/guarded-fetch.ts";
export type { WebPowers } from "./web/index.ts";
export type { SearchConfig } from "./web/search-provider.ts";
