import type { SetupQuestion } from "@talaria/adapter";
import { createModel, listModels, type ModelConfig, proveModel } from "@talaria/models";
import { isGatewayError, systemClock } from "@talaria/protocol";
import { loadHome } from "../load-home.ts";
import { Interview } from "../setup/ask.ts";
import { givenKeys } from "../setup/given-keys.ts";
import { isProvider, modelProviders, modelQuestion, providerQuestion, questionsFor } from "../setup/model-questions.ts";
import { terminalLog } from "../setup/terminal-log.ts";
import { checkModel, isModelTaken, type NewModel, writeModel } from "../setup/write-model.ts";

type Options = Record<string, string | boolean | undefined>;
type RemoteModel = Exclude<ModelConfig, { readonly provider: "demo" }>;

const say = (line: string) => console.log(line);
const mostShown = 60;
const proofMs = 180_000;

/**
 * `talaria setup model`: asks for provider and key, shows what the server offers, has the model call a tool and answer,
 * writes its entry. Nothing is written before the proof.
 */
export async function setupModel(options: Options): Promise<void> {
  const { home, config } = await loadHome(options, process.env, { mayBeNew: true });
  const name = typeof options.name === "string" ? options.name : "main";
  if (!/^[a-z0-9][a-z0-9-]{0,62}$/.test(name))
    throw new Error(`--name ${name}: a name has lower-case letters, digits and dashes, at most 63`);
  const given = givenKeys(options);
  using interview = new Interview();
  if (await isModelTaken(home.configFile, name)) await demandConsent(interview, name);
  const isUsed =
    config.agent.model !== name &&
    (await interview.confirm(`The agent uses ${config.agent.model}. Shall it use ${name} from now on?`, "yes"));
  const model = await askAndProve(interview, { configFile: home.configFile, name, isUsed, given }, options);
  interview[Symbol.dispose]();
  const files = await writeModel(home.configFile, model);
  say(`Written: model ${name} in ${home.configFile}; secrets in ${files.join(", ") || "no file"}.`);
  say("A running installation takes it into use by itself; else: npm start.");
}

interface Setting {
  readonly configFile: string;
  readonly name: string;
  readonly isUsed: boolean;
  readonly given: ReadonlyMap<string, string>;
}

/** Asks a person at a terminal again when something is wrong. */
async function askAndProve(interview: Interview, setting: Setting, options: Options): Promise<NewModel> {
  for (;;) {
    try {
      const model = await askFor(interview, setting);
      const config = (await checkModel(setting.configFile, model)) as RemoteModel;
      if (options.proof === false) say("Not proven: nothing was sent.");
      else await prove(config);
      return model;
    } catch (error) {
      if (!interview.isInteractive || !(error instanceof Error)) throw error;
      say(`${error.message}\nTry again, or end with Ctrl-C.`);
    }
  }
}

async function prove(config: RemoteModel): Promise<void> {
  say("Asking the model to call a tool and to answer: two small requests.");
  const model = createModel(config, { clock: systemClock, log: terminalLog(say) });
  const { servedBy, answer } = await proveModel(model, AbortSignal.timeout(proofMs));
  say(`${servedBy} called the tool and answered: ${answer.slice(0, 200)}`);
}

async function askFor(interview: Interview, setting: Setting): Promise<NewModel> {
  const { configFile, name, isUsed, given } = setting;
  const answer = async (question: SetupQuestion) => given.get(question.key) ?? (await interview.answer(question));
  const provider = (await answer(providerQuestion)) ?? "";
  if (!isProvider(provider)) throw new Error(`${provider}: has to be one of ${modelProviders.join(", ")}`);
  const entry: Record<string, unknown> = { provider };
  let apiKey: string | undefined;
  for (const question of questionsFor(provider)) {
    const typed = await answer(question);
    if (question.key === "apiKey") apiKey = typed || undefined;
    else if (typed) entry[question.key] = typed;
  }
  if (!given.has("model")) {
    const unnamed = { name, entry: { ...entry, model: "unnamed" }, apiKey, isUsed };
    await showOffer((await checkModel(configFile, unnamed)) as RemoteModel);
  }
  const model = await answer(modelQuestion);
  return { name, entry: { ...entry, model }, apiKey, isUsed };
}

/** A server that lists nothing may have models all the same; a refused key is told at once. */
async function showOffer(config: RemoteModel): Promise<void> {
  try {
    const names = await listModels(config, AbortSignal.timeout(proofMs));
    if (names === undefined) return say("This API has no list of models: type the name from the provider's page.");
    const more = names.length > mostShown ? `, and ${names.length - mostShown} more` : "";
    say(`The server offers: ${names.slice(0, mostShown).join(", ") || "nothing"}${more}`);
  } catch (error) {
    if (!isGatewayError(error) || error.code === "unauthorized") throw error;
    say(`${error.message}. Type the name of the model all the same.`);
  }
}

async function demandConsent(interview: Interview, name: string): Promise<void> {
  if (
    await interview.confirm(`There is a model ${name} already. Replace it, with everything that is set for it?`, "no")
  )
    return;
  throw new Error(`model ${name} stays as it is and nothing was written: --name NAME sets up another one`);
}
