import { App } from "@slack/bolt";
import type { Log } from "@talaria/protocol";
import { quiet, type SlackClient } from "./client.ts";
import type { Intake } from "./intake.ts";
import { type Arrival, DurableReceiver } from "./receiver.ts";
import type { Unreadable } from "./unreadable.ts";

export interface BoltDeps {
  readonly botToken: string;
  readonly client: SlackClient;
  readonly log: Log;
  readonly unreadable: Pick<Unreadable, "note">;
  readonly intake: Pick<
    Intake,
    | "self"
    | "message"
    | "mention"
    | "reaction"
    | "opened"
    | "home"
    | "viewed"
    | "assistantViewed"
    | "stopped"
    | "titled"
    | "command"
    | "press"
  >;
  /** The slash commands that are listened to, each with its slash. */
  readonly commands: Iterable<string>;
}

export interface Bolt {
  readonly app: App<Arrival>;
  readonly receiver: DurableReceiver;
}

/**
 * A Bolt app whose listeners hand over to the intake. Nothing reaches them before `app.start()`; what they reject
 * comes out of the receiver unchanged. Does no I/O: who we are is known from the connection, so Bolt never asks.
 */
export function createBolt({ botToken, client, log, unreadable, intake, commands }: BoltDeps): Bolt {
  const receiver = new DurableReceiver(unreadable);
  const app = new App<Arrival>({
    receiver,
    authorize: async () => {
      const { bot_id: botId, user_id: botUserId, team_id: teamId } = intake.self();
      // With a team of its own in each answer, Bolt keeps one client and not one for every team that a body names.
      return { botToken, botUserId, teamId, ...(botId === undefined ? {} : { botId }) };
    },
    socketMode: false,
    developerMode: false,
    // Our own words are recognised in the conversion, and Bolt would remember every conversation.
    ignoreSelf: false,
    convoStore: false,
    logger: quiet(log),
    clientOptions: { ...client.options },
  });
  listen(app, intake);
  for (const name of new Set(commands))
    app.command(name, ({ body, context }) => arriving(context, intake.command(body)));
  // Bolt wraps errors without a code. What is thrown here rejects `processEvent`.
  app.error(async (error) => {
    throw error.original ?? error;
  });
  return { app, receiver };
}

function listen(app: App<Arrival>, intake: BoltDeps["intake"]): void {
  app.message(({ body, context }) => arriving(context, intake.message(body)));
  app.event("app_mention", ({ body, context }) => arriving(context, intake.mention(body)));
  app.event("reaction_added", ({ body, context }) => arriving(context, intake.reaction(body, "reaction.added")));
  app.event("reaction_removed", ({ body, context }) => arriving(context, intake.reaction(body, "reaction.removed")));
  app.event("assistant_thread_started", ({ body, context }) => arriving(context, intake.opened(body)));
  app.event("app_context_changed", ({ body, context }) => arriving(context, intake.viewed(body)));
  app.event("assistant_thread_context_changed", ({ body, context }) => arriving(context, intake.assistantViewed(body)));
  app.event("app_home_opened", ({ body, context }) => arriving(context, intake.home(body)));
  app.event("agent_session_stopped", ({ body, context }) => arriving(context, intake.stopped(body)));
  app.event("agent_session_title_changed", ({ body, context }) => arriving(context, intake.titled(body)));
  app.action({ type: "block_actions" }, ({ body, context }) => arriving(context, intake.press(body)));
}

/** The intake has queued what it was given when its call returns; the next one may come. */
function arriving({ arrived }: Arrival, work: Promise<void>): Promise<void> {
  arrived();
  return work;
}
