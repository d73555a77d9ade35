import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:net";

/** The port the server had last time if it is free, so that clients survive a restart; else any free one. */
export async function choosePort(portFile: string): Promise<number> {
  const last = Number(await readFile(portFile, "utf8").catch(() => "0"));
  const port =
    Number.isInteger(last) && last > 0 && last < 65_536 && (await bind(last)) !== undefined ? last : await bind(0);
  if (port === undefined) throw new Error("the system gives no free port on 127.0.0.1");
  return port;
}

export async function rememberPort(portFile: string, port: number): Promise<void> {
  await writeFile(portFile, String(port), { mode: 0o600 });
}

function bind(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(undefined));
    server.listen({ host: "127.0.0.1", port, exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(address !== null && typeof address === "object" ? address.port : undefined));
    });
  });
}
