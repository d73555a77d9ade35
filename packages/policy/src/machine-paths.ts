import { unknownPart } from "./shell-words.ts";

const systemFolders = [
  ..."bin boot dev etc home lib lib32 lib64 media mnt opt proc root sbin srv sys usr var".split(" "),
  ..."Applications Library System Users Volumes usr/bin usr/lib usr/sbin usr/share var/lib".split(" "),
];

const devices = [
  ..."sda sda1 sdb hda hda1 vda vda1 xvda xvda1 nvme0 nvme0n1 nvme0n1p1 mmcblk0 mmcblk0p1 disk0 disk1 rdisk0".split(
    " ",
  ),
  ..."dm-0 md0 loop0 sr0 nbd0 mem kmem port".split(" "),
];

const device =
  /^dev\/(?:[shv]d[a-z]+\d*|xvd[a-z]+\d*|nvme\d+\w*|mmcblk\d+\w*|r?disk\d+\w*|disk\/by-[^/]+\/.+|mapper\/(?!control$).+|dm-\d+|md\d+\w*|loop\d+\w*|sr\d+|nbd\d+\w*|k?mem|port)$/;

/** From a folder that nobody knows, so far up that there is nothing above. */
const upwards = new RegExp(`^(?:${unknownPart}/+)?(?:\\.\\./+){3,}(?:\\.\\.|[*.?]*)/*$`, "u");

/**
 * Whether a path of a command means the whole system, a folder that it can't live without, or everybody's files, also when it is
 * written with `..`, doubled slashes or wildcards. `folder` is where the command runs, as far as it is known.
 */
export function isSystemPath(path: string, folder: string | undefined): boolean {
  if (/^~[\w-]*[/.*?]*$/.test(path)) return true;
  if (/^(?:\/\/[?.]\/)?[a-z]:[\\/]*(?:windows[\\/]*|users[\\/]*)?\*?$/i.test(path.replaceAll("\\", "/"))) return true;
  const parts = partsOf(path, folder);
  if (parts === undefined) return upwards.test(path);
  while (parts.length > 0 && isWildcard(parts.at(-1) ?? "")) parts.pop();
  if (parts.length === 0) return true;
  return parts.length <= 2 && matchesAny(parts.join("/"), systemFolders);
}

/** Whether a path is a disk, a part of one, the machine's memory, or the kernel's emergency switch. */
export function isDevice(path: string, folder?: string): boolean {
  if (/^[\\/]{2}[.?][\\/]physicaldrive\d+$/i.test(path)) return true;
  const whole = partsOf(path, folder)?.join("/") ?? "";
  if (whole === "proc/sysrq-trigger" || whole.startsWith("sys/firmware/efi/efivars/")) return true;
  if (device.test(whole)) return true;
  return whole.startsWith("dev/") && /[*?[]/.test(whole) && matchesAny(whole.slice("dev/".length), devices);
}

/** The parts of an absolute path; undefined for one that nobody can tell. */
function partsOf(path: string, folder: string | undefined): string[] | undefined {
  const absolute = path.startsWith("/") ? path : folder?.startsWith("/") ? `${folder}/${path}` : undefined;
  if (absolute === undefined) return undefined;
  const plain = absolute.replaceAll(unknownPart, "").replace(/^\/+proc\/+(?:self|thread-self|\d+)\/+root(?=\/|$)/, "");
  const parts: string[] = [];
  for (const part of plain.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return parts;
}

/** `*`, `.*`, `?*`, `.[!.]*` and the like: everything in a folder. */
function isWildcard(part: string): boolean {
  return part.includes("*") && /^(?:[.*?]|\[[^\]]*\])+$/.test(part);
}

function matchesAny(pattern: string, names: readonly string[]): boolean {
  if (!/[*?[]/.test(pattern)) return names.includes(pattern);
  const form = wildcardForm(pattern);
  return form !== undefined && names.some((name) => form.test(name));
}

/** A pattern of a shell as a regular expression over one name. Undefined if it is too long to be a name. */
export function wildcardForm(pattern: string): RegExp | undefined {
  const mostChars = 64;
  if (pattern.length > mostChars) return undefined;
  const source = pattern.replace(/\[!?[^\]]*\]|\*+|[\s\S]/gu, (part) => {
    if (part.startsWith("*")) return "[^/]*";
    if (part === "?") return "[^/]";
    if (part.length > 2 && part.startsWith("[")) return classForm(part.slice(1, -1));
    return escaped(part);
  });
  return formOf(`^${source}$`);
}

/** A text as a part of a regular expression that matches it alone. */
export function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}

function classForm(inner: string): string {
  const isNegated = inner.startsWith("!") || inner.startsWith("^");
  const characters = (isNegated ? inner.slice(1) : inner).replace(/[\\\]^]/g, "\\$&");
  return `[${isNegated ? "^" : ""}${characters}]`;
}

/** A range that is upside down makes no expression. */
function formOf(source: string): RegExp | undefined {
  try {
    return new RegExp(source, "u");
  } catch {
    return undefined;
  }
}
