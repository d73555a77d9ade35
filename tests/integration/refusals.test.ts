import assert from "node:assert/strict";
import { it } from "node:test";
import { admissionReasons } from "@talaria/sessions";
import { createTestStore } from "../../packages/store/src/test-store.ts";
import { cases, ReasonDesk } from "./refusals/admission.ts";
import { checkChapter, type Row } from "./refusals/page.ts";

it("every reason for which a message is not admitted: what each side reads", async () => {
  await using test = await createTestStore();
  const rows: Row[] = [];
  for (const [n, reason] of admissionReasons.entries())
    rows.push(await new ReasonDesk(test.store, `desk-${n}`, cases[reason]).row(reason));
  assert.deepEqual(
    rows.map(({ code }) => code),
    [...admissionReasons],
  );
  await checkChapter(
    "Not admitted",
    "The gate's own answer to one message, with a real database behind it. An owner has a home. `status` tells of no single message.",
    rows,
  );
});
