import { lstat, readlink } from "node:fs/promises";

/** The workspace and the folder for passing files, as commands see them. */
export const insideFolder = "/workspace";
/** The certificates that commands with secrets trust. */
export const insideTrust = "/etc/talaria-trust.pem";
export const insideGitConfig = "/etc/talaria-gitconfig";
export const insideTmp = "/tmp";

const programFolders = ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"];
/** What programs need of `/etc`. Nothing here is a secret on any distribution. */
const settings = [
  "/etc/alternatives",
  "/etc/ca-certificates",
  "/etc/fonts",
  "/etc/ld.so.cache",
  "/etc/ld.so.conf",
  "/etc/ld.so.conf.d",
  "/etc/localtime",
  "/etc/mime.types",
  "/etc/pki",
  "/etc/ssl/certs",
  "/etc/ssl/openssl.cnf",
];
/** Of `/proc`, what tells of the machine or its kernel and no command needs. */
const hiddenOfProc = [
  "/proc/kcore",
  "/proc/keys",
  "/proc/key-users",
  "/proc/kallsyms",
  "/proc/kmsg",
  "/proc/sysrq-trigger",
];
const shmBytes = 64 * 1024 * 1024;

export interface View {
  /** Host folders that become the workspace and its tmp. */
  readonly files: string;
  readonly tmp: string;
  readonly readable: readonly string[];
  readonly hidden: readonly string[];
  /** Generated `passwd`, `group` and `hosts`, in this folder of the host. */
  readonly identity: string;
  /** Generated settings of git, a file of the host. */
  readonly gitConfig: string;
  /** A file of the host with the certificates that commands with secrets trust. Absent: there are no secrets. */
  readonly trust?: string | undefined;
}

/**
 * Arguments of bubblewrap for a file system that holds programs, the workspace and nothing else. It is a list of what is
 * there, not of what is taken away: a secret that nobody thought of isn't there either.
 */
export async function viewArguments({
  files,
  tmp,
  readable,
  hidden,
  identity,
  gitConfig,
  trust,
}: View): Promise<readonly string[]> {
  const shown = ["/usr", ...readable];
  const covered = hidden.filter(
    (path) =>
      shown.some((root) => isWithin(path, root)) && !hidden.some((other) => other !== path && isWithin(path, other)),
  );
  return [
    ...["--ro-bind", "/usr", "/usr"],
    ...(await Promise.all(programFolders.map(programFolder))).flat(),
    ...settings.flatMap((path) => ["--ro-bind-try", path, path]),
    ...["passwd", "group", "hosts", "nsswitch.conf"].flatMap((name) => [
      "--ro-bind",
      `${identity}/${name}`,
      `/etc/${name}`,
    ]),
    ...["--ro-bind", gitConfig, insideGitConfig],
    ...(trust === undefined ? [] : ["--ro-bind", trust, insideTrust]),
    ...["--proc", "/proc"],
    ...(await existing(hiddenOfProc)).flatMap((path) => ["--ro-bind", "/dev/null", path]),
    ...["--dev", "/dev", "--size", `${shmBytes}`, "--tmpfs", "/dev/shm", "--remount-ro", "/dev"],
    ...["--bind", files, insideFolder, "--bind", tmp, insideTmp],
    ...readable.flatMap((path) => ["--ro-bind", path, path]),
    ...covered.flatMap((path) => ["--tmpfs", path, "--remount-ro", path]),
    ...["--remount-ro", "/"],
  ];
}

function isWithin(path: string, root: string): boolean {
  return path === root || path.startsWith(`${root}/`);
}

/** Where the distribution has merged them into `/usr` they are links, and stay so. */
async function programFolder(path: string): Promise<readonly string[]> {
  const kind = await lstat(path).catch(() => undefined);
  if (kind === undefined) return [];
  return kind.isSymbolicLink() ? ["--symlink", await readlink(path), path] : ["--ro-bind", path, path];
}

async function existing(paths: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(
    paths.map((path) =>
      lstat(path).then(
        () => [path],
        () => [],
      ),
    ),
  );
  return found.flat();
}
