import { startDiscordServer } from "@talaria/adapter-discord/emulator";
import { startSlackServer } from "@talaria/adapter-slack/emulator";
import type { Installation } from "./installation.ts";
import { waitFor } from "./wait-for.ts";

/** A text of the agent, with its buttons by their labels. */
export interface Shown {
  readonly id: string;
  readonly text: string;
  readonly buttons: Readonly<Record<string, string>>;
}

/** A place where an owner and a guest talk to the agent. */
export interface Room {
  say(who: "owner" | "guest", text: string): Promise<unknown>;
  shown(): Promise<readonly Shown[]> | readonly Shown[];
  /** Throws where the platform shows that the button can't be pressed any more. */
  press(who: "owner" | "guest", question: Shown, label: string): Promise<unknown>;
}

/** A platform on which calls are approved by buttons. */
export interface ApprovalScene {
  readonly direct: Room;
  /** Absent where nobody but the operator writes. */
  readonly group?: Room;
  /** YAML: `owners` and `accounts`. */
  readonly config: string;
  /** Buttons that were pressed can't be pressed again. */
  readonly spendsButtons?: true;
  stop(): Promise<void>;
}

/** By platform. `installation` is there once a test runs. */
export const approvalScenes: Readonly<Record<string, (installation: () => Installation) => Promise<ApprovalScene>>> = {
  slack: slackScene,
  discord: discordScene,
  web: webScene,
};

/** The first text of the agent that matches. */
export function waitForText(room: Room, matches: RegExp): Promise<Shown> {
  return waitFor(
    async () => (await room.shown()).find(({ text }) => matches.test(text)),
    `a text like ${matches}`,
    60_000,
  );
}

async function slackScene(): Promise<ApprovalScene> {
  const slack = await startSlackServer({ redelivery: { pausesMs: [300, 1_000, 3_000, 9_000] } });
  const people = { owner: slack.user("ada"), guest: slack.user("mallory") };
  const roomOf = (place: ReturnType<typeof slack.channel>, mentionBot: boolean): Room => ({
    say: async (who, text) => place.say(people[who], text, { mentionBot }),
    shown: () => place.botMessages().map(({ ts, text, buttons }) => ({ id: ts, text, buttons: byLabel(buttons) })),
    press: async (who, { id, buttons }, label) => place.press(people[who], id, buttons[label] ?? label),
  });
  return {
    direct: roomOf(slack.direct(people.owner), false),
    group: roomOf(slack.channel("general"), true),
    config: `
owners: ["slack:user:${people.owner.id}"]
accounts:
  main:
    platform: slack
    botToken: "${slack.botToken}"
    appToken: "${slack.appToken}"
    apiRoot: "${slack.api}"
    access: { direct: open, groups: open }
    sessions: { groups: conversation }
`,
    spendsButtons: true,
    stop: () => slack.stop(),
  };
}

async function discordScene(): Promise<ApprovalScene> {
  const discord = await startDiscordServer();
  const people = { owner: discord.user("ada"), guest: discord.user("mallory") };
  const roomOf = (place: ReturnType<typeof discord.channel>, mentionBot: boolean): Room => ({
    say: async (who, text) => place.say(people[who], text, { mentionBot }),
    shown: () => place.botMessages().map(({ id, text, buttons }) => ({ id, text, buttons: byLabel(buttons) })),
    press: async (who, { id, buttons }, label) => place.press(people[who], id, buttons[label] ?? label),
  });
  return {
    direct: roomOf(discord.direct(people.owner), false),
    group: roomOf(discord.channel(discord.guild("Workshop"), "general"), true),
    config: `
owners: ["discord:user:${people.owner.id}"]
accounts:
  main:
    platform: discord
    token: "${discord.token}"
    apiRoot: "${discord.api}"
    access: { direct: open, groups: open }
    sessions: { groups: conversation }
`,
    spendsButtons: true,
    stop: () => discord.stop(),
  };
}

/** Whoever holds the token is the operator, an owner. */
async function webScene(installation: () => Installation): Promise<ApprovalScene> {
  const place = "approvals";
  return {
    direct: {
      say: (_, text) => installation().say(place, text),
      shown: async () =>
        (await installation().history(place))
          .filter(({ from }) => from === "agent")
          .map(({ id, markdown, choices = [], closed }) => {
            const left = choices.filter((choice) => !closed?.choices.includes(choice.id));
            return { id, text: [markdown, closed?.words].filter(Boolean).join("\n\n"), buttons: byLabel(left) };
          }),
      press: (_, { id, buttons }, label) => installation().press(place, id, buttons[label] ?? label),
    },
    config: "",
    stop: async () => undefined,
  };
}

function byLabel(buttons: readonly { readonly id: string; readonly label: string }[]): Shown["buttons"] {
  return Object.fromEntries(buttons.map(({ id, label }) => [label, id]));
}
