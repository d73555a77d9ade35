export { createMcpServers } from "./mcp-servers.ts";
export { serveMcp } from "./serve-mcp.ts";
export { createToolSources } from "./tool-sources.ts";
export { startWorker, type WorkerOptions } from "./worker.ts";
