import { platformNames } from "@talaria/platforms";
import { program } from "commander";
import { lazily } from "./lazily.ts";
import { addModelCommands } from "./model-commands.ts";
import { addOperatorCommands } from "./operator-commands.ts";
import { withShortWords } from "./shown-word.ts";
import { addSkillCommands } from "./skill-commands.ts";
import { version } from "./version.ts";

program
  .name("talaria")
  .version(`talaria ${version}`, "-V, --version", "print the version")
  .description("A messaging gateway for AI agents: one agent, every place where people talk.")
  .option("--home <dir>", "data folder (default: TALARIA_HOME or ~/.talaria)")
  .option("--config <file>", "configuration file (default: TALARIA_CONFIG or config.yaml in the data folder)")
  .configureOutput({ outputError: (text, write) => write(withShortWords(text.replace(/^error: /, "talaria: "))) })
  .showSuggestionAfterError(true);

program
  .command("start")
  .description("run everything on this machine: database, gateway, workers")
  .action(lazily(async () => (await import("./start/start.ts")).start));

program
  .command("gateway")
  .description("run one gateway of a fleet")
  .action(lazily(async () => (await import("./commands/gateway.ts")).gateway));

program
  .command("worker")
  .description("run one worker of a fleet")
  .action(lazily(async () => (await import("./commands/worker.ts")).worker));

program
  .command("migrate")
  .description("bring the database up to date; safe to run at any time")
  .action(lazily(async () => (await import("./commands/migrate.ts")).migrateDatabase));

program
  .command("check")
  .description("check configuration and secrets without starting anything")
  .action(lazily(async () => (await import("./commands/check.ts")).check));

program
  .command("setup")
  .argument("[platform]", `${platformNames.join(", ")}, model or sandbox (default: one after the other)`)
  .description(
    "ask for the keys of an account or a model, prove that it works, write the configuration; or try where commands run, and mend it",
  )
  .option("--account <name>", "name of the account (default: <platform>-main)")
  .option("--name <name>", "name of the model's entry (default: main)")
  .option(
    "--set <key=value,...>",
    "answers, and further keys of the account such as apiRoot",
    (more, before?: string) => (before === undefined ? more : `${before},${more}`),
  )
  .option("--no-proof", "write without connecting")
  .option("--yes", "run what mends the sandbox without asking")
  .action(lazily(async () => (await import("./commands/setup.ts")).setup));

program
  .command("status")
  .description("accounts, workers, queue depth, stuck sessions")
  .option("--json", "print JSON")
  .action(lazily(async () => (await import("./commands/status.ts")).status));

program
  .command("usage")
  .description("tokens, cache hits and cost of models")
  .option(
    "--by <what>",
    "day, person, model, purpose, account, conversation, session, turn or total (default: day; of one day: person)",
  )
  .option("--days <count>", "how far back (default: 30)")
  .option("--yesterday", "all of yesterday, in the time zone of this machine or TZ")
  .option("--day <date>", "all of one day, such as 2026-11-22")
  .option("--account <name>", "this account alone")
  .option("--person <account/id>", "this person alone, as `--by person` shows them")
  .option("--limit <count>", "lines, at most", "50")
  .option("--json", "print JSON; cost in millionths of the currency")
  .action(lazily(async () => (await import("./commands/usage.ts")).usage));

program
  .command("trace")
  .argument("[id]", "event, message or turn id")
  .option("--last <count>", "without an id: what became of so many messages, in words (default: 20)")
  .option("--person <who>", "those of one person alone: name, id or <account>/<id>")
  .option("--conversation <which>", "those in one conversation alone: title, id or <account>/<id>")
  .description("the whole life of one message, or what became of the last ones")
  .option("--json", "print JSON")
  .action(lazily(async () => (await import("./commands/trace.ts")).trace));

program
  .command("why")
  .argument("[who]", "person or conversation: name, id or <account>/<id> (default: all)")
  .option("--last <count>", "how many messages", "10")
  .option("--json", "print JSON")
  .description("why somebody got no answer: what became of the last messages, in words")
  .action(lazily(async () => (await import("./commands/why.ts")).why));

program
  .command("retry")
  .argument("<session>", "session as shown by `status`")
  .description(
    "try a session again that was given up since its workers kept failing, and send again its answers that were given up",
  )
  .action(lazily(async () => (await import("./commands/retry.ts")).retry));

program
  .command("verify")
  .description(
    "talk to the running installation, harm it meanwhile, count what is lost, duplicated, reordered, run twice",
  )
  .option("--conversations <count>", "how many at the same time", "20")
  .option("--messages <count>", "how many in each", "10")
  .option("--wait <seconds>", "how long answers may take after the last message", "180")
  .option("--commands", "ask for a command in each message, and count those that run twice or without a result")
  .option("--dose <harm>", "which harm: see docs/operations.md", "kill")
  .option("--blows <count>", "how often something is struck that is struck again and again", "5")
  .option("--away <seconds>", "how long something is away that is away once", "40")
  .option("--no-kill", "do no harm")
  .option("--yes", "spend the model calls without asking")
  .action(lazily(async () => (await import("./commands/verify.ts")).verify));

