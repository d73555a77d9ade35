import { Pool } from "pg";
import { createTestStore } from "../worker.fixture.ts";
import { assertSound } from "./assert-sound.ts";
import { ConversationPlay, type Ended, type Query } from "./conversation-play.ts";
import type { Death } from "./mortal-turns.ts";
import type { Plan } from "./plan.ts";

/** Conversations that are played at the same time. */
export const atOnce = 4;

const ways = ["before", "after", "asleep"] as const;

/** Plays plans in a database of its own. */
export interface Plays extends AsyncDisposable {
  readonly query: Query;
  /** Plays a plan with workers that die so, one after the other. Rejects where its end is not sound. */
  play(plan: Plan, ...deaths: readonly Death[]): Promise<Ended>;
}

export async function startPlays(): Promise<Plays> {
  const test = await createTestStore();
  const pool = new Pool({ connectionString: test.url, max: atOnce });
  const query: Query = async <Row>(text: string, values: readonly unknown[]) =>
    (await pool.query(text, [...values])).rows as readonly Row[];
  return {
    query,
    play: async (plan, ...deaths) => {
      const ended = await new ConversationPlay(test, query, plan, deaths).play();
      await assertSound(plan, ended, query);
      return ended;
    },
    [Symbol.asyncDispose]: async () => {
      await pool.end();
      await test[Symbol.asyncDispose]();
    },
  };
}

/** In each of the three ways at every write, or at those of `thorough` only, and then in one of them at the others. */
export function deathsAt(writes: number, thorough = (_at: number) => true): readonly Death[] {
  return Array.from({ length: writes }, (_, index) => index + 1).flatMap((at) =>
    ways.filter((_, way) => thorough(at) || at % ways.length === way).map((when) => ({ at, when })),
  );
}

/** Looks at what each death leaves, some at the same time. Rejects with the first that is not as it has to be. */
export async function afterEach(deaths: readonly Death[], look: (death: Death) => Promise<void>): Promise<void> {
  const left = [...deaths];
  const next = async (): Promise<void> => {
    for (let death = left.shift(); death !== undefined; death = left.shift()) {
      try {
        await look(death);
      } catch (cause) {
        left.length = 0;
        throw new Error(`${death.when} at write ${death.at}`, { cause });
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, next));
}
