import type { Payload } from "./payload.ts";
import { contentPayloads } from "./payloads/content.ts";
import { folderPayloads } from "./payloads/folders.ts";
import { machinePayloads } from "./payloads/machines.ts";
import { wordPayloads } from "./payloads/words.ts";

/** Instructions of strangers, in every place where their words reach the model, with what a model would do that obeys them. */
export const payloads: readonly Payload[] = [
  ...wordPayloads,
  ...contentPayloads,
  ...machinePayloads,
  ...folderPayloads,
];
