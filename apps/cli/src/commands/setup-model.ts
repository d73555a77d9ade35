import { loadHome } from "../load-home.ts";
import { givenKeys } from "../setup/given-keys.ts";
import type { Interview } from "../setup/interview.ts";
import { askForModel } from "../setup/model/ask-model.ts";
import { openInterview } from "../setup/open-interview.ts";
import { tellNext } from "../setup/tell-next.ts";
import { isModelTaken, writeModel } from "../setup/write-model.ts";
import { wordsAt } from "../shell/working-words.ts";
import { shownWord } from "../shown-word.ts";

type Options = Record<string, string | boolean | undefined>;

/** A server's words may not steer the terminal. */
const say = (line: string) => console.log(line.replace(/[^\P{C}\n]/gu, ""));
const plans =
  "A ChatGPT plan is used with `talaria model login` instead of a key, as a preview of OpenAI's. Anthropic lets no other program use a Claude subscription: Claude needs an API key.";

/**
 * `talaria setup model`: asks whose model it is, finds its server, shows what that offers, has the model call a tool and answer, and writes
 * its entry. Nothing is written before the proof.
 */
export async function setupModel(options: Options): Promise<void> {
  const { home, config } = await loadHome(options, process.env, { mayBeNew: true });
  const name = typeof options.name === "string" ? options.name : "main";
  if (!/^[a-z0-9][a-z0-9-]{0,62}$/.test(name))
    throw new Error(`--name ${shownWord(name)}: a name has lower-case letters, digits and dashes, at most 63`);
  const given = givenKeys(options);
  const interview = await openInterview();
  try {
    if (await isModelTaken(home.configFile, name)) await demandConsent(interview, name);
    const isUsed =
      config.agent.model !== name &&
      (await interview.confirm(`The agent uses ${config.agent.model}. Shall it use ${name} from now on?`, "yes"));
    if (!given.has("provider")) say(await wordsAt(process.stdout, plans));
    const { configFile } = home;
    const { currency } = config.limits.spending;
    const isProven = options.proof !== false;
    const model = await askForModel(interview, { configFile, name, isUsed, given, currency, isProven, say });
    interview[Symbol.dispose]();
    const files = await writeModel(configFile, model);
    say(`Written: model ${name} in ${configFile}; secrets in ${files.join(", ") || "no file"}.`);
  } finally {
    interview[Symbol.dispose]();
  }
  if (options.next !== false) await tellNext(options, { added: name });
}

async function demandConsent(interview: Interview, name: string): Promise<void> {
  if (
    await interview.confirm(`There is a model ${name} already. Replace it, with everything that is set for it?`, "no")
  )
    return;
  throw new Error(`model ${name} stays as it is and nothing was written: --name NAME sets up another one`);
}
