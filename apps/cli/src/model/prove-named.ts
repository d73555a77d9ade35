import { type KeyFile, keyPlaces } from "@talaria/config";
import {
  addressesMeant,
  createModel,
  listModels,
  type ModelConfig,
  type ModelDeps,
  proveModel,
  UnprovenModel,
} from "@talaria/models";
import { systemClock } from "@talaria/protocol";
import { terminalLog } from "../setup/terminal-log.ts";
import { unprovenWords } from "./unproven-words.ts";

export type RemoteModel = Exclude<ModelConfig, { readonly provider: "demo" }>;

const proofMs = 180_000;
const listMs = 30_000;
const mostNamed = 10;

export interface NamedProof {
  /** In the configuration. */
  readonly name: string;
  readonly entry: RemoteModel;
  /** Where it takes keys from that stand in files. */
  readonly keyFiles?: readonly KeyFile[];
  readonly logins?: ModelDeps["logins"];
  readonly say: (line: string) => void;
}

/** Has a configured model call a tool and answer. Throws one sentence: what failed, and what mends it. Neither holds a key. */
export async function proveNamed({ name, entry, keyFiles = [], logins, say }: NamedProof): Promise<void> {
  say(`Asking ${name} (${entry.model}) to call a tool and to answer: two small requests.`);
  const model = createModel(entry, { clock: systemClock, log: terminalLog(say), logins });
  try {
    const { servedBy, answer } = await proveModel(model, AbortSignal.timeout(proofMs));
    say(`${name} works: ${servedBy} called the tool and answered: ${answer.slice(0, 200)}`);
  } catch (error) {
    if (!(error instanceof UnprovenModel)) throw error;
    const [trouble, remedy] = unprovenWords(error);
    const closer = (await closerRemedy(name, entry, error)) ?? remedyFor(name, error, keyFiles) ?? remedy;
    throw new Error(`${name} does not work: ${trouble} (${plain(error.message)}): ${closer}`, { cause: error });
  }
}

/** Where in the configuration it is mended. */
function remedyFor(name: string, { why }: UnprovenModel, keyFiles: readonly KeyFile[]): string | undefined {
  const places = keyPlaces(keyFiles);
  if (why === "auth" && places !== undefined) return `put a working key ${places}`;
  if (why === "auth")
    return `put a working key where models.${name}.apiKey takes it from, or run \`talaria setup model --name ${name}\``;
  if (why === "network") return `check the network and models.${name}.baseUrl, and that the server runs`;
  return undefined;
}

/** What is not found may be found elsewhere: with or without `/v1`, or under a name that the server lists. */
async function closerRemedy(name: string, entry: RemoteModel, { why }: UnprovenModel): Promise<string | undefined> {
  if (why !== "not_found" && why !== "bad_request") return undefined;
  const own = await namesAt(entry, entry.baseUrl);
  if (own !== undefined && !own.includes(entry.model)) {
    const more = own.length > mostNamed ? ", ..." : "";
    return `set models.${name}.model to one that it lists: ${own.slice(0, mostNamed).join(", ") || "it lists none"}${more}`;
  }
  if (own !== undefined) return undefined;
  for (const other of entry.baseUrl === undefined ? [] : addressesMeant(entry.baseUrl).slice(1))
    if ((await namesAt(entry, other)) !== undefined)
      return `the server answers at another address: set models.${name}.baseUrl to ${other}`;
  return undefined;
}

/** Undefined where nothing lists models. */
async function namesAt(entry: RemoteModel, baseUrl: string | undefined): Promise<readonly string[] | undefined> {
  if (entry.provider === "chatgpt" || entry.provider === "vertex") return undefined;
  try {
    const models = await listModels(
      { ...entry, ...(baseUrl !== undefined && { baseUrl }) },
      AbortSignal.timeout(listMs),
    );
    return models?.map((model) => model.name);
  } catch {
    return undefined;
  }
}

function plain(text: string): string {
  return text.replace(/\p{C}/gu, "");
}
