export { createMcp, type Mcp } from "./create-mcp.ts";
export type { HttpServerConfig, McpConfig, McpServerConfig, OAuthConfig, StdioServerConfig } from "./mcp-config.ts";
export { type McpTool, toolsDigest } from "./mcp-tool.ts";
export type { LoginPort, LoginRequest, LoginStore } from "./oauth/login-port.ts";
export type { FilledForm, Form, McpDeps } from "./ports.ts";
export type { Caller, ToolServerDeps } from "./serve/caller.ts";
export { serveTools, type ToolServer } from "./serve/serve-tools.ts";
export type { ServerStatus } from "./server-status.ts";
export { plainSpawn, type Spawn, type StdioChild, type StdioCommand } from "./stdio-child.ts";
