import { definePlatform } from "@talaria/adapter";
import { slackConfigSchema } from "./config.ts";

export const platform = definePlatform({
  name: "slack",
  configSchema: slackConfigSchema,
  ids: { user: /^[UW][A-Z0-9]+$/, group: /^[CGD][A-Z0-9]+$/, example: "slack:user:U024BE7LH, slack:group:C024BE91L" },
  identityKey: "botToken",
  setup: {
    steps: [
      "Open https://api.slack.com/apps, Create New App, From a manifest: packages/adapters/slack/GUIDE.md has one to paste.",
      "Install it to your workspace and copy the Bot User OAuth Token (xoxb-...).",
      "Basic Information, App-Level Tokens: make one with the scope connections:write (xapp-...).",
    ],
    questions: [
      { key: "botToken", text: "Bot token (xoxb-...)", secret: true },
      { key: "appToken", text: "App token (xapp-...)", secret: true },
    ],
    // The manifest of the guide has an agent_view.
    settings: { agentView: true },
    greet: "Open your app in Slack and send it a direct message.",
  },
  hint: "Your answer is shown in Slack.",
  isDirect: (conversationId) => conversationId.startsWith("D"),
  load: async () => (await import("./adapter.ts")).createSlackAdapter,
});
