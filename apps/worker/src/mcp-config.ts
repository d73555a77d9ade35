import type { TalariaConfig } from "@talaria/config";
import type { McpServerConfig, OAuthConfig } from "@talaria/mcp";

export type ServerEntry = TalariaConfig["mcp"]["servers"][string];
type OAuthEntry = NonNullable<ServerEntry["oauth"]>;

/** What `packages/mcp` is told of a server. Secrets are revealed in it. */
export function toServerConfig(entry: ServerEntry): McpServerConfig {
  const { url, command, tools, reads, digests, timeoutMs, attachFiles } = entry;
  const targets = Object.fromEntries(Object.entries(entry.targets).map(([tool, named]) => [tool, [named].flat()]));
  const rules = { ...(tools === undefined ? {} : { tools }), reads, targets, digests, timeoutMs, attachFiles };
  if (command === undefined) {
    const oauth = entry.oauth === undefined ? {} : { oauth: toOAuthConfig(entry.oauth) };
    return { ...rules, url: url ?? "", headers: revealed(entry.headers), ...oauth };
  }
  const { folder, readable, variables } = entry;
  const [program = "", ...words] = command;
  return {
    ...rules,
    command: [program, ...words],
    variables: revealed(variables),
    ...(folder === undefined ? {} : { folder }),
    readable,
  };
}

function toOAuthConfig({
  grant,
  clientId,
  clientSecret,
  clientMetadataUrl,
  scope,
  redirectUrl,
}: OAuthEntry): OAuthConfig {
  return {
    grant,
    redirectUrl,
    ...(clientId === undefined ? {} : { clientId }),
    ...(clientSecret === undefined ? {} : { clientSecret: clientSecret.reveal() }),
    ...(clientMetadataUrl === undefined ? {} : { clientMetadataUrl }),
    ...(scope === undefined ? {} : { scope }),
  };
}

function revealed(secrets: ServerEntry["headers"]): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(secrets).map(([name, secret]) => [name, secret.reveal()]));
}
