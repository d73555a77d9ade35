import type { TalariaConfig } from "@talaria/config";

/** What keeps programs that are MCP servers from reading what `readable` names, a line each. None where they run elsewhere. */
export async function readableProblems({
  mcp: { servers },
  sandbox: { backend },
}: Pick<TalariaConfig, "mcp" | "sandbox">): Promise<readonly string[]> {
  if (backend !== "sandbox") return [];
  const named = Object.entries(servers).flatMap(([name, { readable }]) => readable.map((path) => ({ name, path })));
  if (named.length === 0) return [];
  const { folderProblem } = await import("@talaria/sandbox");
  const lines = named.map(async ({ name, path }) => {
    const problem = await folderProblem(path);
    return problem === undefined ? [] : [`mcp.servers.${name}.readable: ${path} ${problem}`];
  });
  return (await Promise.all(lines)).flat();
}
