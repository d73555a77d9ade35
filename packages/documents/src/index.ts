export { headBytes, isDocument, readDocument } from "./read-document.ts";
