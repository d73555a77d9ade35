import { silentLog, systemClock } from "@talaria/protocol";
import { createStore } from "../store.ts";
import { never } from "../test-store.ts";

/** A process that reads lines for searches in the database that its argument names, until there are none. */
const [, , url = ""] = process.argv;
const store = createStore({ url, log: silentLog, clock: systemClock, maxConnections: 2 });
await store.search.catchUp(never);
await store.close();
