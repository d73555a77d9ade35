declare module "turndown-plugin-gfm" {
  /** Tables, strikethrough and task lists. */
  export const gfm: import("turndown").Plugin;
}
