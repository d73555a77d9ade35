export type { MatrixFault } from "./faults.ts";
export type { MatrixRoom, MatrixSayOptions, SeenMatrixMessage } from "./room.ts";
export { type MatrixRoomOptions, MatrixServer, startMatrixServer } from "./server.ts";
export { setupCase } from "./setup-case.ts";
export { startStage } from "./stage.ts";
