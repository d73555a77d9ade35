import type { Clock } from "@talaria/protocol";
import type { BaseSettings, ModalSettings, SandboxLimits } from "../config.ts";
import { folderName } from "../host-folder.ts";
import type { Backend } from "../place.ts";
import { createHostedBackend } from "../remote/hosted-backend.ts";
import { modalClient } from "./client.ts";
import { ModalMachine, unavailable } from "./machine.ts";

/** A sandbox of Modal for each session, ended when its session is closed, with a volume that holds its files. */
export function createModalBackend(
  settings: ModalSettings & BaseSettings,
  limits: SandboxLimits,
  clock: Clock,
): Backend {
  const connect = async () => {
    const sdk = await import("modal");
    const client = await modalClient(settings);
    const app = await client.apps.fromName(settings.app, { createIfMissing: true }).catch((error: unknown) => {
      throw unavailable(`did not give the app ${settings.app}`, error);
    });
    return { sdk, client, app, image: client.images.fromRegistry(settings.image) };
  };
  let connection: ReturnType<typeof connect> | undefined;
  const service = {
    name: "Modal",
    description: `modal, image ${settings.image}`,
    folder: settings.folder,
    author: settings.author,
    connect: async () => {
      connection = connect();
      await connection;
    },
    machineFor: async (sessionKey: string, folder: string) => {
      connection ??= connect();
      const id = `talaria-${folderName(`${settings.app}\n${sessionKey}`)}`;
      const machine = new ModalMachine({ ...(await connection), settings, id, folder, clock });
      return { machine, close: () => machine.end(), discard: () => machine.delete() };
    },
  };
  return createHostedBackend(service, limits, clock);
}
