import { createServer } from "node:net";

const names = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"];

/** Until it is disposed, the environment names a proxy on this machine. `asked` counts connections to it, whatever their protocol. */
export async function environmentProxy(environment: Record<string, string | undefined>) {
  let asked = 0;
  const server = createServer((socket) => {
    asked += 1;
    socket.on("error", () => undefined).destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { readonly port: number };
  const before = names.map((name) => [name, environment[name]] as const);
  for (const name of names) environment[name] = `http://127.0.0.1:${port}`;
  const close = async () => {
    for (const [name, value] of before) {
      if (value === undefined) delete environment[name];
      else environment[name] = value;
    }
    await new Promise((resolve) => server.close(resolve));
  };
  return { asked: () => asked, [Symbol.asyncDispose]: close };
}
