import { createHash } from "node:crypto";
import {
  type CommandResult,
  defineTool,
  type Tool,
  type ToolContext,
  type ToolResult,
  type Workspace,
} from "@talaria/agent";
import { GatewayError } from "@talaria/protocol";
import { z } from "zod";
import {
  checkRequesters,
  commandSecretTargets,
  namesOf,
  type SecretHandle,
  secretsNamed,
  shownSecrets,
  type UsableSecrets,
} from "../secrets/secret-handle.ts";
import { commandTargets, foreignIf, networkInput, networkNotes } from "../terminal/command-network.ts";
import { endText, plainOutput, whereIsAll } from "../terminal/command-report.ts";
import { letGoOf } from "../terminal/let-go.ts";
import { workspaceOf } from "../workspace-of.ts";
import { Requests } from "./answer-requests.ts";
import { languages } from "./languages.ts";
import { OutputReader } from "./output-reader.ts";

const mostCalls = 50;
const mostCodeChars = 100_000;
const defaultSeconds = 120;
const longestSeconds = 300;
/** Of output that nobody reads but through the reader. */
const maxOutputChars = 10_000;

/** What may leave something behind that another call could want to find. */
const settling =
  /write|open\(|dump|save|to_[a-z]+\(|mkdir|rename|unlink|remove|rm\b|move|copy|edit_file|subprocess|system|exec|spawn|import\(/i;

interface Asked {
  readonly language: keyof typeof languages;
  readonly code: string;
  readonly timeoutSeconds: number;
  readonly network?: readonly string[] | undefined;
  readonly secrets?: readonly string[] | undefined;
}

/**
 * Runs a script in the workspace, behind the same boundary as the terminal, that may call tools itself. With hosts that it names, or with
 * secrets of `usable`, it has a network of its own, as a command has.
 */
export function createExecuteCode(usable: readonly SecretHandle[] = []): Tool {
  return defineTool({
    name: "execute_code",
    description:
      "Runs a script in the workspace that can call tools itself, for many calls or results too large to read: only what it prints " +
      'reaches you. Python: call("read_file", path="a.txt"). Node.js module: await call("read_file", {path: "a.txt"}). They return text ' +
      `or throw ToolError. At most ${mostCalls} calls, none that ask people.`,
    effect: "write",
    isRare: true,
    permissions: ["exec"],
    makesCalls: true,
    timeoutMs: (longestSeconds + 30) * 1_000,
    input: inputWith(usable),
    // Calls that it makes are calls of its turn.
    canBeLetGo: ({ code, secrets = [] }) => secrets.length === 0 && !/\bcall\b/.test(code),
    leavesNothing: ({ code }) => !settling.test(code),
    targets: ({ code, network, secrets = [] }) => [
      ...commandTargets(code, network),
      ...commandSecretTargets(secretsNamed(secrets, usable)),
    ],
    async execute(asked, context) {
      checkRequesters(secretsNamed(asked.secrets ?? [], usable), context);
      const workspace = workspaceOf(context);
      const { call, idempotencyKey, signal } = context;
      if (call === undefined) throw new GatewayError("code can't be run from code", { code: "unsupported" });
      const mark = createHash("sha256").update(idempotencyKey).digest("hex").slice(0, 32);
      const folder = `${workspace.folder}/.calls-${mark.slice(0, 12)}`;
      const clear = async () => {
        const options = { timeoutMs: 10_000, signal: AbortSignal.timeout(10_000), maxOutputChars: 100 };
        await workspace.exec({ command: ["rm", "-rf", folder] }, options).catch(() => undefined);
      };
      let goesOn: Promise<unknown> | undefined;
      const inTurn: Run["call"] = async (name, args) => (goesOn === undefined ? await call(name, args) : tooLate(name));
      try {
        const { result, goesOnAs } = await runCode(asked, workspace, { call: inTurn, folder, mark, signal, context });
        goesOn = workspace.processes().find(({ id }) => id === goesOnAs)?.ended;
        return result;
      } finally {
        if (goesOn === undefined) await clear();
        else void goesOn.then(clear);
      }
    },
  });
}

function inputWith([first, ...others]: readonly SecretHandle[]): z.ZodType<Asked> {
  const plain = z.strictObject({
    language: z.enum(["python", "node"]),
    code: z.string().min(1).max(mostCodeChars),
    timeoutSeconds: z.int().min(1).max(longestSeconds).default(defaultSeconds),
    network: networkInput.describe("As in terminal"),
  });
  if (first === undefined) return plain;
  const usable: UsableSecrets = [first, ...others];
  const words =
    "The environment has a handle for each, TALARIA_SECRET_<NAME>, which becomes the secret in that header of a request to its host. " +
    `Available: ${shownSecrets(usable)}.`;
  return plain.extend({
    secrets: z
      .array(z.enum(namesOf(usable)))
      .max(usable.length)
      .optional()
      .describe(words),
  });
}

/** Its turn may be over. */
function tooLate(name: string): Awaited<ReturnType<Run["call"]>> {
  const content = "Error: not run: the code goes on in the background, where it makes no calls.";
  return { kind: "tool.result", callId: "", name, content, isError: true };
}

interface Run extends Pick<ToolContext, "signal"> {
  readonly call: NonNullable<ToolContext["call"]>;
  readonly folder: string;
  readonly mark: string;
  readonly context: ToolContext;
}

async function runCode(
  { language, code, timeoutSeconds, network = [], secrets = [] }: Asked,
  workspace: Workspace,
  { call, folder, mark, signal, context }: Run,
): Promise<{ readonly result: ToolResult } & Pick<CommandResult, "goesOnAs">> {
  const { file, client, command } = languages[language];
  await workspace.write(`${folder}/${client.file}`, Buffer.from(client.text, "utf8"));
  await workspace.write(`${folder}/${file}`, Buffer.from(code, "utf8"));
  const requests = new Requests(workspace, folder, call);
  const reader = new OutputReader(mark, (number) => void requests.answer(number, mostCalls));
  const result = await workspace.exec(
    { command: command(folder), variables: { CALL_FOLDER: folder, CALL_MARK: mark }, network, secrets },
    {
      timeoutMs: timeoutSeconds * 1_000,
      ...{ signal, maxOutputChars, whole: (text) => reader.add(text) },
      ...(context.letGo && { letGo: context.letGo }),
    },
  );
  const { end, durationMs, outputFile } = result;
  const { text, leftOut } = reader.end();
  const calls = requests.made === "" ? "" : `; it called ${requests.made}`;
  const all = leftOut > 0 ? whereIsAll(outputFile) : "";
  const did = [{ kind: "ran", command: `${language} script`, end: endText(end) } as const];
  const letGo = letGoOf(result, context);
  const content = [
    report(plainOutput(text), end, durationMs, `${calls}${all}`),
    ...(letGo === undefined ? [] : [letGo.note]),
    ...networkNotes(result.network, network),
  ].join("\n");
  const later = letGo && { later: letGo.later };
  return {
    result: { content, did, ...foreignIf(result.network), ...requests.traces, ...later },
    ...(result.goesOnAs !== undefined && { goesOnAs: result.goesOnAs }),
  };
}

function report(printed: string, end: CommandResult["end"], durationMs: number, calls: string): string {
  return `${printed.trim() === "" ? "(nothing printed)" : printed.trim()}\n[${endText(end)}, after ${(durationMs / 1_000).toFixed(1)} s${calls}]`;
}
