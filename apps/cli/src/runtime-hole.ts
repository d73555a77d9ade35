/**
 * The releases of 2026-10-21, which mend an out-of-bounds write in the Brotli decoder (CVE-2026-111497, GHSA-9v8h-qqgm-4m35)
 * and holes in TLS and DNS. Lines in between got none. https://nodejs.org/en/blog/vulnerability
 */
const mended: Readonly<Record<number, readonly [minor: number, patch: number]>> = {
  22: [23, 4],
  24: [22, 1],
  26: [12, 1],
};
const newestLine = 26;

/** What is known against this Node.js, as one sentence with the remedy. Undefined if nothing is. */
export function runtimeHole(version: string = process.versions.node): string | undefined {
  const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number);
  if (major > newestLine) return undefined;
  const [least, leastPatch] = mended[major] ?? [Number.POSITIVE_INFINITY, 0];
  if (minor > least || (minor === least && patch >= leastPatch)) return undefined;
  const line = mended[major] === undefined ? 24 : major;
  const remedy = `install Node.js ${line}.${mended[line]?.join(".")} or later and start Talaria with it`;
  return `Node.js ${version} has known security holes (CVE-2026-111497 and others of 2026-10-21). Brotli is disabled because of them; for the rest, ${remedy}`;
}
