import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { type OfficeName, type OfficeTool, officeNames, officeShapes, type SeenCall } from "./office-shapes.ts";

const program = fileURLToPath(new URL("office-server-process.ts", import.meta.url));

/** Four MCP servers that are processes of their own, as an operator has connected and trusts them. */
export class Office implements AsyncDisposable {
  readonly #children = new Map<OfficeName, ChildProcess>();
  readonly #urls = new Map<OfficeName, string>();

  static async start(): Promise<Office> {
    const office = new Office();
    const begin = async (name: OfficeName) => {
      const child = fork(program, [name]);
      office.#children.set(name, child);
      const [url] = (await once(child, "message")) as [string];
      office.#urls.set(name, url);
    };
    await Promise.all(officeNames.map(begin));
    return office;
  }

  /** As YAML. */
  get config(): string {
    const servers = officeNames.map((name) => {
      const { tools, targets } = officeShapes[name];
      const reads = Object.entries<OfficeTool>(tools).flatMap(([tool, { finds }]) =>
        finds === undefined ? [] : [tool],
      );
      return [name, { url: this.#urls.get(name), reads, targets }];
    });
    const trusted = [...this.#urls.values()].map((url) => new URL(url).origin);
    return `mcp: ${JSON.stringify({ servers: Object.fromEntries(servers) })}\npolicy: ${JSON.stringify({ trusted })}`;
  }

  show(name: OfficeName, id: string, text: string): void {
    this.#children.get(name)?.send({ id, text });
  }

  /** What has reached the servers of calls that change something, since this was asked last: sorted, with their arguments. */
  async news(): Promise<readonly string[]> {
    const all = [...this.#children.values()].map(async (child) => {
      child.send("what was called?");
      const [seen] = (await once(child, "message")) as [readonly SeenCall[]];
      return seen.map(({ tool, input }) => `${tool} ${JSON.stringify(input)}`);
    });
    return (await Promise.all(all)).flat().sort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(
      [...this.#children.values()].map((child) => {
        const exited = once(child, "exit");
        child.disconnect();
        return exited;
      }),
    );
  }
}
