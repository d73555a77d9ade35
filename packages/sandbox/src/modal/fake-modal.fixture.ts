import { randomBytes } from "node:crypto";
import { mkdir, rm, symlink, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type handleUnaryCall, Server, ServerCredentials, status } from "@grpc/grpc-js";
import { fault, type Methods, unary } from "./fake-calls.fixture.ts";
import { FakeTask, fakeRouter } from "./fake-router.fixture.ts";
import { clientService, routerService } from "./modal-api.fixture.ts";

/**
 * What Modal answers, as `modal_proto` in https://github.com/modal-labs/modal-client and its SDK have it. Its volumes are folders, and
 * links stand where they are mounted; what is in a volume is stored at once.
 */
export interface FakeModal extends AsyncDisposable {
  readonly url: string;
  readonly tokenId: string;
  readonly tokenSecret: string;
  /** In the order in which they were made, with those that have ended. */
  readonly sandboxes: readonly FakeSandbox[];
  /** Ids of volumes by their names. */
  readonly volumes: ReadonlyMap<string, string>;
  /** As when their time is over. */
  endAll(): void;
}

interface Definition {
  readonly imageId: string;
  readonly timeoutSecs: number;
  readonly idleTimeoutSecs: number;
  readonly name: string;
  readonly networkAccess?: { readonly networkAccessType: number } | null;
  readonly volumeMounts: readonly { readonly volumeId: string; readonly mountPath: string }[];
}

interface FakeSandbox {
  readonly id: string;
  readonly taskId: string;
  readonly app: string;
  readonly image: string;
  readonly definition: Definition;
  readonly task: FakeTask;
  readonly ended: PromiseWithResolvers<void>;
  isRunning: boolean;
}

const blocked = 2;
const succeeded = 1;
const terminated = 3;

