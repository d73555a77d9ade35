import type { ProcessStore } from "@talaria/store";

export interface DoseDeps {
  readonly processes: Pick<ProcessStore, "list">;
  readonly databaseUrl: string;
  /** The folder of the embedded database; undefined where it is another one. */
  readonly databaseDir: string | undefined;
  readonly redisUrl: string | undefined;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
  /** How often something is struck that is struck again and again. */
  readonly blows: number;
  /** How long something is away that is away once. */
  readonly awayMs: number;
}
