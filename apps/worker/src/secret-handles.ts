import type { TalariaConfig } from "@talaria/config";
import { handOut, type SecretSettings } from "@talaria/foreign-content";
import type { SecretHandle } from "@talaria/tools";

/** What the agent is told of the secrets that may be used: everything but their values. */
export function secretHandles(sandbox: TalariaConfig["sandbox"]): readonly SecretHandle[] {
  const isForCommands = sandbox.backend === "sandbox";
  return Object.entries(sandbox.secrets).map(([name, secret]) => ({
    ...{ name, hosts: secret.host, header: secret.header, role: secret.role, isForCommands },
    handOut: () => handOut(secretSettings(name, secret)),
  }));
}

/** What whoever sends requests is told of one. Its value is revealed in it. */
export function secretSettings(
  name: string,
  { value, host, header, template }: TalariaConfig["sandbox"]["secrets"][string],
): SecretSettings {
  return { name, value: value.reveal(), hosts: host, header: header.toLowerCase(), template };
}
