// Entry of a job's page.
import { watchChecks } from "./reading/checks.js";
import { watchCorrections } from "./reading/corrections.js";
import { watchCopying } from "./reading/copying.js";
import { watchDownloads } from "./reading/downloads.js";
import { watchLines } from "./reading/lines.js";
import { watchMissedFields } from "./reading/missed-fields.js";
import { watchNews } from "./reading/news.js";
import { watchPaging } from "./reading/paging.js";
import { watchPictures } from "./reading/pictures.js";
import { watchSides } from "./reading/sides.js";
import { watchTables } from "./reading/tables.js";
import { watchTabs } from "./reading/tabs.js";
import { watchZoom } from "./reading/zoom.js";

watchZoom();
watchSides();
watchLines();
watchTabs();
watchTables();
watchPaging();
watchPictures();
watchChecks();
watchCorrections();
watchMissedFields();
watchCopying();
watchDownloads();
watchNews();
