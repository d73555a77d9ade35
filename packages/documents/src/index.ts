export { isDocument, readDocument } from "./read-document.ts";
