import { undiciHole } from "./undici-hole.ts";

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

/** What is known against this Node.js and the undici in it, as one sentence with the remedy. Undefined if nothing is. */
export function runtimeHole(
  version: string = process.versions.node,
  undici: string | undefined = process.versions.undici,
): string | undefined {
  const remedy = remedyOf(version);
  const ofUndici = undici === undefined ? undefined : undiciHole(undici);
  if (remedy !== undefined) {
    const also = ofUndici === undefined ? "" : `, and so has its fetch: ${ofUndici}`;
    return `Node.js ${version} has known security holes (CVE-2026-111497 and others of 2026-10-21)${also}. Brotli is disabled because of the first; for the rest, ${remedy}`;
  }
  if (ofUndici === undefined) return undefined;
  return `the fetch of Node.js ${version} has known security holes: ${ofUndici}. Install a Node.js whose process.versions.undici is that or later, and start Talaria with it`;
}

/** Whether the Brotli decoder of this Node.js has the hole. */
export function hasBrotliHole(version: string = process.versions.node): boolean {
  return remedyOf(version) !== undefined;
}

/** Undefined where nothing has to be mended. */
function remedyOf(version: string): string | undefined {
  const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number);
  if (major > newestLine) return undefined;
  const [least, leastPatch] = mended[major] ?? [Number.POSITIVE_INFINITY, 0];
  if (minor > least || (minor === least && patch >= leastPatch)) return undefined;
  const line = mended[major] === undefined ? 24 : major;
  return `install Node.js ${line}.${mended[line]?.join(".")} or later and start Talaria with it`;
}
