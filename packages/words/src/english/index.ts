import { approvalNotices } from "./approval-notices.ts";
import { backgroundNotices } from "./background-notices.ts";
import { callHeadlines } from "./call-headlines.ts";
import { callPhrases } from "./call-phrases.ts";
import { commandLines } from "./command-lines.ts";
import { decisionNotices } from "./decision-notices.ts";
import { deliveryNotices } from "./delivery-notices.ts";
import { factFile } from "./fact-file.ts";
import { factNotices } from "./fact-notices.ts";
import { groupNotices } from "./group-notices.ts";
import { learnedNotices } from "./learned-notices.ts";
import { limits } from "./limits.ts";
import { memoryNotices } from "./memory-notices.ts";
import { callNotices, notices } from "./notices.ts";
import { ownerNews } from "./owner-news.ts";
import { peopleNotices } from "./people-notices.ts";
import { platformNotices } from "./platform-notices.ts";
import { powers } from "./powers.ts";
import { problemPhrases } from "./problem-phrases.ts";
import { reasons } from "./reasons.ts";
import { settingsNotices } from "./settings-notices.ts";
import { skillNews } from "./skill-notices.ts";
import { spans } from "./spans.ts";
import { turnFailures } from "./turn-failures.ts";
import { turnNotices } from "./turn-notices.ts";
import { unaskedPause } from "./unasked-pause.ts";
import { welcomeText } from "./welcome-text.ts";
import { where } from "./where.ts";
import { workLines } from "./work-lines.ts";

/** Everything that people read and no model has written, in English. Other languages say the same: see `Words`. */
export const english = {
  approvalNotices,
  backgroundNotices,
  callHeadlines,
  callNotices,
  callPhrases,
  commandLines,
  decisionNotices,
  deliveryNotices,
  factFile,
  factNotices,
  groupNotices,
  learnedNotices,
  limits,
  memoryNotices,
  notices,
  ownerNews,
  skillNews,
  peopleNotices,
  platformNotices,
  powers,
  problemPhrases,
  reasons,
  settingsNotices,
  spans,
  turnFailures,
  turnNotices,
  unaskedPause,
  welcomeText,
  where,
  workLines,
};
