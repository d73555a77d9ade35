import { baseAddress, pace, revealedSecret } from "@talaria/adapter-kit/settings";
import { z } from "zod";

const botToken = z
  .string()
  .regex(/^xoxb-[\w-]+$/, "is not a bot token: it begins with xoxb- and is on the page OAuth & Permissions");
const appToken = z
  .string()
  .regex(/^xapp-[\w-]+$/, "is not an app-level token: it begins with xapp- and is on the page Basic Information");
const signingSecret = z
  .string()
  .regex(/^[0-9a-f]{32}$/, "is not a signing secret: 32 hexadecimal digits from the page Basic Information");

export const slackConfigSchema = z
  .strictObject({
    /** The bot's token from the page OAuth & Permissions. */
    botToken: revealedSecret(botToken),
    /** Socket Mode: an app-level token with `connections:write`. */
    appToken: revealedSecret(appToken).optional(),
    /** HTTP mode: events are posted to `/platforms/<account>` of this gateway. */
    signingSecret: revealedSecret(signingSecret).optional(),
    /** Base address of the Web API, for a proxy or a test. */
    apiRoot: baseAddress.transform((url) => `${url}/`).default("https://slack.com/api/"),
    /** The slash command whose text is for us, as the app's manifest names it. */
    command: z
      .string()
      .regex(/^\/[a-z0-9_-]{1,32}$/, "has to be a slash, then lower-case letters, digits, dashes")
      .default("/talaria"),
    /** A message in a channel that addresses us begins a thread, and the answer goes there. */
    answerInThread: z.boolean().default(false),
    /**
     * The app's manifest has an `agent_view`, as every new app's has: answers to direct messages go into threads, and Slack shows
     * sessions with a title, a status and a button that stops them.
     */
    agentView: z.boolean().default(false),
    /** Shown below a thread while an answer is being made. */
    status: z.string().min(1).max(50).default("is thinking..."),
    /** Rate limit per conversation; sends and edits count. */
    pace: pace(2, 1_000),
    /** Shortest pause between two updates of a growing reply. */
    updateIntervalMs: z.int().min(0).default(1_200),
    /** A socket on which Slack is silent for this long is replaced. */
    pingTimeoutMs: z.int().min(100).max(60_000).default(5_000),
  })
  .refine(({ appToken, signingSecret }) => (appToken === undefined) !== (signingSecret === undefined), {
    message: "set either appToken (Socket Mode) or signingSecret (HTTP)",
    path: ["appToken"],
  });

export type SlackConfig = z.output<typeof slackConfigSchema>;
