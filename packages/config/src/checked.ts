import type { Platforms } from "./platform-rules.ts";
import type { ConfigProblem } from "./problem.ts";
import type { Environment } from "./references.ts";
import type { TalariaConfig } from "./schema/config-schema.ts";

export interface LoadOptions {
  /** Shown in problems; secret files are looked up beside it. */
  readonly file: string;
  readonly env: Environment;
  /** The rules have to cover those that `platformsIn` finds. Without them the platforms' own keys are kept unchecked. */
  readonly platforms?: Platforms;
  /**
   * `worker`: only what a worker needs. The secrets of accounts, webhook routes and the API are neither read nor looked up.
   */
  readonly part?: "worker";
  /** How `{ file: path }` is read. Default: the file system, owner-readable files only. */
  readonly readSecret?: (path: string) => string;
}

export interface LoadedConfig {
  readonly config: TalariaConfig;
  /** Each one disables an account or a webhook route, which `config.disabled` lists. */
  readonly problems: readonly ConfigProblem[];
  /** The environment variables that it was made from. */
  readonly variables: readonly string[];
  /** Texts that must never be printed; give them to the log. */
  readonly secrets: readonly string[];
}

export interface Checked {
  /** In the order of the file. */
  readonly problems: readonly ConfigProblem[];
  /** Absent when a problem makes the whole file invalid. */
  readonly loaded?: LoadedConfig;
}
