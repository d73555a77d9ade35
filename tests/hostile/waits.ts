import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { callTool, type ModelScript, messageFrom, modelFault, say } from "@talaria/testkit";
import { folderName } from "../../packages/sandbox/src/host-folder.ts";
import type { House } from "../support/house.ts";
import type { PlanOfEach } from "./plan-of-each.ts";

/** Somebody in their own conversation on one account, of whom something waits. */
export interface Waiting {
  readonly house: House;
  readonly plan: PlanOfEach;
  readonly account: string;
  readonly who: string;
  /** That of what they ask. */
  readonly words: string;
}

/** A point where a turn waits, or where its words come back later. */
export interface Wait {
  /** A turn has done what it can, runs, or has not begun. */
  readonly phase: "settled" | "running" | "unread";
  /** Whoever runs it dies meanwhile. */
  readonly isKilled?: true;
  /** Its words are read after the roles have changed: for the first time, or again. */
  readonly isReadLater?: true;
  readonly needsSandbox?: true;
  begin(waiting: Waiting): Promise<void>;
  /** The last that happens before the roles change, which nobody has noticed. `id`: of the call that waits. */
  touch?(waiting: Waiting, id: string): Promise<void>;
  /** What would happen if nobody had lost anything. `id`: of the call that waited before. */
  goOn(waiting: Waiting, id: string): Promise<void>;
}

/** How accounts are called on which people are in groups. */
export const inGroups = "in a group";

/** Allowed to owners, asked about for members, denied to guests: see `roleRules`. */
export const probe = "current_time";
export const answer = "Here you are.";
const looks = callTool("conversation_info", {});
const probes: readonly ModelScript[] = [callTool(probe, {}), say("That is all.")];

/** As YAML: what is probed tells the roles apart, and what somebody looks at waits for an owner. */
export const roleRules = `
policy:
  rules:
    - { allow: Owners know the time, tool: ${probe}, as: owner }
    - { allow: Owners know the time, tool: ${probe}, as: owner, in: group }
    - { ask: The time is a secret, tool: ${probe}, as: member }
    - { deny: The time is a secret, tool: ${probe}, as: guest }
    - { ask: People are private, tool: conversation_info, as: owner }
    - { ask: People are private, tool: conversation_info, as: member }
    - { ask: People are private, tool: conversation_info, as: guest }
`;

export const waits: Readonly<Record<string, Wait>> = {
  "an approval": {
    phase: "settled",
    begin: (waiting) => asks(waiting, looks, ...probes),
    goOn: (waiting, id) => approves(waiting, id),
  },
  "what was approved and has not run": {
    phase: "settled",
    begin: (waiting) => asks(waiting, looks, ...probes),
    async touch({ house, account }, id) {
      for (let n = 0; n < 2; n += 1) await house.receive(from(account, "ada", `/approve ${id}`));
    },
    goOn: async () => undefined,
  },
  "a choice": {
    phase: "settled",
    begin: (waiting) => asks(waiting, callTool("ask", { question: "Which?", choices: ["this", "that"] }), ...probes),
    goOn: (waiting, id) => says(waiting, waiting.who, `/answer ${id} 1`),
  },
  "a process that tells its end": {
    phase: "settled",
    needsSandbox: true,
    async begin(waiting) {
      const start = { action: "start", command: "until [ -e go ]; do sleep 0.1; done", tell: true };
      await asks(waiting, callTool("process", start), say("It runs."), ...probes);
      const asked = await openCallOf(waiting);
      if (asked?.waitsFor === "approval") await approves(waiting, asked.id);
    },
    async goOn({ house, account, who }) {
      const files = join(house.folder, folderName(house.keyOf(from(account, who, ""))), "files");
      await mkdir(files, { recursive: true });
      await writeFile(join(files, "go"), "");
    },
  },
  "a worker that was killed": {
    phase: "running",
    isKilled: true,
    begin: (waiting) =>
      writes(waiting, callTool("todo", { steps: [{ id: "1", text: "look" }] }), [{ kind: "stall" }], ...probes),
    goOn: ({ house, account, who }) => house.queue.wakes.wake(house.keyOf(from(account, who, ""))),
  },
  "a model that is overloaded": {
    phase: "running",
    begin: (waiting) => writes(waiting, modelFault.rateLimited(3), ...probes),
    goOn: async () => undefined,
  },
  "words that nobody has read": {
    phase: "unread",
    isReadLater: true,
    begin: (waiting) => writes(waiting, ...probes),
    goOn: async () => undefined,
  },
  "an answer that is tried again": {
    phase: "settled",
    isReadLater: true,
    begin: (waiting) => asks(waiting, say(answer), ...probes),
    // A guest may not do so in a group, but somebody else may.
    goOn: ({ house, account, who }) =>
      house.tell(from(account, account.endsWith(inGroups) ? "ada" : who, "/retry", who)),
  },
};

export async function openCallOf({ house, account, who }: Waiting) {
  const [call] = await house.store.calls.waiting(house.keyOf(from(account, who, "")));
  return call;
}

/** Words of somebody in their own conversation with the agent; on some accounts in a group, to the agent. */
export function from(account: string, who: string, text: string, place = who) {
  const kind = account.endsWith(inGroups) && place !== "ada" ? "group" : "direct";
  return messageFrom({ account, from: who, name: who, conversation: `of-${place}`, kind, mentionsSelf: true, text });
}

async function writes({ house, plan, account, who, words }: Waiting, ...scripts: readonly ModelScript[]) {
  plan.plan(words, ...scripts);
  await house.receive(from(account, who, words));
}

async function asks(waiting: Waiting, ...scripts: readonly ModelScript[]): Promise<void> {
  await writes(waiting, ...scripts);
  await waiting.house.queue.work();
}

/** From elsewhere, the first command only shows the call. */
async function approves(waiting: Waiting, id: string): Promise<void> {
  for (let n = 0; n < 2; n += 1) await says(waiting, "ada", `/approve ${id}`);
}

async function says({ house, account }: Waiting, by: string, text: string): Promise<void> {
  await house.tell(from(account, by, text));
}
