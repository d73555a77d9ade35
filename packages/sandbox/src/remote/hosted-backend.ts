import { posix } from "node:path";
import { type Clock, GatewayError } from "@talaria/protocol";
import type { Author, SandboxLimits } from "../config.ts";
import { folderName } from "../host-folder.ts";
import type { Backend, Place } from "../place.ts";
import { ownSystemVariables } from "../surroundings.ts";
import type { RemoteMachine } from "./remote-machine.ts";
import { openRemotePlace } from "./remote-place.ts";

/** A machine that a service runs for one session. */
export interface HostedMachine {
  readonly machine: RemoteMachine;
  /** Ends it once nothing of the session runs there any more, and keeps the session's files. */
  close(): Promise<void>;
  /** Ends it, and deletes the session's files. */
  discard(): Promise<void>;
}

export interface HostedService {
  /** For errors: `E2B`. */
  readonly name: string;
  readonly description: string;
  /** On its machines: workspaces lie in it. */
  readonly folder: string;
  readonly author: Author | undefined;
  /** Called once the folder has been checked. */
  connect?(): Promise<void>;
  /** `root` lies in `folder` and is the session's own. */
  machineFor(sessionKey: string, root: string): Promise<HostedMachine>;
}

/** A machine of somebody else's service for each session. */
export function createHostedBackend(service: HostedService, limits: SandboxLimits, clock: Clock): Backend {
  const { name, description, folder, author } = service;
  const places = new Set<Place>();
  return {
    description,
    start: async () => {
      if (!posix.isAbsolute(folder))
        throw new GatewayError(`the folder in ${name}'s sandboxes must be an absolute path, not ${folder}`, {
          code: "unsupported",
        });
      await service.connect?.();
    },
    open: async (sessionKey) => {
      const hosted = await service.machineFor(sessionKey, posix.join(folder, folderName(sessionKey)));
      const inner = await openRemotePlace(hosted.machine, folder, sessionKey, limits, clock, {
        ...{ author, variables: ownSystemVariables },
      });
      const place: Place = {
        folder: inner.folder,
        tmp: inner.tmp,
        shell: inner.shell,
        launch: (program) => inner.launch(program),
        usedBytes: () => inner.usedBytes(),
        close: async () => {
          places.delete(place);
          await inner.close();
          await hosted.close();
        },
        discard: async () => {
          places.delete(place);
          await hosted.discard();
        },
      };
      places.add(place);
      return place;
    },
    stop: async () => {
      await Promise.all([...places].map((place) => place.close()));
    },
  };
}
