import { setTimeout as sleep } from "node:timers/promises";
import { locateHome } from "../home.ts";
import { notRunning } from "../open-store.ts";
import { callSupervisor, type SupervisorOrder, type SupervisorState } from "../start/supervisor-door.ts";

type Options = Readonly<Record<string, string | boolean | undefined>>;

const lookMs = 200;
/** Answers get ten seconds, and processes half a minute. */
const stopMs = 90_000;

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

/** Throws one sentence where nothing runs that takes orders now. */
export async function order(dir: string, word: SupervisorOrder): Promise<SupervisorState> {
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

export function isState(state: SupervisorState | "none" | "mute"): state is SupervisorState {
  return typeof state === "object";
}

/** The first state that is the one awaited. Undefined: it has not come in time. */
export async function until(
  dir: string,
  ms: number,
  isReached: (state: SupervisorState | "none" | "mute") => boolean | Promise<boolean>,
): Promise<SupervisorState | "none" | "mute" | undefined> {
  const end = AbortSignal.timeout(ms);
  while (!end.aborted) {
    const state = await callSupervisor(dir);
    if (await isReached(state)) return state;
    await sleep(lookMs, undefined, { signal: end }).catch(() => undefined);
  }
  return undefined;
}
