import { lockHome } from "../home-lock.ts";

/** Takes the lock of a folder, says so, and holds it until it is killed. */
await lockHome(process.argv[2] ?? "");
process.send?.("held");
process.on("message", () => undefined);
