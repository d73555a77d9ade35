export type {
  DockerSettings,
  NamespaceSettings,
  NetworkSettings,
  SandboxConfig,
  SandboxLimits,
  SshSettings,
} from "./config.ts";
export type { Cell } from "./place.ts";
export { createSandbox, type Sandbox, type SandboxDeps } from "./sandbox.ts";
export type { SelfTest } from "./self-test.ts";
