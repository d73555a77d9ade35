import { addFirstOwner, readConfigFile } from "@talaria/config";
import { isUserIdOn } from "@talaria/platforms";
import type { SeenPerson } from "@talaria/store";
import { nameWords } from "../commands/place-words.ts";
import { shownWord } from "../shown-word.ts";
import type { Interview } from "./interview.ts";
import { lacksOwner } from "./write-account.ts";
import { writeFiles } from "./write-files.ts";

const mostShown = 5;

export interface OwnerOffer {
  readonly interview: Interview;
  readonly configFile: string;
  readonly name: string;
  readonly platform: string;
  /** Who has written lately, the last first: everywhere. None where the database can't be asked. */
  readonly seen: () => Promise<readonly SeenPerson[]>;
  readonly say: (line: string) => void;
}

/**
 * Where nobody is an owner, an account that is there need not be set up again for one: they are named by their id. False: there is an owner,
 * or nobody was named. Throws where that is nobody's id on the platform; nothing is written then.
 */
export async function offerOwner(offer: OwnerOffer): Promise<boolean> {
  const { interview, configFile, name, platform, seen, say } = offer;
  if (!(await lacksOwner(configFile))) return false;
  say(`Nobody is an owner yet. Name one, and account ${name} stays as it is.`);
  const people = (await seen()).filter(({ accountId }) => accountId === name).slice(0, mostShown);
  if (people.length > 0) say("Who wrote last:");
  for (const { userId, displayName } of people) say(`  ${nameWords(displayName, userId)}`);
  const text = `The owner's id on ${platform}, which /whoami shows them (Enter: nobody)`;
  const id = await interview.answer({ key: "owner", text, preset: "" });
  if (id === undefined) return false;
  if (!(await isUserIdOn(platform, id)))
    throw new Error(`${shownWord(id)} is not the id of a person on ${platform}: nothing was written`);
  const owner = `${platform}:user:${id}`;
  const before = (await readConfigFile(configFile)) ?? "";
  await writeFiles(configFile, { text: addFirstOwner(before, configFile, owner), files: new Map() });
  say(`Written: ${owner} is the owner, who may do everything, in ${configFile}.`);
  return true;
}
