import type { Command } from "commander";
import { lazily } from "./lazily.ts";

/** The commands about the models of the configuration. */
export function addModelCommands(program: Command): void {
  const model = program.command("model").description("the models of the configuration, and logins to those of a plan");
  model
    .command("list", { isDefault: true })
    .option("--json", "print JSON")
    .description("name, provider, window and price of each; * marks the one that the agent uses")
    .action(lazily(async () => (await import("./commands/model-list.ts")).listConfigured));
  model
    .command("use")
    .argument("<name>", "its name in the configuration")
    .description("have the agent use another one; a running Talaria takes it into use within seconds")
    .action(lazily(async () => (await import("./commands/model-use.ts")).useConfigured));
  model
    .command("test")
    .argument("[name]", "its name in the configuration (default: the one that the agent uses)")
    .description("have it call a tool and answer, and say what is wrong and what mends it: two small requests")
    .action(lazily(async () => (await import("./commands/model-test.ts")).testConfigured));
  model
    .command("login")
    .argument("[login]", "its name, or that of a model in the configuration", "chatgpt")
    .description("log in with ChatGPT, in a browser, so that models can be asked with its plan")
    .action(lazily(async () => (await import("./commands/model.ts")).loginModel));
  model
    .command("logout")
    .argument("[login]", "its name, or that of a model in the configuration", "chatgpt")
    .option("--forget", "forget the account and the registration of this installation too")
    .description("forget what a login gave, and tell the provider so")
    .action(lazily(async () => (await import("./commands/model.ts")).logoutModel));
}
