import { Client } from "pg";
import { waitFor } from "../../support/wait-for.ts";

/** For `waitForWriter`. */
export const anything = "";

/** Who waits holds this advisory lock until its transaction ends: between two looks it does not sleep, so sleeping tells nothing. */
const waiting = [20_261_124, 1] as const;

/**
 * Stops the world at one exact point: whoever wants to write to a table of ours waits there. What happens next is the
 * test's choice, also after the writer's death: `cut` undoes what waits, `release` lets it commit.
 *
 * A trigger waits, not a lock: our statements give up a lock after a short while and try again, and a death between two
 * attempts would meet nothing.
 */
export class TableHold {
  readonly #client: Client;
  readonly #table: string;

  private constructor(client: Client, table: string) {
    this.#client = client;
    this.#table = table;
  }

  /**
   * Reads go on, and so do the first `passing` statements that write. In the table `seen` only events wait that are new: one that its
   * platform repeats, late, is not what a test waits for.
   */
  static async take(databaseUrl: string, table: string, passing = 0): Promise<TableHold> {
    const writes = table === "seen" ? "insert" : "insert or update or delete";
    const each = table === "seen" ? "row" : "statement";
    const client = new Client({ connectionString: databaseUrl });
    client.on("error", () => undefined);
    await client.connect();
    await client.query(`
      create schema if not exists test_hold;
      create table if not exists test_hold.held (name text primary key, after bigint not null);
      create sequence if not exists test_hold.writes;
      create or replace function test_hold.wait() returns trigger language plpgsql security definer as $$
      declare
        number bigint := nextval('test_hold.writes');
      begin
        if tg_level = 'ROW' then
          if exists (select from talaria.seen where event_id = new.event_id and account_id = new.account_id) then return new; end if;
        end if;
        perform pg_advisory_xact_lock_shared(${waiting.join(", ")});
        while exists (select from test_hold.held where name = tg_table_name and number > after) loop
          perform pg_sleep(0.01);
        end loop;
        return new;
      end $$;
      grant usage on schema test_hold to public;
      create or replace trigger test_hold before ${writes} on talaria.${table}
        for each ${each} execute function test_hold.wait();
      insert into test_hold.held values ('${table}', nextval('test_hold.writes') + ${passing})`);
    return new TableHold(client, table);
  }

  /**
   * Resolves when this function of ours waits for a write, or once it is pointless: then false. `anything` only where nobody else
   * writes: a process that has just started prunes many tables, if only to find nothing to do.
   */
  async waitForWriter(statement: string, isPointless = () => false): Promise<boolean> {
    await waitFor(
      async () => isPointless() || (await this.#writers(statement)).length > 0,
      `somebody to write to ${this.#table}`,
    );
    return !isPointless();
  }

  /** Ends the connections that wait: their transactions never happened. */
  async cut(): Promise<void> {
    for (const pid of await this.#writers()) await this.#client.query("select pg_terminate_backend($1)", [pid]);
    await waitFor(async () => (await this.#writers()).length === 0, "the waiting connections to end");
  }

  /** Lets everything that waits go on. */
  async release(): Promise<void> {
    await this.#client.query("delete from test_hold.held where name = $1", [this.#table]);
    await this.#client.end();
  }

  /** A test holds one table at a time, so whoever has the mark waits for this one. */
  async #writers(statement = anything): Promise<readonly number[]> {
    const { rows } = await this.#client.query<{ pid: number }>(
      `select distinct pid from pg_locks join pg_stat_activity using (pid)
       where locktype = 'advisory' and classid = $1 and objid = $2 and datname = current_database()
         and position($3 in query) > 0`,
      [...waiting, statement],
    );
    return rows.map(({ pid }) => pid);
  }
}
