import type { KeyFile } from "./model-key-files.ts";

/** `there with \`talaria secret set model-main-apiKey\` or into /run/secrets/key`: where a new key goes. Undefined without such a file. */
export function keyPlaces(files: readonly KeyFile[]): string | undefined {
  if (files.length === 0) return undefined;
  const places = files.map(({ path, secret }) =>
    secret === undefined ? `into ${path}` : `there with \`talaria secret set ${secret}\``,
  );
  return places.join(" or ");
}
