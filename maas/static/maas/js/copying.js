// Entry of pages that only need copy buttons.
import { watchCopies } from "./copy.js";

watchCopies();
