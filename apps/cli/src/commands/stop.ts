import { setTimeout as sleep } from "node:timers/promises";
import { locateHome } from "../home.ts";
import { notRunning } from "../open-store.ts";
import { callSupervisor, type SupervisorOrder, type SupervisorState } from "../start/supervisor-door.ts";

type Options = Readonly<Record<string, string | boolean | undefined>>;

const lookMs = 200;
/** Answers get ten seconds, and processes half a minute. */
const stopMs = 90_000;
/** A new release installs its dependencies first. */
const startMs = 300_000;

/** `talaria stop`: finishes what is being answered. Resolves when nothing of the installation runs any more. */
export async function stop(options: Options): Promise<void> {
  const { dir } = locateHome(options, process.env);
  const { id } = await order(dir, "stop");
  const now = await until(dir, stopMs, (state) => state === "none" || (isState(state) && state.id !== id));
  if (now === undefined) throw new Error(`Talaria is still stopping on ${dir}: its output says what it waits for`);
  console.log(
    now === "none"
      ? `stopped: ${dir}`
      : `stopped, and started again by whoever runs it: stop its service instead, as with \`systemctl stop talaria\``,
  );
}

/** `talaria restart`: resolves when the installation serves again, with the code and the configuration that are there now. */
export async function restart(options: Options): Promise<void> {
  const { dir } = locateHome(options, process.env);
  const { id } = await order(dir, "restart");
  const now = await until(dir, startMs, (state) => isState(state) && state.id !== id && state.isReady);
  if (now === undefined) throw new Error(`Talaria has not come back on ${dir}: its output says why`);
  console.log(`restarted: ${dir}`);
}

async function order(dir: string, word: SupervisorOrder): Promise<SupervisorState> {
  const before = await callSupervisor(dir);
  if (before === "none") throw notRunning({ dir });
  if (before !== "mute" && !before.isReady)
    throw new Error(`Talaria is just starting or stopping on ${dir}: try again in a moment`);
  const state = before === "mute" ? before : await callSupervisor(dir, word);
  if (isState(state)) return state;
  throw new Error(
    `what runs on ${dir} takes no orders, as earlier releases do: press Ctrl-C there, or stop its service`,
  );
}

function isState(state: SupervisorState | "none" | "mute"): state is SupervisorState {
  return typeof state === "object";
}

async function until(
  dir: string,
  ms: number,
  isReached: (state: SupervisorState | "none" | "mute") => boolean,
): Promise<SupervisorState | "none" | "mute" | undefined> {
  const end = AbortSignal.timeout(ms);
  while (!end.aborted) {
    const state = await callSupervisor(dir);
    if (isReached(state)) return state;
    await sleep(lookMs, undefined, { signal: end }).catch(() => undefined);
  }
  return undefined;
}
