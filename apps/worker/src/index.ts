export { startWorker, type WorkerOptions } from "./worker.ts";
