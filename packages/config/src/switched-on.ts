import type { TalariaConfig } from "./schema/config-schema.ts";

/** What the agent is given to act with, each with the key that says so. Holds no secret. */
export function switchedOn({
  sandbox,
  web,
  browser,
  mcp,
}: Pick<TalariaConfig, "sandbox" | "web" | "browser" | "mcp">): readonly {
  readonly what: string;
  readonly key: string;
}[] {
  return [
    { what: "commands and files", key: `sandbox.backend: ${sandbox.backend}` },
    ...(web.enabled ? [{ what: "web pages", key: "web.enabled" }] : []),
    ...(web.search === undefined ? [] : [{ what: "search", key: `web.search.provider: ${web.search.provider}` }]),
    ...(browser.enabled ? [{ what: "a browser", key: "browser.enabled" }] : []),
    ...Object.keys(mcp.servers).map((name) => ({ what: "a server's tools", key: `mcp.servers.${name}` })),
  ];
}
