import type { TalariaConfig } from "@talaria/config";
import type { SecretHandle } from "@talaria/tools";

/** What the agent is told of the secrets that its commands may use: everything but their values. */
export function secretHandles({ secrets }: TalariaConfig["sandbox"]): readonly SecretHandle[] {
  return Object.entries(secrets).map(([name, { host, header, role }]) => ({ name, hosts: host, header, role }));
}
