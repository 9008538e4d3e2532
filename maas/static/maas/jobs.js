// Entry of the list of jobs and of a job's page.
import { followEvents } from "./events.js";
import { refresh, refreshNowAndThen } from "./refresh.js";
import { watchButtons } from "./buttons.js";
import { watchUploads } from "./uploads.js";

watchButtons();
watchUploads();
refreshNowAndThen();
followEvents(refresh);
