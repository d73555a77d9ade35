import { syncBuiltinESMExports } from "node:module";
import zlib, { createInflate } from "node:zlib";
import { hasBrotliHole } from "./runtime-hole.ts";

if (hasBrotliHole()) disableBrotli();

/**
 * Has this process neither ask for Brotli nor decode it, whichever library fetches: what a foreign server sends would reach a
 * decoder that writes out of bounds. An answer that is encoded so all the same fails as one that can't be decoded.
 */
export function disableBrotli(): void {
  // Any decoder that refuses the format; one that throws would end the process from within undici.
  const value = () => createInflate();
  for (const name of ["createBrotliDecompress", "BrotliDecompress"] as const)
    Object.defineProperty(zlib, name, { configurable: true, enumerable: true, value });
  syncBuiltinESMExports();
  const usual = globalThis.fetch;
  globalThis.fetch = (input, init) => {
    const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined));
    if (!headers.has("accept-encoding")) headers.set("accept-encoding", "gzip, deflate");
    return usual(input, { ...init, headers });
  };
}
