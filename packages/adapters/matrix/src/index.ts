export { createMatrixAdapter } from "./adapter.ts";
export { type MatrixConfig, matrixConfigSchema } from "./config.ts";
