import assert from "node:assert/strict";
import { it } from "node:test";
import { silentLog } from "@talaria/protocol";
import { noteUnreadable } from "./note-unreadable.ts";

it("counts an unreadable event by its kind and logs it as a warning", () => {
  const counted: string[] = [];
  const logged: unknown[] = [];
  const log = { ...silentLog, warn: (...line: unknown[]) => logged.push(line) };
  noteUnreadable({ log, countUnreadable: (kind) => counted.push(kind) }, "message", { eventId: "1" });
  assert.deepEqual(counted, ["message"]);
  assert.deepEqual(logged, [[{ eventId: "1", kind: "message" }, "an event could not be read"]]);
});
