import { Client } from "pg";
import { waitFor } from "../../support/wait-for.ts";

/**
 * Stops the world at one exact point: whoever wants to write to a table of ours waits there. What happens next is the
 * test's choice, also after the writer's death: `cut` undoes what waits, `release` lets it commit.
 */
export class TableHold {
  readonly #client: Client;
  readonly #table: string;

  private constructor(client: Client, table: string) {
    this.#client = client;
    this.#table = table;
  }

  /** Reads go on. */
  static async take(databaseUrl: string, table: string): Promise<TableHold> {
    const client = new Client({ connectionString: databaseUrl });
    client.on("error", () => undefined);
    await client.connect();
    await client.query(`begin; lock table talaria.${table} in exclusive mode`);
    return new TableHold(client, table);
  }

  /**
   * Resolves when somebody has just begun to wait for a write. Whoever gives up after a short lock timeout waits again and
   * again: at the end of such a wait, a death would meet a statement that is undone instead of one that goes through.
   */
  async waitForWriter(): Promise<void> {
    const isEarly = "coalesce(clock_timestamp() - waitstart not between interval '100 ms' and interval '1 s', true)";
    await waitFor(async () => (await this.#writers(isEarly)).length > 0, `somebody to write to ${this.#table}`);
  }

  /** Ends the connections that wait: their transactions never happened. */
  async cut(): Promise<void> {
    for (const pid of await this.#writers()) await this.#client.query("select pg_terminate_backend($1)", [pid]);
    await waitFor(async () => (await this.#writers()).length === 0, "the waiting connections to end");
  }

  /** Lets everything that waits go on. */
  async release(): Promise<void> {
    await this.#client.end();
  }

  async #writers(condition = "true"): Promise<readonly number[]> {
    const { rows } = await this.#client.query<{ pid: number }>(
      `select pid from pg_locks
        where not granted and ${condition} and relation = 'talaria.${this.#table}'::regclass
          and database = (select oid from pg_database where datname = current_database())`,
    );
    return rows.map(({ pid }) => pid);
  }
}
