import {
  type KnownProvider,
  knownProviders,
  listModels,
  listOllama,
  lmStudioAddress,
  ollamaAddress,
  providerNamed,
} from "@talaria/models";
import type { Choice } from "../interview.ts";
import { pickOption } from "../pick-option.ts";
import { type Answers, Mistake } from "./answers.ts";

/** A program on this machine answers at once, or isn't there. */
const lookMs = 1_500;

/** Whose model it is: by number or by name. Says which of the programs of this machine were found. */
export async function askProvider(answers: Answers): Promise<KnownProvider> {
  const known = answers.known("provider");
  const named = known === undefined ? undefined : providerNamed(known);
  if (named !== undefined) return named;
  const choice = choiceOf(known === undefined ? await foundHere() : new Map());
  if (known !== undefined) {
    const picked = pickOption({ ...choice, isOpen: false }, known);
    const hint = picked.kind === "none" ? picked.hint : `"${known}" may be several`;
    throw new Mistake(`${hint}; there are ${knownProviders.map(({ id }) => id).join(", ")}`, "provider");
  }
  const answer = answers.note("provider", await answers.interview.choose(choice));
  return providerNamed(answer) as KnownProvider;
}

/** Where a program of this machine serves, without `/v1`; undefined for everybody else. */
export function localAddress({ local }: KnownProvider): string | undefined {
  if (local === undefined) return undefined;
  return local === "ollama" ? ollamaAddress(process.env.OLLAMA_HOST) : lmStudioAddress;
}

function choiceOf(hints: ReadonlyMap<string, string>): Choice {
  return {
    text: "Whose model? Number or name",
    options: knownProviders.map(({ id, title }) => {
      const hint = hints.get(id);
      return { value: id, label: title, ...(hint !== undefined && { hint }) };
    }),
    meant: (typed) => providerNamed(typed)?.id,
  };
}

async function foundHere(): Promise<ReadonlyMap<string, string>> {
  const local = knownProviders.filter((provider) => provider.local !== undefined);
  const found = await Promise.all(local.map(async (provider) => [provider.id, await lookFor(provider)] as const));
  return new Map(found);
}

async function lookFor(provider: KnownProvider): Promise<string> {
  const address = localAddress(provider) ?? "";
  const signal = AbortSignal.timeout(lookMs);
  try {
    const count =
      provider.local === "ollama"
        ? (await listOllama(address, signal)).length
        : ((await listModels({ provider: provider.dialect, baseUrl: `${address}/v1` }, signal)) ?? []).length;
    return `found, with ${count === 1 ? "1 model" : `${count} models`}`;
  } catch {
    return "not found";
  }
}
