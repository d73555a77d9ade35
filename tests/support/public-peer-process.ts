import { execFile } from "node:child_process";
import { once } from "node:events";
import { promisify } from "node:util";
import { startRegistries } from "../../packages/sandbox/src/testing/registries.ts";

// What `startPublicPeer` starts in a network of its own, and connects with its own before it says where to listen.
const run = promisify(execFile);
const [folder = "", files = "", elsewhere = ""] = process.argv.slice(2);

const told = once(process, "message");
process.send?.("here");
const [{ listen }] = (await told) as [{ readonly listen: readonly string[] }];
for (const address of listen) await run("ip", ["address", "add", `${address}/24`, "dev", "toUs"]);
for (const device of ["lo", "toUs"]) await run("ip", ["link", "set", device, "up"]);
await startRegistries(
  folder,
  { files, elsewhere },
  { host: "0.0.0.0", port: 80, hear: (line) => process.send?.(line) },
);
process.send?.("listening");
process.once("disconnect", () => process.exit());