/** `folder`: volumes lie in it. */
export async function startFakeModal(folder: string): Promise<FakeModal> {
  const sandboxes: FakeSandbox[] = [];
  const volumes = new Map<string, string>();
  const tasks = new Map<string, FakeTask>();
  const server = new Server();
  const account = { tokenId: `ak-${random()}`, tokenSecret: `as-${random()}` };
  let port = 0;
  const access = (task: FakeTask) => ({ jwt: task.token, url: `https://127.0.0.1:${port}` });

  const byId = (id: string) => sandboxes.find((one) => one.id === id) ?? missing(id);
  const byName = (app: string, name: string) =>
    sandboxes.find((one) => one.isRunning && one.app === app && one.definition.name === name);
  const create = async (app: string, definition: Definition) => {
    if (byName(app, definition.name) !== undefined)
      throw fault(status.ALREADY_EXISTS, `a sandbox ${definition.name} exists`);
    for (const { volumeId, mountPath } of definition.volumeMounts) await mount(join(folder, volumeId), mountPath);
    const task = new FakeTask(token(), definition.networkAccess?.networkAccessType !== blocked);
    const sandbox: FakeSandbox = {
      ...{ id: `sb-${random()}`, taskId: `ta-${random()}`, app, image: definition.imageId, definition, task },
      ...{ ended: Promise.withResolvers<void>(), isRunning: true },
    };
    tasks.set(sandbox.taskId, task);
    sandboxes.push(sandbox);
    return { sandboxId: sandbox.id, taskId: sandbox.taskId, commandRouterAccess: access(task) };
  };
  const end = (sandbox: FakeSandbox) => {
    sandbox.isRunning = false;
    sandbox.task.end();
    sandbox.ended.resolve();
  };

  const methods: Methods = {
    AuthTokenGet: unary(() => ({ token: token() })),
    AppGetOrCreate: unary<{ appName: string }>(({ appName }) => ({ appId: appName })),
    EnvironmentGetOrCreate: unary(() => ({
      environmentId: "en-1",
      metadata: { name: "main", settings: { imageBuilderVersion: "2025.06" } },
    })),
    ImageGetOrCreate: unary<{ image: { dockerfileCommands: readonly string[] } }>(({ image }) => ({
      imageId: image.dockerfileCommands.join(),
      result: { status: succeeded },
    })),
    VolumeGetOrCreate: unary<{ deploymentName: string; objectCreationType: number; version: number }>(
      async ({ deploymentName, objectCreationType, version }) => {
        if (!volumes.has(deploymentName) && objectCreationType === 0) throw fault(status.NOT_FOUND, "no such volume");
        const volumeId = volumes.get(deploymentName) ?? `vo-${random()}`;
        volumes.set(deploymentName, volumeId);
        await mkdir(join(folder, volumeId), { recursive: true });
        return { volumeId, metadata: { version } };
      },
    ),
    VolumeDelete: unary<{ volumeId: string }>(async ({ volumeId }) => {
      for (const [name, id] of volumes) if (id === volumeId) volumes.delete(name);
      await rm(join(folder, volumeId), { recursive: true, force: true });
      return {};
    }),
    SandboxCreateV2: unary<{ appId: string; definition: Definition }>(({ appId, definition }) =>
      create(appId, definition),
    ),
    SandboxGetFromName: unary(() => missing("of the first kind")),
    SandboxGetFromNameV2: unary<{ appName: string; sandboxName: string }>(({ appName, sandboxName }) => ({
      sandboxId: (byName(appName, sandboxName) ?? missing(sandboxName)).id,
    })),
    SandboxGetTaskIdV2: unary<{ sandboxId: string }>(({ sandboxId }) => ({ taskId: byId(sandboxId).taskId })),
    SandboxGetCommandRouterAccess: unary<{ sandboxId: string }>(({ sandboxId }) => access(byId(sandboxId).task)),
    SandboxWaitV2: unary<{ sandboxId: string; timeout: number }>(async ({ sandboxId, timeout }) => {
      const sandbox = byId(sandboxId);
      await within(timeout * 1_000, sandbox.ended.promise);
      return sandbox.isRunning ? {} : { result: { status: terminated } };
    }),
    SandboxTerminateV2: unary<{ sandboxId: string }>(({ sandboxId }) => {
      end(byId(sandboxId));
      return {};
    }),
  };
  server.addService(clientService, guarded(methods, account));
  server.addService(routerService, fakeRouter(tasks));
  port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  const endAll = () => sandboxes.forEach(end);
  return {
    url: `http://127.0.0.1:${port}`,
    ...{ ...account, sandboxes, volumes, endAll },
    [Symbol.asyncDispose]: async () => {
      endAll();
      server.forceShutdown();
    },
  };
}

/** Nothing for another account. */
function guarded(methods: Methods, account: { readonly tokenId: string; readonly tokenSecret: string }): Methods {
  const guard =
    (method: handleUnaryCall<object, object>): handleUnaryCall<object, object> =>
    (call, callback) => {
      const [id] = call.metadata.get("x-modal-token-id");
      const [secret] = call.metadata.get("x-modal-token-secret");
      if (id === account.tokenId && secret === account.tokenSecret) return method(call, callback);
      return callback(fault(status.UNAUTHENTICATED, "Token ID is malformed or unknown"));
    };
  return Object.fromEntries(
    Object.entries(methods).map(([name, method]) => [name, guard(method as handleUnaryCall<object, object>)]),
  );
}

async function mount(volume: string, path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await unlink(path).catch(() => undefined);
  await symlink(volume, path);
}

async function within(ms: number, promise: Promise<void>): Promise<void> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, ms);
  await Promise.race([promise, late.promise]).finally(() => clearTimeout(timer));
}

function missing(what: string): never {
  throw fault(status.NOT_FOUND, `there is no sandbox ${what}`);
}

function random(): string {
  return randomBytes(13).toString("hex");
}

/** As a JSON Web Token, for the SDK looks into it for its end. */
function token(): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  return `${part({ alg: "none" })}.${part({ exp: 4_102_444_800, jti: random() })}.${random()}`;
}
