import type { ChildProcess } from "node:child_process";
import { PostgresError, withoutLoader } from "./errors.ts";

/**
 * Collects what a program writes to stdout and stderr until it has ended. Never rejects for an exit code; rejects when the
 * program can't be executed or its signal aborted it, and in that case too it has ended.
 */
export async function outcomeOf(
  child: ChildProcess,
): Promise<{ readonly code: number | null; readonly output: string }> {
  const chunks: Buffer[] = [];
  child.stdout?.on("data", (chunk: Buffer) => chunks.push(chunk));
  child.stderr?.on("data", (chunk: Buffer) => chunks.push(chunk));
  return await new Promise((resolve, reject) => {
    let failure: Error | undefined;
    child.once("error", (error) => {
      failure = error;
    });
    child.once("close", (code) => {
      if (failure === undefined) resolve({ code, output: Buffer.concat(chunks).toString("utf8") });
      else reject(explainSpawnError(failure));
    });
  });
}

/** A program that exists but "is not found" lacks its loader: the binaries are made for glibc. */
export function explainSpawnError(error: unknown): unknown {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ENOENT") return withoutLoader(error);
  if (code === "EACCES" || code === "ENOEXEC") {
    return new PostgresError(
      "The embedded PostgreSQL can't be executed here (is the folder mounted noexec?); set DATABASE_URL to a PostgreSQL server.",
      { problem: "cannot_execute", cause: error },
    );
  }
  return error;
}
