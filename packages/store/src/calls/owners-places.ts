import { type Conversation, spoken, type UserId } from "@talaria/protocol";
import type { Database } from "../database/database.ts";
import { sqlLoneFunction } from "../database/sql-function.ts";
import type { CallStore, Home } from "../ports/calls.ts";

type Places = Pick<
  CallStore,
  "homes" | "ownersPlaces" | "noteOwnerPlace" | "notedPlaces" | "restHome" | "restingHomes" | "wakeHome"
>;

const maxHomes = 20;
const maxNoted = 200;

const noteOwnerPlace = sqlLoneFunction<Home & { readonly accountId: string }, null>("note_owner_place");

/** Where owners are asked and told. */
export function createPlaces(database: Database): Places {
  const note = noteOwnerPlace(database);
  const list = async (name: string, text: string, values: readonly number[] = []): Promise<readonly Home[]> => {
    const rows = await database.query<HomeRow>({ name, text, values });
    return rows.map(({ user_id, conversation, language }) => ({ userId: user_id, conversation, ...spoken(language) }));
  };
  return {
    homes: () => list("homes", homesText, [maxHomes]),

    ownersPlaces: () => list("owners_places", "select user_id, conversation, language from owners_places()"),

    async noteOwnerPlace({ userId, conversation, language }) {
      await note({ accountId: conversation.accountId, userId, conversation, ...spoken(language) });
    },

    notedPlaces: () => list("noted_places", notedText, [maxNoted]),

    async restHome({ userId, conversation }) {
      const text = `with noted as (delete from owner_place where account_id = $1 and user_id = $2)
                    update home_conversation set is_resting = true where account_id = $1 and user_id = $2`;
      await database.query({ text, values: [conversation.accountId, userId] });
    },

    restingHomes: () => list("resting_homes", restingText, [maxNoted]),

    async wakeHome({ userId, conversation }) {
      const text = "update home_conversation set is_resting = false where account_id = $1 and user_id = $2";
      await database.query({ text, values: [conversation.accountId, userId] });
    },
  };
}

const homesText = `
  select user_id, home.conversation, place.language
    from home_conversation as home left join owner_place as place using (account_id, user_id)
   where not is_resting
   order by set_at desc
   limit $1`;

const notedText = "select user_id, conversation, language from owner_place order by wrote_at desc limit $1";

const restingText = `
  select user_id, conversation, null as language from home_conversation where is_resting order by set_at desc limit $1`;

interface HomeRow {
  readonly user_id: UserId;
  readonly conversation: Conversation;
  readonly language: string | null;
}
