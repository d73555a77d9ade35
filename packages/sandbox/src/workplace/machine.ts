import { access, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** What matters about this machine when something is missing on it. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly isRoot: boolean;
  readonly isContainer: boolean;
  /** `ID` of os-release, then what it is like: `ubuntu`, `debian`. Empty where that file isn't there. */
  readonly distributions: readonly string[];
  /** Apt knows packages: a fresh image has to be told of them first. */
  readonly hasAptLists: boolean;
  /** A number below `/proc/sys`, by the name that sysctl gives it. Undefined: this kernel has no such switch. */
  readonly switches: Readonly<Record<Switch, number | undefined>>;
}

/**
 * https://docs.kernel.org/admin-guide/sysctl/user.html, a patch of Debian's and Arch's kernels, and one of Ubuntu's:
 * https://ubuntu.com/blog/ubuntu-23-10-restricted-unprivileged-user-namespaces
 */
const switchNames = [
  "user.max_user_namespaces",
  "kernel.unprivileged_userns_clone",
  "kernel.apparmor_restrict_unprivileged_userns",
] as const;

export type Switch = (typeof switchNames)[number];

/** Looks at a few small files below `root`. Never rejects. */
export async function readMachine(root = "/"): Promise<Machine> {
  const text = (path: string) => readFile(join(root, path), "utf8").catch(() => "");
  const exists = (path: string) =>
    access(join(root, path)).then(
      () => true,
      () => false,
    );
  const [release, lists, values, marks] = await Promise.all([
    // https://www.freedesktop.org/software/systemd/man/latest/os-release.html
    text("etc/os-release").then(async (own) => own || (await text("usr/lib/os-release"))),
    readdir(join(root, "var/lib/apt/lists")).catch(() => []),
    Promise.all(switchNames.map((name) => text(join("proc/sys", name.replaceAll(".", "/"))))),
    // Of Docker and of Podman.
    Promise.all(["/.dockerenv", "/run/.containerenv"].map(exists)),
  ]);
  return {
    platform: process.platform,
    isRoot: process.getuid?.() === 0,
    isContainer: marks.includes(true),
    distributions: [...idsOf(release, "ID"), ...idsOf(release, "ID_LIKE")],
    hasAptLists: lists.some((name) => name.includes("_Packages") || name.includes("_InRelease")),
    switches: Object.fromEntries(
      switchNames.map((name, index) => [name, numberIn(values[index])]),
    ) as Machine["switches"],
  };
}

function idsOf(release: string, key: string): readonly string[] {
  const line = release.split("\n").find((one) => one.startsWith(`${key}=`)) ?? "";
  return line.slice(key.length + 1).match(/[a-z0-9._-]+/g) ?? [];
}

function numberIn(text = ""): number | undefined {
  return /^\d{1,10}\s*$/.test(text) ? Number(text) : undefined;
}
