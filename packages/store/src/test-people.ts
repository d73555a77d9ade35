import { randomUUID } from "node:crypto";
import { type AccountId, brandAs, type EventId, type UserId } from "@talaria/protocol";
import type { AccessRequest, PairingRequest, PairingRow, PairingStore } from "./ports/people.ts";
import { conversationOf } from "./test-store.ts";

export interface Stranger extends Partial<Omit<AccessRequest, "accountId" | "person">> {
  readonly account: string;
  readonly id: string;
  readonly name?: string;
}

/** Somebody asks for access, in a direct conversation of their own, unless told otherwise. */
export function askAccess(
  pairing: Pick<PairingStore, "request">,
  { account, id, name = id, ...request }: Stranger,
): Promise<PairingRequest> {
  const accountId = brandAs<AccountId>(account);
  return pairing.request({
    ...{ accountId, person: { id: brandAs<UserId>(id), displayName: name } },
    ...{ eventId: brandAs<EventId>(randomUUID()), conversation: { ...conversationOf(`with ${id}`), accountId } },
    canAsk: false,
    ...request,
  });
}

const all = (text: string) => ({ all: text, files: `${text} No files.`, words: `${text} Not all.` });

export const welcomes = { welcome: all("You're in."), answering: all("You're in, and answered.") } as const;

type Deciding = Pick<PairingStore, "find" | "decide">;

/** Lets in who waits with this code or id. Undefined: nobody does. */
export async function letIn(pairing: Deciding, codeOrId: string): Promise<PairingRow | undefined> {
  const found = await pairing.find(codeOrId);
  const decision = { from: ["waiting"], to: "approved", ...welcomes } as const;
  const decided = found && (await pairing.decide({ id: found.id, ...decision }));
  return decided && pairing.find(found.id);
}

/** Somebody asks, and is let in. */
export async function pair(pairing: PairingStore, stranger: Stranger): Promise<PairingRow> {
  const asked = await askAccess(pairing, stranger);
  const row = asked.outcome === "code" ? await letIn(pairing, asked.code) : undefined;
  if (row === undefined) throw new Error(`${stranger.id} could not be let in: ${asked.outcome}`);
  return row;
}

/** Takes access away. False: there was none. */
export async function removePerson(pairing: Deciding, id: string): Promise<boolean> {
  return (await pairing.decide({ id, from: ["approved"], to: "removed", ...welcomes })) !== undefined;
}
