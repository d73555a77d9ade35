import { isIP } from "node:net";
import { z } from "zod";
import type { Issue } from "./issue.ts";
import { checkOwners } from "./owners.ts";
import type { Platforms } from "./platform-rules.ts";
import { suggestName } from "./suggest.ts";

/** The few keys that depend on each other, read leniently: errors elsewhere in the file must not hide errors here. */
const glanceSchema = z.object({
  owners: z.array(z.string()).catch([]),
  gateway: z.object({ host: z.string() }).catch({ host: "127.0.0.1" }),
  auth: z.object({ token: z.unknown() }).catch({ token: undefined }),
  agent: z
    .object({
      model: z.string().catch("main"),
      notesModel: z.string().optional().catch(undefined),
      memberModels: z.array(z.string()).catch([]),
    })
    .catch({ model: "main", notesModel: undefined, memberModels: [] }),
  memory: z.object({ pass: z.object({ model: z.string() }).optional().catch(undefined) }).catch({ pass: undefined }),
  models: z
    .record(z.string(), z.object({ fallbacks: z.array(z.string()).catch([]) }).catch({ fallbacks: [] }))
    .catch({}),
});

type Glance = z.output<typeof glanceSchema>;

/** Checks keys of the base that depend on each other. The rest of the base may be invalid. */
export function checkBase(base: unknown, platforms?: Platforms): readonly Issue[] {
  const glance = glanceSchema.parse(base);
  return [...checkHost(glance), ...checkModelNames(glance), ...checkOwners(glance.owners, platforms)];
}

function checkHost({ gateway, auth }: Glance): readonly Issue[] {
  if (isLoopback(gateway.host) || auth.token !== undefined) return [];
  return [
    {
      path: ["gateway", "host"],
      message: "listening beyond loopback needs auth.token",
      suggestion: "set auth.token, or use 127.0.0.1",
    },
  ];
}

function isLoopback(host: string): boolean {
  if (host === "localhost" || host === "::1") return true;
  return isIP(host) === 4 && host.startsWith("127.");
}

function checkModelNames({ models, agent, memory }: Glance): readonly Issue[] {
  const names = Object.keys(models);
  const issues = Object.entries(models).flatMap(([name, { fallbacks }]) =>
    fallbacks.flatMap((fallback, index) => {
      const path = ["models", name, "fallbacks", index];
      if (fallback === name) return [{ path, message: "a model cannot fall back to itself" }];
      return checkName(fallback, names, path);
    }),
  );
  const notes = agent.notesModel === undefined ? [] : checkName(agent.notesModel, names, ["agent", "notesModel"]);
  const pass = memory.pass === undefined ? [] : checkName(memory.pass.model, names, ["memory", "pass", "model"]);
  const chosen = agent.memberModels.flatMap((name, index) => checkName(name, names, ["agent", "memberModels", index]));
  return [...checkName(agent.model, names, ["agent", "model"]), ...notes, ...pass, ...chosen, ...issues];
}

function checkName(name: string, names: readonly string[], path: Issue["path"]): Issue[] {
  if (names.includes(name)) return [];
  const suggestion = suggestName(name, names);
  const message = `there is no entry "${name}" in models`;
  return [suggestion === undefined ? { path, message } : { path, message, suggestion }];
}
