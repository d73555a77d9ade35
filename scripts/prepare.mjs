import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureDependencies } from "./dependencies.mjs";
import { SetupError } from "./npm.mjs";
import { ensureRuntime } from "./runtime.mjs";

export const repository = dirname(dirname(fileURLToPath(import.meta.url)));

/**
 * Brings the right Node.js and the dependencies, when they are missing, and resolves with the path of that Node.js.
 * Ends the process with one clear line when that fails.
 */
export async function prepare() {
  try {
    const node = await ensureRuntime(repository);
    await ensureDependencies(repository, node);
    return node;
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    console.error(`talaria: ${error.message}`);
    process.exit(1);
  }
}