const people = program.command("people").description("who may talk to the agent, and who asks to");
people
  .command("list", { isDefault: true })
  .option("--json", "print JSON")
  .description("owners, people in the configuration, people who were let in, and those who wait")
  .action(lazily(async () => (await import("./commands/people.ts")).list));
for (const [verb, takes, does] of [
  [
    "add",
    "the code the person was shown, an id or number from `people`, or <account>/<id> of anybody",
    "let a person in",
  ],
  [
    "ignore",
    "id, number or name from `people`, or all who wait",
    "answer nothing to a person who waits, and ask again after a day",
  ],
  [
    "block",
    "id, number or name from `people`, or all who wait",
    "answer nothing to a person, until they are removed from this list",
  ],
  ["remove", "id, number or name from `people`", "take a person's access away, or forget what was decided about them"],
] as const)
  people
    .command(verb)
    .argument("<who>", takes)
    .description(does)
    .action(lazily(async () => (await import("./commands/people.ts")).decide(verb)));

const pair = program.command("pair").description("as `people`, for those who asked: kept for scripts");
pair
  .command("list")
  .option("--json", "print JSON")
  .description("people who are waiting and people who were approved")
  .action(lazily(async () => (await import("./commands/pair.ts")).list));
pair
  .command("approve")
  .argument("<code, id or number>", "the code the person was shown, or the id or number as shown by `pair list`")
  .description("let a person in")
  .action(lazily(async () => (await import("./commands/pair.ts")).approve));
pair
  .command("revoke")
  .argument("<who>", "id, number or name as shown by `pair list`")
  .description("revoke a person's access")
  .action(lazily(async () => (await import("./commands/pair.ts")).revoke));

const groups = program
  .command("groups")
  .option("--json", "print JSON")
  .description("groups that are answered, and those where somebody wrote in vain")
  .action(lazily(async () => (await import("./commands/groups.ts")).list));
groups
  .command("allow")
  .argument("<group>", "id as shown by `groups`, or <account>/<id>")
  .description("answer in a group from now on")
  .action(lazily(async () => (await import("./commands/groups.ts")).allow));
groups
  .command("remove")
  .argument("<group>", "id as shown by `groups`, or <account>/<id>")
  .description("answer in a group no longer, and end what runs there")
  .action(lazily(async () => (await import("./commands/groups.ts")).remove));

const mcp = program.command("mcp").description("our tools over MCP, and logins to MCP servers");
mcp
  .command("serve")
  .description("let a program use our tools over MCP, on standard input and output; TALARIA_TOKEN says which one it is")
  .action(lazily(async () => (await import("./commands/mcp-serve.ts")).mcpServe));
mcp
  .command("check")
  .argument("[server]", "its name in the configuration (default: all of them)")
  .description("connect to MCP servers as a worker does, and say what came of it")
  .action(lazily(async () => (await import("./commands/mcp.ts")).checkMcp));
mcp
  .command("login")
  .argument("<server>", "its name in the configuration")
  .option("--anew", "also where the login that there is would do, as for another account")
  .description("log in to an MCP server, in a browser or by a code")
  .action(lazily(async () => (await import("./commands/mcp.ts")).login));
mcp
  .command("logout")
  .argument("<server>", "its name in the configuration")
  .description("forget what a login to an MCP server gave")
  .action(lazily(async () => (await import("./commands/mcp.ts")).logout));

const mcpToken = mcp.command("token").description("tokens of programs that use our tools at /mcp of the gateway");
mcpToken
  .command("create")
  .argument("<name>", "a name of your choice: 1 to 32 letters, digits or `-`")
  .option("--role <role>", "the rights of its calls: owner, member or guest", "guest")
  .description("make a token and print it, once")
  .action(lazily(async () => (await import("./commands/mcp-token.ts")).create));
mcpToken
  .command("list")
  .option("--json", "print JSON")
  .description("names, roles, and when each token was used last")
  .action(lazily(async () => (await import("./commands/mcp-token.ts")).list));
mcpToken
  .command("revoke")
  .argument("<name>", "its name as shown by `mcp token list`")
  .description("end a token; answers that it is being given are cut off")
  .action(lazily(async () => (await import("./commands/mcp-token.ts")).revoke));

addModelCommands(program);
addSkillCommands(program);

const policy = program.command("policy").description("what tools may do");
policy
  .command("explain")
  .argument("<tool>", "name of a tool, built in or not")
  .description("who may use a tool, and which rule says so")
  .option("--as <role>", "owner, member, guest or unverified", "member")
  .option("--in <place>", "direct, group or webhook", "direct")
  .option("--target <target>", "address, command, recipient or path")
  .option("--permission <names>", "what a tool touches that is not built in, with commas between them")
  .option("--network <hosts>", "hosts that its command names, with commas between")
  .option("--outward", "it sends a body, runs with network, or writes to another conversation")
  .option("--outside", "it leaves the workspace or the sandbox")
  .option("--tainted", "untrusted content has entered the session")
  .option("--json", "print JSON")
  .action(lazily(async () => (await import("./commands/policy.ts")).explainTool));

addOperatorCommands(program);

await program.parseAsync();
