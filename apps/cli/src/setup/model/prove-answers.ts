import { createModel, type ModelConfig, proveModel, UnprovenModel } from "@talaria/models";
import { systemClock } from "@talaria/protocol";
import { unprovenWords } from "../../model/unproven-words.ts";
import { terminalLog } from "../terminal-log.ts";
import { type AnswerKey, type Answers, Mistake } from "./answers.ts";

type RemoteModel = Exclude<ModelConfig, { readonly provider: "demo" }>;

const proofMs = 180_000;

/** What a failure is about, where that is certain. */
const about: Partial<Record<UnprovenModel["why"], AnswerKey>> = {
  auth: "apiKey",
  not_found: "model",
  no_tools: "model",
  not_read: "model",
  runaway: "model",
};

export interface ProofSetting {
  readonly say: (line: string) => void;
  /** The whole entry with this address, as a start reads it. */
  readonly configAt: (baseUrl: string | undefined) => Promise<RemoteModel>;
}

/** Has the model call a tool and answer, at the other addresses too where nobody saw the first one answer. Throws a `Mistake`. */
export async function proveAnswers(answers: Answers, { say, configAt }: ProofSetting): Promise<void> {
  const { place } = answers;
  if (place === undefined) return;
  say("Asking the model to call a tool and to answer: two small requests.");
  let failure: unknown;
  for (const baseUrl of [place.baseUrl, ...place.others]) {
    try {
      const model = createModel(await configAt(baseUrl), { clock: systemClock, log: terminalLog(say) });
      const { servedBy, answer } = await proveModel(model, AbortSignal.timeout(proofMs));
      if (baseUrl !== place.baseUrl) say(`It answers at ${baseUrl}.`);
      answers.place = { ...place, baseUrl, others: [] };
      return say(`${servedBy} called the tool and answered: ${answer.slice(0, 200)}`);
    } catch (error) {
      if (!(error instanceof UnprovenModel)) throw error;
      failure ??= error;
      if (error.why !== "not_found" && error.why !== "bad_request") break;
    }
  }
  throw mistakeOf(failure as UnprovenModel);
}

function mistakeOf(failure: UnprovenModel): Mistake {
  const [trouble, remedy] = unprovenWords(failure);
  return new Mistake(`${trouble} (${failure.message}): ${remedy}`, about[failure.why]);
}
