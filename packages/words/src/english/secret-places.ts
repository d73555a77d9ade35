import type { SecretFile } from "@talaria/store";

/** `there with \`talaria secret set bot-token\``: where a new secret goes. Undefined without a file. */
export function secretPlaces(files: readonly SecretFile[]): string | undefined {
  if (files.length === 0) return undefined;
  const places = files.map(({ path, secret }) =>
    secret === undefined ? `into ${path}` : `there with \`talaria secret set ${secret}\``,
  );
  return places.join(" or ");
}
