import { posix } from "node:path";
import { PassThrough } from "node:stream";
import { type Clock, GatewayError } from "@talaria/protocol";
import type { BaseSettings, SandboxLimits, SshSettings } from "../config.ts";
import type { Backend } from "../place.ts";
import { quote } from "../quote.ts";
import { ask, type RemoteCommand, type RemoteMachine } from "../remote/remote-machine.ts";
import { openRemotePlace, type RemotePlace } from "../remote/remote-place.ts";
import { Connections, type RunningCommand } from "./connections.ts";

const maxComplaint = 1_000;

/**
 * Another machine, given up to the agent: the account there is the boundary, and sees its own files and network. Its shell
 * must be one of `sh`'s kind.
 */
export function createSshBackend(settings: SshSettings & BaseSettings, limits: SandboxLimits, clock: Clock): Backend {
  const connections = new Connections(settings);
  const machine: RemoteMachine = {
    name: settings.host,
    run: async (command, stderr) => toRemoteCommand(await connections.run(command), stderr),
  };
  const places = new Set<RemotePlace>();
  return {
    description: `ssh, ${settings.user}@${settings.host}`,
    start: async () => {
      if (!posix.isAbsolute(settings.folder))
        throw new GatewayError(`the folder on ${settings.host} must be an absolute path, not ${settings.folder}`, {
          code: "unsupported",
        });
      await ask(machine, `mkdir -p ${quote(settings.folder)}`);
    },
    open: async (sessionKey) => {
      const place = await openRemotePlace(machine, settings.folder, sessionKey, limits, clock, settings);
      places.add(place);
      return place;
    },
    stop: async () => {
      await Promise.all([...places].map((place) => place.close()));
      places.clear();
      connections.close();
    },
  };
}

function toRemoteCommand(command: RunningCommand, stderr: "apart" | undefined): RemoteCommand {
  const { channel } = command;
  const errors = stderr === "apart" ? channel.stderr.pipe(new PassThrough()) : undefined;
  // A channel passes on what it reads only while somebody takes it; what nobody listens to yet waits in here.
  const output = new PassThrough();
  let complaint = "";
  channel.on("data", (bytes: Buffer) => {
    if (!output.writableEnded) output.write(bytes);
  });
  channel.stderr.on("data", (bytes: Buffer) => {
    if (errors === undefined && complaint.length < maxComplaint) complaint += bytes.toString();
  });
  const ended = new Promise<void>((resolve) => channel.once("close", () => resolve())).then(() => {
    output.end();
    errors?.end();
    return command.exit && toEnd(command.exit);
  });
  const streams = { stdin: channel.stdin, output, ...(errors && { errors }) };
  return { ...streams, complaint: () => complaint, ended, close: () => channel.close() };
}

function toEnd({ code, signal = "KILL" }: NonNullable<RunningCommand["exit"]>) {
  return code === null ? { signal: `SIG${signal.replace(/^SIG/, "")}` } : { code };
}
