import { dirname, join } from "node:path";
import type { ModelConfig } from "@talaria/models";
import { faultOfKey } from "../../key-text.ts";
import { plainValue } from "../given-keys.ts";
import type { Interview } from "../interview.ts";
import { nested } from "../write-account.ts";
import { checkModel, type NewModel, WrongModel } from "../write-model.ts";
import { type AnswerKey, Answers, Mistake } from "./answers.ts";
import { askFacts } from "./ask-facts.ts";
import { askModelName } from "./ask-model-name.ts";
import { askProvider } from "./ask-provider.ts";
import { askAddress, findPlace } from "./find-place.ts";
import { proveAnswers } from "./prove-answers.ts";
import { widenWindow } from "./widen-window.ts";

type RemoteModel = Exclude<ModelConfig, { readonly provider: "demo" }>;

export interface ModelSetting {
  readonly configFile: string;
  readonly name: string;
  readonly isUsed: boolean;
  readonly given: ReadonlyMap<string, string>;
  readonly currency: string;
  /** False: nothing is sent to the model. */
  readonly isProven: boolean;
  readonly say: (line: string) => void;
}

const asked: ReadonlySet<string> = new Set(["provider", "baseUrl", "apiKey", "model"]);

/**
 * Asks for provider, address, key and model, and proves them. A person reads what is wrong and is asked for that alone; all other
 * answers stand. Throws the first mistake where nobody can be asked again.
 */
export async function askForModel(interview: Interview, setting: ModelSetting): Promise<NewModel> {
  const answers = new Answers(interview, setting.given);
  for (;;) {
    try {
      return await askOnce(answers, setting);
    } catch (error) {
      const mistake = mistakeIn(error);
      if (mistake === undefined || !interview.isInteractive) throw error;
      setting.say(mistake.message);
      if (mistake.about === "facts") continue;
      answers.forget(mistake.about ?? (await askWhatIsWrong(interview)));
    }
  }
}

async function askOnce(answers: Answers, setting: ModelSetting): Promise<NewModel> {
  const { say, name, currency, given, isProven } = setting;
  answers.provider = await askProvider(answers);
  await askAddress(answers);
  await askKey(answers, setting);
  const fault = faultOfKey(answers.known("apiKey") ?? "");
  if (fault !== undefined) throw new Mistake(`The key ${fault}: copy it again, without what is around it.`, "apiKey");
  const entryWith = (baseUrl: string | undefined, model: string, facts: object = {}): NewModel => ({
    name,
    entry: {
      provider: answers.provider?.dialect,
      ...(baseUrl !== undefined && { baseUrl }),
      model,
      ...facts,
      ...furtherKeys(given),
    },
    apiKey: answers.known("apiKey") || undefined,
    isUsed: setting.isUsed,
  });
  const configWith = (model: string) => async (baseUrl: string | undefined) =>
    (await checkModel(setting.configFile, entryWith(baseUrl, model))) as RemoteModel;
  const isWritten = !isProven && answers.known("model") !== undefined;
  answers.place ??= await findPlace(answers, { say, configAt: configWith("unnamed"), isAsked: !isWritten });
  let model = await askModelName(answers, answers.place, isProven);
  const configAt = configWith(model);
  await configAt(answers.place.baseUrl);
  if (!isProven) say("Not proven: nothing was sent.");
  else if (answers.proven !== model) {
    await proveAnswers(answers, { say, configAt });
    const wider = await widenWindow(answers, model, say);
    if (wider !== undefined) {
      model = answers.note("model", wider);
      await proveAnswers(answers, { say, configAt: configWith(model) });
    }
    answers.proven = model;
  }
  const facts = await askFacts(answers, model, { say, name, currency, given });
  return entryWith(answers.place.baseUrl, model, facts);
}

/** Where the key goes is said before it is typed. */
async function askKey(answers: Answers, { configFile, name, say }: ModelSetting): Promise<void> {
  const { provider } = answers;
  if (provider === undefined || provider.key === "none" || answers.known("apiKey") !== undefined) return;
  const file = join(dirname(configFile), "secrets", `model-${name}-apiKey`);
  const from = provider.keysAt === undefined ? "" : `Keys are made at ${provider.keysAt}. `;
  if (answers.former("apiKey") === undefined)
    say(`${from}It is kept in ${file}, which this account alone can read, and never shown.`);
  const isOptional = provider.key === "optional";
  const optional = { preset: "", nothing: "it wants none" };
  await answers.answer({ key: "apiKey", text: "API key", secret: true, ...(isOptional && optional) });
}

/** Keys of the entry that no question asks for. */
function furtherKeys(given: ReadonlyMap<string, string>): Readonly<Record<string, unknown>> {
  const further = [...given].filter(([key]) => !asked.has(key));
  return nested(Object.fromEntries(further.map(([key, text]) => [key, amountOr(text)])));
}

function amountOr(text: string): unknown {
  return /^\d+\.\d+$/.test(text) ? Number(text) : plainValue(text);
}

function mistakeIn(error: unknown): Mistake | undefined {
  if (error instanceof Mistake) return error;
  if (!(error instanceof WrongModel)) return undefined;
  return asked.has(error.key) ? new Mistake(error.message, error.key as AnswerKey) : new Mistake(error.message);
}

async function askWhatIsWrong(interview: Interview): Promise<AnswerKey | "nothing"> {
  const options = [
    { value: "nothing", label: "try the same again" },
    { value: "model", label: "another model" },
    { value: "apiKey", label: "another key" },
    { value: "provider", label: "another provider" },
  ] as const;
  return (await interview.choose({ text: "What now? Ctrl-C writes nothing", options, preset: "nothing" })) as "nothing";
}
