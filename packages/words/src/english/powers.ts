/** What the agent is given to act with. */
export const powers = {
  commands: "commands and files",
  web: "web pages",
  search: "search",
  browser: "a browser",
  server: "a server's tools",
} as const;

export type Power = keyof typeof powers;
