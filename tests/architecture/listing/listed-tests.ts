import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** A test as its file registers it. */
export interface ListedTest {
  readonly file: string;
  /** The titles of its suites and its own, with what was filled in. */
  readonly title: string;
  /** Why it would not run; "" for a skip without a reason. Absent when it runs. */
  readonly skipped?: string;
  /** It would run and do nothing. */
  readonly isEmpty: boolean;
}

const run = promisify(execFile);
const lister = fileURLToPath(new URL("./list-tests.ts", import.meta.url));
const maxBytes = 64 * 1_048_576;

/**
 * What these files, paths from the root of the repository, would run: each is loaded in a process of its own with a
 * `node:test` that notes tests instead of running them. Throws with the output of a file that cannot be loaded.
 */
export async function listTests(files: readonly string[], root: URL): Promise<readonly ListedTest[]> {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { stdout } = await run(process.execPath, ["--import", lister, "-e", "", "--", ...files], {
    cwd: fileURLToPath(root),
    env,
    maxBuffer: maxBytes,
  });
  const line = stdout.split("\n").find((text) => text.startsWith("listed: ")) ?? "";
  return JSON.parse(line.slice("listed: ".length)) as readonly ListedTest[];
}
