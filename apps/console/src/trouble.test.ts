import assert from "node:assert/strict";
import { it } from "node:test";

interface Shown {
  readonly state: string;
  readonly line: string;
}

interface TroubleModule {
  createTrouble(read: () => Promise<object>): { readonly trouble: { readonly value: Shown }; look(): Promise<void> };
}

const file = new URL("./public/trouble.js", import.meta.url);
const refused = { kind: "model", code: "auth", line: "model main: refused", stopsAnswers: true };
const stopping = {
  kind: "worker",
  code: "stopping",
  line: "Talaria is being stopped",
  stopsAnswers: false,
  isNote: true,
};
const shut = { kind: "place", code: "forbidden", line: "account bot may not write", stopsAnswers: false, isNote: true };
const workplace = { kind: "workplace", code: "no_workplace", line: "workers lack commands", stopsAnswers: false };

const wrong = { kind: "configuration", code: "refused", line: "the changed configuration", stopsAnswers: false };

it("the console shows what keeps people from answers, else that they wait for a restart, else a configuration that is not in use", async () => {
  const { createTrouble }: TroubleModule = await import(file.href);
  const shownOf = async (problems: readonly object[]) => {
    const { trouble, look } = createTrouble(async () => ({ problems }));
    await look();
    return trouble.value;
  };
  assert.deepEqual(await shownOf([]), { state: "sound", line: "" });
  assert.deepEqual(await shownOf([shut, workplace]), { state: "sound", line: "" });
  assert.deepEqual(await shownOf([shut, stopping]), { state: "waiting", line: "Talaria is being stopped" });
  assert.deepEqual((await shownOf([wrong, stopping])).state, "waiting");
  assert.deepEqual(await shownOf([wrong]), { state: "sound", line: "the changed configuration" });
  assert.deepEqual(await shownOf([wrong, stopping, refused]), { state: "troubled", line: "model main: refused" });
  const { line } = await shownOf([{ ...refused, line: "refused, since 2025-11-26T14:38:00Z: mend it" }]);
  assert.match(line, /^refused, since (?!.*T14).*2025.*: mend it$/);
});
