import type { TalariaConfig } from "@talaria/config";
import { platformNames } from "@talaria/platforms";
import { type LoadedHome, loadHome } from "../load-home.ts";
import type { Choice } from "../setup/interview.ts";
import { openInterview } from "../setup/open-interview.ts";
import { ownerHint } from "../setup/owner-note.ts";
import { tellNext } from "../setup/tell-next.ts";
import { tryHere } from "../workplace/try-here.ts";

type Options = Record<string, string | boolean | undefined>;

const finish = "finish";
const somewhere = "platform";

/**
 * `talaria setup`: one part after the other, in any order. What is set up already is shown as done, since nothing is written before it was
 * proven: whoever was interrupted goes on where they were. A part that fails leaves the others as they are.
 */
export async function setupAll(
  options: Options,
  setup: (options: Options, part: string) => Promise<void>,
): Promise<void> {
  if (process.stdin.isTTY !== true)
    throw new Error("setup without a name asks at a terminal: name model, sandbox or a platform here");
  let workplace: string | undefined;
  for (;;) {
    const loaded = await loadHome(options, process.env, { mayBeNew: true });
    workplace ??= await triedWorkplace(loaded);
    const part = await askPart(loaded.config, workplace);
    if (part === finish) break;
    if (part === "sandbox") workplace = undefined;
    await setup({ ...options, next: false }, part).catch((error: unknown) => {
      console.log(error instanceof Error ? error.message : String(error));
    });
  }
  process.exitCode = 0;
  await tellNext(options);
}

async function askPart(config: TalariaConfig, workplace: string): Promise<string> {
  using interview = await openInterview();
  const part = await interview.choose(partsOf(config, workplace));
  if (part !== somewhere) return part;
  return await interview.choose({ text: "Which platform?", options: platformNames.map((value) => ({ value })) });
}

/** What is not done yet comes first when nothing is typed. */
function partsOf(
  { agent, models, accounts, owners }: Pick<TalariaConfig, "agent" | "models" | "accounts" | "owners">,
  workplace: string,
): Choice {
  const used = models[agent.model];
  const hasModel = used !== undefined && used.provider !== "demo";
  const names = Object.keys(accounts);
  return {
    text: "What shall be set up?",
    options: [
      {
        value: "model",
        label: "the model",
        hint: hasModel ? `done: ${agent.model}, ${used.model}` : "not yet: the offline demo answers",
      },
      {
        value: somewhere,
        label: "a place where people write to it",
        hint:
          names.length > 0
            ? `done: ${names.join(", ")}${ownerHint({ accounts, owners })}`
            : "not yet: the console alone",
      },
      { value: "sandbox", label: "commands, files and browser", hint: workplace },
      { value: finish, label: "nothing more" },
    ],
    preset: hasModel ? (names.length > 0 ? finish : somewhere) : "model",
  };
}

async function triedWorkplace(loaded: Pick<LoadedHome, "home" | "config">): Promise<string> {
  const { works } = await tryHere(loaded, { paid: false });
  return works ? "done: works here" : "does not work here yet";
}
