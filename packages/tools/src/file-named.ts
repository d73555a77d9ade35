import type { KnownFile } from "@talaria/agent";
import { GatewayError } from "@talaria/protocol";

/** The file that the model means. It can name only what it was shown in this conversation. */
export function fileNamed(id: string, files: readonly KnownFile[]): KnownFile {
  const file = files.findLast((one) => one.id === id.trim());
  if (file !== undefined) return file;
  const known = [...new Set(files.map((one) => one.id))].slice(-20);
  const there = known.length === 0 ? "there are none here" : `there are: ${known.join(", ")}`;
  throw new GatewayError(`no attachment has the id "${id.slice(0, 80)}"; ${there}`, { code: "not_found" });
}
