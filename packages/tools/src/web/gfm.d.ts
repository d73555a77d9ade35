declare module "turndown-plugin-gfm" {
  /** Teaches a `TurndownService` tables, strikethrough and task lists. */
  export function gfm(service: unknown): void;
}
