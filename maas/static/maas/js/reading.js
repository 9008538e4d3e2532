// Entry of a job's page.
import { watchCopying } from "./reading/copying.js";
import { watchDownloads } from "./reading/downloads.js";
import { watchLines } from "./reading/lines.js";
import { watchNews } from "./reading/news.js";
import { watchPaging } from "./reading/paging.js";
import { watchZoom } from "./reading/zoom.js";

watchZoom();
watchLines();
watchPaging();
watchCopying();
watchDownloads();
watchNews();
