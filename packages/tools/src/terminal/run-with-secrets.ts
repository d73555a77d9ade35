import { defineTool, type Tool } from "@talaria/agent";
import { z } from "zod";
import {
  checkRequesters,
  commandSecretTargets,
  namesOf,
  secretsNamed,
  shownSecrets,
  type UsableSecrets,
} from "../secrets/secret-handle.ts";
import { workspaceOf } from "../workspace-of.ts";
import { commandTargets, networkInput, networkNotes } from "./command-network.ts";
import { endText, plainOutput } from "./command-report.ts";

const defaultSeconds = 60;
const longestSeconds = 600;
const outputChars = 16_000;

/** Runs a command that may use secrets: `usable`, of which there is at least one. */
export function createRunWithSecrets(usable: UsableSecrets): Tool {
  const names = namesOf(usable);
  return defineTool({
    name: "run_with_secrets",
    description:
      "Runs one bash command in the workspace that can use secrets without seeing them, in a shell and a network of its own. " +
      "$TALARIA_SECRET_<NAME> holds a handle that becomes the secret on its way to the secret's host, and is worthless elsewhere or " +
      `afterwards: curl -H "Authorization: Bearer $TALARIA_SECRET_${names[0].toUpperCase()}" https://...; for git, the handle is the ` +
      "password in an https address. Name only the secrets that the command needs; use terminal for everything else. Available: " +
      `${shownSecrets(usable)}. You read at most ${outputChars} characters of output.`,
    effect: "write",
    permissions: ["exec", "secret"],
    timeoutMs: (longestSeconds + 15) * 1_000,
    input: z.strictObject({
      command: z.string().min(1).max(50_000).describe("May have several lines."),
      secrets: z.array(z.enum(names)).min(1).max(names.length),
      timeoutSeconds: z.int().min(1).max(longestSeconds).default(defaultSeconds),
      network: networkInput.describe("Hosts it needs besides those of its secrets."),
    }),
    targets: ({ command, secrets, network }) => [
      ...commandTargets(command, network),
      ...commandSecretTargets(secretsNamed(secrets, usable)),
    ],
    async execute({ command, secrets, timeoutSeconds, network = [] }, context) {
      checkRequesters(secretsNamed(secrets, usable), context);
      const {
        output,
        end,
        durationMs,
        leftOut,
        network: use,
      } = await workspaceOf(context).exec(
        { command, secrets, network },
        { timeoutMs: timeoutSeconds * 1_000, signal: context.signal, maxOutputChars: outputChars },
      );
      const shown = plainOutput(output);
      const notes = [
        `[${endText(end)}, after ${(durationMs / 1_000).toFixed(1)} s]`,
        ...(leftOut > 0 ? [`[${leftOut} characters from the middle of the output are left out]`] : []),
        ...networkNotes(use, network),
      ];
      return {
        content: [shown === "" ? "(no output)" : shown, ...notes].join("\n"),
        did: [{ kind: "ran", command, end: endText(end) }],
        details: { end, durationMs, leftOut },
      };
    },
  });
}
