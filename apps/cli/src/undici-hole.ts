/**
 * The releases of 2026-10-15: before them a server can end the process, by TLS, by events without end, or over a WebSocket
 * (CVE-2026-87018, CVE-2026-109383, CVE-2026-109869). Older lines got none. https://github.com/nodejs/undici/security/advisories
 */
const mended: Readonly<Record<number, readonly [minor: number, patch: number]>> = {
  6: [29, 1],
  7: [30, 1],
  8: [12, 2],
};
const newestLine = 8;

/** What is known against this version of undici, with the one that mends it. Undefined if nothing is. */
export function undiciHole(version: string): string | undefined {
  const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number);
  if (major > newestLine) return undefined;
  const [least, leastPatch] = mended[major] ?? [Number.POSITIVE_INFINITY, 0];
  if (minor > least || (minor === least && patch >= leastPatch)) return undefined;
  const line = mended[major] === undefined ? newestLine : major;
  const mend = `${line}.${mended[line]?.join(".")}`;
  return `a server can end a process with undici ${version} (CVE-2026-87018, CVE-2026-109383, CVE-2026-109869), mended in ${mend}`;
}
