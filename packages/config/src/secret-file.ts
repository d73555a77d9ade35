import { readFileSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { GatewayError } from "@talaria/protocol";

const maxBytes = 65_536;

/**
 * Reads secret files, relative to the folder of the configuration file, without a trailing newline. Throws
 * `invalid_request` unless it is a regular file of at most 64 KiB that only its owner can read.
 */
export function secretFileReader(configFile: string): (path: string) => string {
  return (path) => readSecretFile(resolve(dirname(configFile), path), path);
}

function readSecretFile(file: string, shownPath: string): string {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat === undefined) throw refusal(`secret file ${shownPath} does not exist`);
  if (!stat.isFile()) throw refusal(`secret file ${shownPath} is not a regular file`);
  if (stat.size > maxBytes) throw refusal(`secret file ${shownPath} is larger than 64 KiB`);
  const othersMayRead = process.platform !== "win32" && (stat.mode & 0o077) !== 0;
  if (othersMayRead) throw refusal(`secret file ${shownPath} is open to other users: run chmod 600 on it`);
  const content = readFileSync(file, "utf8").replace(/\r?\n$/, "");
  if (content === "") throw refusal(`secret file ${shownPath} is empty`);
  return content;
}

function refusal(message: string): GatewayError {
  return new GatewayError(message, { code: "invalid_request" });
}
