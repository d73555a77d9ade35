import type { TalariaConfig } from "@talaria/config";
import { isTrusted, policyTable } from "@talaria/policy";

/**
 * Says which servers make what goes out be asked about, and their reads, and how that is spared. A line for each, or none.
 */
export function trustNotes({ mcp: { servers }, policy }: Pick<TalariaConfig, "mcp" | "policy">): readonly string[] {
  const table = policyTable(policy);
  const all = Object.entries(servers).map(([name, { url, reads }]) => ({ name, url, reads }));
  const telling = all.filter(
    ({ url }) => url === undefined || !isTrusted({ kind: "url", url, sendsBody: true }, table),
  );
  const asking = telling.filter(({ url, reads }) => url !== undefined && reads.length > 0);
  const remedy = telling.some(({ url }) => url !== undefined) ? ": name in policy.trusted what is your own" : "";
  return [
    ...(telling.length === 0
      ? []
      : [
          `from the first message on somebody is asked before anything goes out, where the model has the tools of ${named(telling)}, which strangers may have described${remedy}`,
        ]),
    ...(asking.length === 0
      ? []
      : [
          `each read is asked about once untrusted content or tools of others are there, at ${named(asking)}: name in policy.trusted what is your own`,
        ]),
  ];
}

/** As they would stand in `policy.trusted`. A program has no address. */
function named(servers: readonly { readonly name: string; readonly url: string | undefined }[]): string {
  return servers.map(({ name, url }) => (url === undefined ? name : `${name} ("${new URL(url).origin}")`)).join(", ");
}
