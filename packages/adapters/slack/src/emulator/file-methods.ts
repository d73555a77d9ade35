import { ApiError } from "./api-error.ts";
import { checkContent } from "./check-content.ts";
import { CallArgs, type Method, threadOf, writableChannel } from "./method.ts";
import { toWireFile } from "./wire.ts";
import type { SlackFile, World } from "./world.ts";

/** Files in three steps: ask for an address, upload there, then share. */
export const fileMethods: Readonly<Record<string, Method>> = {
  "files.getUploadURLExternal"(args, world, origin) {
    const length = Number(args.required("length"));
    if (!Number.isInteger(length) || length <= 0) throw new ApiError("invalid_arguments");
    const file = world.newFile(args.required("filename"), "application/octet-stream", length);
    return { upload_url: `${origin}/upload/v1/${file.id}`, file_id: file.id };
  },
  "files.completeUploadExternal"(args, world) {
    const listed = args.json("files");
    if (!Array.isArray(listed) || listed.length === 0) throw new ApiError("invalid_arguments");
    const files = listed.map((one: { id?: string; title?: string }) => uploaded(one, world));
    if (args.text("channel_id") !== "") {
      const channel = writableChannel(args, world, "channel_id");
      const comment = args.text("initial_comment");
      const { shown, blocks } = checkContent(comment === "" ? args : new CallArgs({ text: comment }), true);
      const threadTs = threadOf(args, channel);
      for (const file of files) file.isShared = true;
      world.post(channel, world.bot, { text: shown, blocks, threadTs, files });
    }
    return { files: files.map(({ id, title }) => ({ id, title })) };
  },
  "files.info"(args, world) {
    const file = world.files.get(args.text("file"));
    if (file === undefined) throw new ApiError("file_not_found");
    return { file: { ...toWireFile(file, world.origin), shares: sharesOf(file, world) } };
  },
};

function uploaded({ id = "" }: { readonly id?: string }, world: World): SlackFile {
  const file = world.files.get(id);
  if (file === undefined || file.bytes === undefined || file.isShared) throw new ApiError("file_not_found");
  return file;
}

/** Where a file was posted, public channels and others apart. */
function sharesOf(file: SlackFile, world: World): object {
  const shares: Record<"public" | "private", Record<string, object[]>> = { public: {}, private: {} };
  for (const channel of world.channels.values())
    for (const { files, ts, threadTs, isDeleted } of channel.messages.values()) {
      if (isDeleted || !files.includes(file)) continue;
      const group = shares[channel.kind === "channel" ? "public" : "private"];
      group[channel.id] = [{ ts, ...(threadTs === undefined ? {} : { thread_ts: threadTs }) }];
    }
  return shares;
}
