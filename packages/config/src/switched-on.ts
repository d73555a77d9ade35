import type { TalariaConfig } from "./schema/config-schema.ts";

/** What the agent is given to act with, each with the key that says so. Holds no secret. */
export function switchedOn({
  sandbox,
  web,
  browser,
  mcp,
}: Pick<TalariaConfig, "sandbox" | "web" | "browser" | "mcp">): readonly {
  readonly what: "commands" | "web" | "search" | "browser" | "server";
  readonly key: string;
}[] {
  return [
    { what: "commands", key: `sandbox.backend: ${sandbox.backend}` },
    ...(web.enabled ? [{ what: "web" as const, key: "web.enabled" }] : []),
    ...(web.search === undefined
      ? []
      : [{ what: "search" as const, key: `web.search.provider: ${web.search.provider}` }]),
    ...(browser.enabled ? [{ what: "browser" as const, key: "browser.enabled" }] : []),
    ...Object.keys(mcp.servers).map((name) => ({ what: "server" as const, key: `mcp.servers.${name}` })),
  ];
}
