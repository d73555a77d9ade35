import type { Remedy } from "./lacking.ts";
import type { Machine } from "./machine.ts";

/** The same names in all of these. */
export type Package = "bash" | "bubblewrap" | "chromium" | "ripgrep" | "socat" | "util-linux";

/** The command that installs them. Undefined: nobody knows how this system installs anything. */
export function packageRemedy(packages: readonly Package[], machine: Machine): Remedy | undefined {
  const { distributions, hasAptLists, isRoot } = machine;
  const family = families.find(({ ids }) => distributions.some((id) => ids.includes(id)));
  if (family === undefined) return undefined;
  // Ubuntu's is a snap, which a sandbox can't start; of Fedora's nobody here knows the program.
  const isElsewhere = distributions[0] === "ubuntu" || family.install.startsWith("dnf");
  if (isElsewhere && packages.includes("chromium")) return undefined;
  const as = isRoot ? "" : "sudo ";
  const install = `${as}${family.install} ${packages.join(" ")}`;
  const isFresh = family.install.startsWith("apt-get") && !hasAptLists;
  return { kind: "command", text: isFresh ? `${as}apt-get update && ${install}` : install };
}

const families = [
  { ids: ["debian", "ubuntu"], install: "apt-get install -y" },
  { ids: ["fedora", "rhel", "centos"], install: "dnf install -y" },
  { ids: ["arch"], install: "pacman -S --noconfirm --needed" },
  { ids: ["alpine"], install: "apk add" },
];
