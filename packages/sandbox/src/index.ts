export {
  type DockerSettings,
  defaultLimits,
  type NamespaceSettings,
  type NetworkSettings,
  type SandboxConfig,
  type SandboxLimits,
  type SshSettings,
} from "./config.ts";
export { createSandbox, type Sandbox, type SandboxDeps } from "./sandbox.ts";
export type { SelfTest } from "./self-test.ts";
