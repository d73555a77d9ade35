import { schema } from "../database/connection-config.ts";
import type { FunctionSet } from "./sql-source.ts";

/** Any number, the same in every release: whoever changes schemas waits for others on it. */
export const lockId = 7_420_001;

/** Functions that no process has used for so long are dropped. */
const unusedHours = 24;

/** While functions are used, this is noted so often: well within the time after which they would be dropped. */
export const noteUseMs = 3_600_000;

/**
 * One statement that installs a set as a whole, unless it is there. Functions are not checked one by one, since they may
 * call each other in any order.
 */
export function installFunctions({ schema: name, sql }: FunctionSet): string {
  return `do $install$ begin
    perform pg_advisory_xact_lock(${lockId});
    if to_regnamespace('${name}') is null or not exists (select from ${schema}.function_set where name = '${name}') then
      drop schema if exists ${name} cascade;
      create schema ${name};
      -- Its functions have the rights of who calls them, so everybody may.
      grant usage on schema ${name} to public;
      perform set_config('search_path', '${name},${schema}', true), set_config('check_function_bodies', 'off', true);
      execute $functions$${sql}$functions$;
      insert into ${schema}.function_set (name) values ('${name}')
      on conflict (name) do update set installed_at = clock_timestamp(), last_used = clock_timestamp();
    end if;
  end $install$`;
}

/** Nothing happens when the set is not there any more: its next call installs it again. */
export function noteUse({ schema: name }: FunctionSet): string {
  return `update ${schema}.function_set set last_used = clock_timestamp() where name = '${name}'`;
}

/** A process that starts with a set at this moment has either noted its use before, or finds it gone and installs it. */
export const dropUnusedFunctions = `do $drop$ declare unused text; begin
  -- Only their owner can; the role of a gateway leaves it to the next migration.
  if not (select pg_has_role(nspowner, 'USAGE') from pg_namespace where nspname = '${schema}') then return; end if;
  perform pg_advisory_xact_lock(${lockId});
  for unused in
    delete from ${schema}.function_set
     where last_used < clock_timestamp() - interval '${unusedHours} hours'
    returning name
  loop
    execute format('drop schema if exists %I cascade', unused);
  end loop;
end $drop$`;
