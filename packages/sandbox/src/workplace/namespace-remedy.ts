import { fileURLToPath } from "node:url";
import { plainWord, quote } from "../quote.ts";
import type { Remedy } from "./lacking.ts";
import type { Machine, Switch } from "./machine.ts";

/** Why there can be no user namespace here, and what to do. */
export interface NamespaceTrouble {
  readonly why: string;
  readonly remedy: Remedy;
}

/** The first of the known causes that is there. Undefined: none of them. */
export function namespaceTrouble(machine: Machine): NamespaceTrouble | undefined {
  const { isContainer, isRoot, platform, switches } = machine;
  if (platform !== "linux") return { why: "bubblewrap needs Linux", remedy: dockerInstead };
  if (switches["user.max_user_namespaces"] === 0) return closed("user.max_user_namespaces", 15_000, isRoot);
  if (switches["kernel.unprivileged_userns_clone"] === 0) return closed("kernel.unprivileged_userns_clone", 1, isRoot);
  if (isContainer)
    return { why: "this container may make no user namespaces", remedy: { kind: "container", text: containerOptions } };
  if (switches["kernel.apparmor_restrict_unprivileged_userns"] === 1)
    return {
      why: "AppArmor lets no program make user namespaces that has no profile for it",
      remedy: { kind: "command", text: asRoot(loadProfile, isRoot) },
    };
  return undefined;
}

/** For machines where no other remedy is known. */
export const dockerInstead: Remedy = { kind: "setting", text: "sandbox: { backend: docker, image: 'debian:12' }" };

/** Until the next start of the machine, and from then on. */
function closed(name: Switch, value: number, isRoot: boolean): NamespaceTrouble {
  const line = `${name}=${value}`;
  const text = asRoot(`sysctl -w ${line} && echo ${line} >/etc/sysctl.d/60-talaria.conf`, isRoot);
  return { why: `this system allows no user namespaces (${name} is 0)`, remedy: { kind: "command", text } };
}

/** https://gitlab.com/apparmor/apparmor/-/wikis/unprivileged_userns_restriction */
const loadProfile = `install -m 644 ${plainWord(ownFile("apparmor-bwrap"))} /etc/apparmor.d/bwrap && apparmor_parser -r /etc/apparmor.d/bwrap`;

/** Docker's own profile allows no namespaces without CAP_SYS_ADMIN: https://docs.docker.com/engine/security/seccomp/ */
const containerOptions =
  "--security-opt seccomp=config/worker-seccomp.json --security-opt systempaths=unconfined --security-opt apparmor=unconfined";

function ownFile(name: string): string {
  return fileURLToPath(new URL(`../../../../config/${name}`, import.meta.url));
}

function asRoot(command: string, isRoot: boolean): string {
  return isRoot ? command : `sudo sh -c ${quote(command)}`;
}
