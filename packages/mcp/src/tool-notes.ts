import { toolSpecs } from "@talaria/agent";
import { addressParameters } from "./call-addresses.ts";
import { namedTargets } from "./call-aim.ts";
import { isStdio, type McpServerConfig } from "./mcp-config.ts";
import type { McpTool } from "./mcp-tool.ts";
import { listedNames } from "./unknown-names.ts";
import { label } from "./untrusted.ts";

const mostNotes = 20;

/** What an operator who looks at a server's tools may want to know of them, at most some twenty lines. */
export function toolNotes(tools: readonly McpTool[], config: McpServerConfig): readonly string[] {
  const notes = [
    ...tools.filter(({ effect }) => effect === "read").flatMap(readNotes),
    ...admittedNotes(tools, config),
    ...targetNotes(tools, config),
    ...(isStdio(config) ? [] : unnamedNote(tools, config)),
  ];
  const more = notes.length - mostNotes;
  return more <= 0 ? notes : [...notes.slice(0, mostNotes), `and ${more} more`];
}

function readNotes(tool: McpTool): readonly string[] {
  const named = addressParameters(parametersOf(tool));
  if (named.length === 0) return [];
  return [
    `${label(tool.nameThere)} reads what ${listedNames(named)} says: the policy decides about that address as for web_fetch`,
  ];
}

function admittedNotes(tools: readonly McpTool[], { reads = [] }: McpServerConfig): readonly string[] {
  const names = tools
    .filter(({ isAdmitted, nameThere }) => isAdmitted && reads.includes(nameThere))
    .map(({ nameThere }) => nameThere);
  if (names.length === 0) return [];
  return [`${listedNames(names)} in reads counts as changing all the same: the server itself says that it does`];
}

/** A slip in a name costs questions, nothing else, so it would never be found. */
function targetNotes(tools: readonly McpTool[], config: McpServerConfig): readonly string[] {
  return Object.keys(config.targets ?? {}).flatMap((name) => {
    const tool = tools.find(({ nameThere }) => nameThere === name);
    if (tool === undefined) return [`targets names ${label(name)}, which is none of its tools`];
    const known = propertiesOf(tool);
    const wrong = namedTargets(name, config).filter((argument) => !known.includes(argument));
    return wrong.length === 0 ? [] : [`targets of ${label(name)}: it has no argument ${listedNames(wrong)}`];
  });
}

function unnamedNote(tools: readonly McpTool[], config: McpServerConfig): readonly string[] {
  const names = tools
    .filter((tool) => tool.effect === "write" && propertiesOf(tool).length > 0)
    .map(({ nameThere }) => nameThere)
    .filter((name) => namedTargets(name, config).length === 0);
  if (names.length === 0) return [];
  return [
    `after untrusted content nobody can agree to later calls of ${listedNames(names)}: name in targets the arguments that say whom they are for`,
  ];
}

function propertiesOf(tool: McpTool): readonly string[] {
  return Object.keys(parametersOf(tool).properties ?? {});
}

function parametersOf(tool: McpTool): Readonly<Record<string, unknown>> {
  return toolSpecs([tool])[0]?.parameters ?? {};
}
