import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** What `/report.bin` is: no text. */
export const report = Buffer.from(Array.from({ length: 50_000 }, (_, index) => (index * index) % 251));

/** Places that programs install from. Each keeps what it is asked, as `host path`. */
export interface Registries {
  readonly port: number;
  readonly asked: string[];
  close(): Promise<void>;
}

/**
 * One server for all: `/simple/` of Python with the package `hello-talaria`, `/npm/` of Node.js with the same, `/git/hello.git`. What the
 * index of Python names lies at `files`; `/away` leads to `elsewhere`; `/report.bin` is a file to be kept. Made in `folder` by Python,
 * tar and git themselves. `hear` is told what is asked, too. Default: any port of 127.0.0.1.
 */
export async function startRegistries(
  folder: string,
  hosts: { readonly files: string; readonly elsewhere: string },
  at: { readonly host?: string; readonly port?: number; readonly hear?: (line: string) => void } = {},
): Promise<Registries> {
  const [wheel, tarball] = await Promise.all([makeWheel(folder), makeTarball(folder), makeRepository(folder)]);
  const asked: string[] = [];
  const server: Server = createServer(({ url = "", headers }, response) => {
    asked.push(`${headers.host} ${url}`);
    at.hear?.(`${headers.host} ${url}`);
    const bound = (server.address() as AddressInfo).port;
    const port = bound === 80 ? "" : `:${bound}`;
    const path = url.split("?")[0] ?? "";
    const send = (type: string, body: string | Buffer) => response.writeHead(200, { "content-type": type }).end(body);
    if (path === "/simple/hello-talaria/")
      return send("text/html", `<a href="http://${hosts.files}${port}/files/${wheel.name}">${wheel.name}</a>`);
    if (path === `/files/${wheel.name}`) return send("application/octet-stream", wheel.bytes);
    if (path === "/npm/hello-talaria") {
      const dist = { tarball: `http://${headers.host}/npm/hello.tgz`, integrity: tarball.integrity };
      const versions = { "1.0.0": { name: "hello-talaria", version: "1.0.0", dist } };
      const about = { name: "hello-talaria", "dist-tags": { latest: "1.0.0" }, versions };
      return send("application/json", JSON.stringify(about));
    }
    if (path === "/npm/hello.tgz") return send("application/octet-stream", tarball.bytes);
    if (path === "/away") return response.writeHead(302, { location: `http://${hosts.elsewhere}${port}/there` }).end();
    if (path === "/report.bin") {
      response.setHeader("content-disposition", 'attachment; filename="report.bin"');
      return send("application/octet-stream", report);
    }
    if (path === "/there") return send("text/plain", "there");
    if (path.startsWith("/git/") && !path.includes(".."))
      return void readFile(join(folder, path)).then(
        (bytes) => send("application/octet-stream", bytes),
        () => response.writeHead(404).end(),
      );
    return response.writeHead(404).end();
  });
  server.listen(at.port ?? 0, at.host ?? "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    asked,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A wheel is a zip with the module and what it says of itself: https://packaging.python.org/en/latest/specifications/binary-distribution-format/ */
async function makeWheel(folder: string): Promise<{ readonly name: string; readonly bytes: Buffer }> {
  const name = "hello_talaria-1.0-py3-none-any.whl";
  const about = "hello_talaria-1.0.dist-info";
  const script = `import zipfile
with zipfile.ZipFile(${JSON.stringify(join(folder, name))}, "w") as z:
    z.writestr("hello_talaria.py", "print('hello from pip')\\n")
    z.writestr("${about}/METADATA", "Metadata-Version: 2.1\\nName: hello-talaria\\nVersion: 1.0\\n")
    z.writestr("${about}/WHEEL", "Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
    z.writestr("${about}/RECORD", "hello_talaria.py,,\\n${about}/METADATA,,\\n${about}/WHEEL,,\\n${about}/RECORD,,\\n")
`;
  await run("/usr/bin/python3", ["-c", script]);
  return { name, bytes: await readFile(join(folder, name)) };
}

async function makeTarball(folder: string): Promise<{ readonly bytes: Buffer; readonly integrity: string }> {
  const root = join(folder, "npm-package");
  await mkdir(join(root, "package"), { recursive: true });
  await writeFile(join(root, "package", "package.json"), '{"name":"hello-talaria","version":"1.0.0","main":"i.js"}');
  await writeFile(join(root, "package", "i.js"), 'console.log("hello from npm")');
  await run("tar", ["-czf", join(folder, "hello.tgz"), "-C", root, "package"]);
  const bytes = await readFile(join(folder, "hello.tgz"));
  return { bytes, integrity: `sha512-${createHash("sha512").update(bytes).digest("base64")}` };
}

async function makeRepository(folder: string): Promise<void> {
  const [work, bare] = [join(folder, "work"), join(folder, "git", "hello.git")];
  const git = (...words: readonly string[]) =>
    run("git", ["-C", work, "-c", "user.name=Ada", "-c", "user.email=ada@example.org", ...words]);
  await mkdir(work, { recursive: true });
  await writeFile(join(work, "README"), "hello from git\n");
  await git("init", "-q", "-b", "main");
  await git("add", ".");
  await git("commit", "-q", "-m", "first");
  await run("git", ["clone", "-q", "--bare", work, bare]);
  // What `git clone` by plain files reads: https://git-scm.com/docs/git-update-server-info
  await run("git", ["-C", bare, "update-server-info"]);
}
