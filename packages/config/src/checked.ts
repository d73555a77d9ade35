import type { AccountKeyFile } from "./account-key-files.ts";
import type { KeyFile } from "./model-key-files.ts";
import type { Platforms } from "./platform-rules.ts";
import type { ConfigProblem } from "./problem.ts";
import type { Environment } from "./references.ts";
import type { TalariaConfig } from "./schema/config-schema.ts";

export type ConfigPart = "worker" | "tools";

export interface LoadOptions {
  /** Shown in problems. Paths of secret files are relative to its folder. */
  readonly file: string;
  readonly env: Environment;
  /** Must include the rules of every platform that `platformsIn` finds. Without it, platform-specific keys stay unchecked. */
  readonly platforms?: Platforms;
  /**
   * `worker`: only what a worker needs. The secrets of accounts, webhook routes, the API and callers of `mcp.serve` are neither
   * read nor looked up. `tools`: what a process needs that serves tools and asks no model for an answer.
   */
  readonly part?: ConfigPart;
  /** Reads the file of `{ file: path }`. Default: from the file system, and only if nobody but the owner can read it. */
  readonly readSecret?: (path: string) => string;
}

export interface LoadedConfig {
  readonly config: TalariaConfig;
  /** Each one disables an account or a webhook route, which `config.disabled` lists. */
  readonly problems: readonly ConfigProblem[];
  /** Environment variables that the file refers to. */
  readonly variables: readonly string[];
  /** Absolute paths of the secret files that the file names, there or not. */
  readonly secretFiles: readonly string[];
  /** Those with keys of models, by the model's name. */
  readonly modelKeyFiles: Readonly<Record<string, readonly KeyFile[]>>;
  /** Those of accounts, by the account's name. */
  readonly accountKeyFiles: Readonly<Record<string, readonly AccountKeyFile[]>>;
  /** Texts that must never be printed: pass them to the log. */
  readonly secrets: readonly string[];
}

export interface Checked {
  /** In the order of the file. */
  readonly problems: readonly ConfigProblem[];
  /** Absolute paths of the secret files that the file names, as far as it could be read. */
  readonly secretFiles: readonly string[];
  /** Absent when a problem makes the whole file invalid. */
  readonly loaded?: LoadedConfig;
}
