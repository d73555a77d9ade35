import { parentPort } from "node:worker_threads";
import type { ExtractionTask, ThreadNews } from "./extraction.ts";
import { readArticle } from "./read-article.ts";
import { readResults } from "./read-results.ts";

/** The thread's own program: one task, then it is ended from outside. */
parentPort?.once("message", (task: ExtractionTask) => {
  try {
    tell({ type: "done", result: task.kind === "article" ? readArticle(task.html, task.url) : readResults(task.html) });
  } catch (error) {
    tell({ type: "failed", message: error instanceof Error ? error.message.slice(0, 200) : "unknown" });
  }
});

tell({ type: "ready" });

function tell(news: ThreadNews): void {
  parentPort?.postMessage(news);
}
