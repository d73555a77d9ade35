import { signal } from "@preact/signals";
import { sizeText } from "./size-text.js";

/**
 * The files that go with the next message. `list` is a signal of `{ file, share, kept }`: `share` says how much of it is there, from 0 to 1.
 * `limits` says how many and how large they may be. `upload(file, progress)` resolves with what a message names.
 */
export function createChosenFiles(limits, upload) {
  const list = signal([]);

  return {
    list,
    /** Returns why some were not taken, or nothing. */
    add(files) {
      const { most, maxBytes } = limits.value;
      const refused = [];
      for (const file of files) {
        if (file.size === 0) refused.push(`${file.name} is empty`);
        else if (file.size > maxBytes)
          refused.push(`${file.name} has ${sizeText(file.size)}, and at most ${sizeText(maxBytes)} can be sent`);
        else if (list.value.length >= most) refused.push(`${file.name}: a message takes ${most} files`);
        else list.value = [...list.value, { file, share: signal(0), kept: undefined }];
      }
      return refused.length === 0 ? "" : `Not attached: ${refused.join("; ")}`;
    },
    remove(one) {
      list.value = list.value.filter((other) => other !== one);
    },
    /** Sends each once, also after one of them has failed; resolves with what the message names. */
    async uploaded() {
      const files = [];
      for (const one of list.value) {
        one.kept ??= await upload(one.file, (share) => {
          one.share.value = share;
        });
        one.share.value = 1;
        files.push(one.kept);
      }
      return files;
    },
    /** Those that a message has taken. */
    sent(files) {
      list.value = list.value.filter(({ kept }) => !files.includes(kept));
    },
  };
}
