export { createMcpServers } from "./mcp-servers.ts";
export { startWorker, type WorkerOptions } from "./worker.ts";
