import { GatewayError } from "@talaria/protocol";

/** One error that an operator has to fix. */
export interface ConfigProblem {
  readonly file: string;
  /** 1-based; 0 if the problem is not in the file, for example in an environment variable. */
  readonly line: number;
  /** 1-based; 0 as above. */
  readonly column: number;
  /** Dotted key path, `accounts.main.token`; empty for the file as a whole. */
  readonly path: string;
  /** Never contains the value of a secret. */
  readonly message: string;
  /** A complete clause, for example `did you mean "token"?`. */
  readonly suggestion?: string;
  /** What the problem disables. Absent: the whole file is invalid. */
  readonly disables?: { readonly kind: "account" | "webhook"; readonly name: string };
}

/** `config.yaml:12:5 accounts.main.tokn: unknown key; did you mean "token"?` */
export function formatProblem(problem: ConfigProblem): string {
  const place = problem.line > 0 ? `${problem.file}:${problem.line}:${problem.column}` : problem.file;
  const subject = problem.path === "" ? "" : ` ${problem.path}:`;
  const suggestion = problem.suggestion === undefined ? "" : `; ${problem.suggestion}`;
  return `${place}${subject} ${problem.message}${suggestion}`;
}

/** The file as a whole cannot be used. Lists every problem, those of single accounts included. */
export class ConfigError extends GatewayError {
  override readonly name = "ConfigError";
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    const lines = problems.map((problem) => `  - ${formatProblem(problem)}`);
    super(`the configuration has ${problems.length} problem(s):\n${lines.join("\n")}`, { code: "invalid_request" });
    this.problems = problems;
  }
}
