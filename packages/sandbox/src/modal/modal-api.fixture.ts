import { loadPackageDefinition, type ServiceClientConstructor } from "@grpc/grpc-js";
import { fromJSON } from "@grpc/proto-loader";

/**
 * The part of Modal's API that a backend needs, with the field numbers of `modal_proto/api.proto` and
 * `modal_proto/task_command_router.proto` in https://github.com/modal-labs/modal-client, commit 69519aef (Apache-2.0).
 */
type Fields = Readonly<Record<string, readonly [id: number, type: string, rule?: "repeated"]>>;

function message(fields: Fields) {
  return {
    fields: Object.fromEntries(
      Object.entries(fields).map(([name, [id, type, rule]]) => [name, { id, type, ...(rule && { rule }) }]),
    ),
  };
}

/** Either of both, and one that is 0 counts. */
function exitStatus() {
  return {
    ...message({ code: [1, "int32"], signal: [2, "int32"] }),
    oneofs: { exitStatus: { oneof: ["code", "signal"] } },
  };
}

const client = {
  Empty: message({}),
  AuthTokenGetResponse: message({ token: [1, "string"] }),
  AppGetOrCreateRequest: message({ appName: [1, "string"] }),
  AppGetOrCreateResponse: message({ appId: [1, "string"] }),
  EnvironmentSettings: message({ imageBuilderVersion: [1, "string"] }),
  EnvironmentMetadata: message({ name: [1, "string"], settings: [2, "EnvironmentSettings"] }),
  EnvironmentGetOrCreateResponse: message({ environmentId: [1, "string"], metadata: [2, "EnvironmentMetadata"] }),
  GenericResult: message({ status: [1, "int32"], exitcode: [3, "int32"] }),
  Image: message({ dockerfileCommands: [6, "string", "repeated"] }),
  ImageGetOrCreateRequest: message({ image: [2, "Image"] }),
  ImageGetOrCreateResponse: message({ imageId: [1, "string"], result: [2, "GenericResult"] }),
  VolumeGetOrCreateRequest: message({
    deploymentName: [1, "string"],
    objectCreationType: [4, "int32"],
    version: [6, "int32"],
  }),
  VolumeMetadata: message({ version: [1, "int32"] }),
  VolumeGetOrCreateResponse: message({ volumeId: [1, "string"], metadata: [3, "VolumeMetadata"] }),
  VolumeDeleteRequest: message({ volumeId: [1, "string"] }),
  VolumeMount: message({ volumeId: [1, "string"], mountPath: [2, "string"] }),
  NetworkAccess: message({ networkAccessType: [1, "int32"] }),
  Sandbox: message({
    imageId: [3, "string"],
    timeoutSecs: [7, "uint32"],
    volumeMounts: [13, "VolumeMount", "repeated"],
    networkAccess: [22, "NetworkAccess"],
    name: [30, "string"],
    idleTimeoutSecs: [33, "uint32"],
  }),
  SandboxCreateV2Request: message({ appId: [1, "string"], definition: [2, "Sandbox"] }),
  CommandRouterAccess: message({ jwt: [1, "string"], url: [2, "string"] }),
  SandboxCreateV2Response: message({
    sandboxId: [1, "string"],
    taskId: [3, "string"],
    commandRouterAccess: [5, "CommandRouterAccess"],
  }),
  SandboxGetFromNameRequest: message({ sandboxName: [1, "string"], appName: [3, "string"] }),
  SandboxRequest: message({ sandboxId: [1, "string"], timeout: [2, "float"] }),
  SandboxIdResponse: message({ sandboxId: [1, "string"] }),
  SandboxGetTaskIdResponse: message({ taskId: [1, "string"] }),
  SandboxWaitResponse: message({ result: [1, "GenericResult"] }),
  ModalClient: service({
    AuthTokenGet: ["Empty", "AuthTokenGetResponse"],
    AppGetOrCreate: ["AppGetOrCreateRequest", "AppGetOrCreateResponse"],
    EnvironmentGetOrCreate: ["Empty", "EnvironmentGetOrCreateResponse"],
    ImageGetOrCreate: ["ImageGetOrCreateRequest", "ImageGetOrCreateResponse"],
    VolumeGetOrCreate: ["VolumeGetOrCreateRequest", "VolumeGetOrCreateResponse"],
    VolumeDelete: ["VolumeDeleteRequest", "Empty"],
    SandboxCreateV2: ["SandboxCreateV2Request", "SandboxCreateV2Response"],
    SandboxGetFromName: ["SandboxGetFromNameRequest", "SandboxIdResponse"],
    SandboxGetFromNameV2: ["SandboxGetFromNameRequest", "SandboxIdResponse"],
    SandboxGetTaskIdV2: ["SandboxRequest", "SandboxGetTaskIdResponse"],
    SandboxGetCommandRouterAccess: ["SandboxRequest", "CommandRouterAccess"],
    SandboxWaitV2: ["SandboxRequest", "SandboxWaitResponse"],
    SandboxTerminateV2: ["SandboxRequest", "Empty"],
  }),
};

const router = {
  Empty: message({}),
  TaskExecStartRequest: message({
    taskId: [1, "string"],
    execId: [2, "string"],
    commandArgs: [3, "string", "repeated"],
  }),
  TaskExecRequest: message({ taskId: [1, "string"], execId: [2, "string"] }),
  TaskExecStdinWriteRequest: message({
    taskId: [1, "string"],
    execId: [2, "string"],
    data: [4, "bytes"],
    eof: [5, "bool"],
  }),
  TaskExecStdioReadRequest: message({ taskId: [1, "string"], execId: [2, "string"], fileDescriptor: [4, "int32"] }),
  TaskExecStdioReadResponse: message({ data: [1, "bytes"] }),
  TaskExecWaitResponse: exitStatus(),
  TaskCommandRouter: service({
    TaskExecStart: ["TaskExecStartRequest", "Empty"],
    TaskExecStdinWrite: ["TaskExecStdinWriteRequest", "Empty"],
    TaskExecStdioRead: ["TaskExecStdioReadRequest", "TaskExecStdioReadResponse", "stream"],
    TaskExecWait: ["TaskExecRequest", "TaskExecWaitResponse"],
  }),
};

function service(methods: Readonly<Record<string, readonly [request: string, response: string, "stream"?]>>) {
  return {
    methods: Object.fromEntries(
      Object.entries(methods).map(([name, [requestType, responseType, stream]]) => [
        name,
        { requestType, responseType, ...(stream && { responseStream: true }) },
      ]),
    ),
  };
}

function serviceOf(packageName: string, nested: object, name: string) {
  const json = { nested: { modal: { nested: { [packageName]: { nested } } } } };
  const loaded = fromJSON(json as Parameters<typeof fromJSON>[0], { longs: Number, defaults: true });
  const { modal } = loadPackageDefinition(loaded) as unknown as {
    modal: Record<string, Record<string, ServiceClientConstructor>>;
  };
  const found = modal[packageName]?.[name];
  if (found === undefined) throw new Error(`there is no service ${name}`);
  return found.service;
}

export const clientService = serviceOf("client", client, "ModalClient");
export const routerService = serviceOf("task_command_router", router, "TaskCommandRouter");
