import type { NetworkUse, RefusedHost } from "@talaria/agent";
import { addressOfCommandHost, commandHostFault, mostCommandHosts, type Target } from "@talaria/protocol";
import { z } from "zod";

/** The hosts that a command asks for, as the model names them. */
export const networkInput = z
  .array(
    z.string().superRefine((host, context) => {
      const message = commandHostFault(host);
      if (message !== undefined) context.addIssue({ code: "custom", message });
    }),
  )
  .max(mostCommandHosts)
  .transform((hosts): readonly string[] => [...new Set(hosts)])
  .optional()
  .describe("All hosts it needs, as pypi.org. Then its shell is its own");

/** What is run. Where it runs is not known here: the worker says what stands around it, and without its word it is the worst. */
export function commandTargets(
  command: string | readonly string[],
  hosts: readonly string[] | undefined = [],
): readonly Target[] {
  return [
    ...hostTargets(hosts),
    { kind: "command", command, isSandboxed: false, hasNetwork: true, ...(hosts.length > 0 && { hosts }) },
  ];
}

/** All of each host, for a command. */
export function hostTargets(hosts: readonly string[]): readonly Target[] {
  return hosts.map((host) => ({ kind: "url", url: addressOfCommandHost(host), sendsBody: true, isKnown: true, host }));
}

/** Lines for the model: what the command was kept from, and what to do. `asked`: the hosts that it had. */
export function networkNotes(use: NetworkUse | undefined, asked: readonly string[] = []): readonly string[] {
  const refused = use?.refused ?? [];
  const hosts = (why: RefusedHost["why"]) => refused.filter((one) => one.why === why).map(({ host }) => host);
  const [nameable, never] = [
    hosts("unnamed").filter((host) => commandHostFault(host) === undefined),
    hosts("unnamed").filter((host) => commandHostFault(host) !== undefined),
  ];
  const wanted = [...new Set([...asked, ...nameable])].slice(0, mostCommandHosts);
  return [
    ...(nameable.length === 0
      ? []
      : [`[${listed(nameable)} refused: if it is needed, name it in network: ${JSON.stringify(wanted)}]`]),
    ...(never.length === 0
      ? []
      : [`[${listed(never)} refused: a command reaches no addresses, only hosts that it names, such as example.org]`]),
    ...(hosts("private").length === 0 ? [] : [`[${listed(hosts("private"))} refused: ${insideWords}]`]),
    ...(hosts("nameless").length === 0
      ? []
      : [`[No address of ${hosts("nameless").join(", ")} can be found: look whether the name is right]`]),
    ...(hosts("away").length === 0 ? [] : [`[No answer from ${hosts("away").join(", ")}]`]),
  ];
}

export const insideWords =
  "that leads to this machine, which never opens, or to a private network: there only the operator can open a host, in sandbox.network";

export function listed(hosts: readonly string[]): string {
  return `${hosts.join(", ")} ${hosts.length === 1 ? "was" : "were"}`;
}

/** What comes from a host may be anybody's words. */
export function foreignIf(use: NetworkUse | undefined): { readonly untrusted?: true } {
  return use?.hasReached === true ? { untrusted: true } : {};
}
