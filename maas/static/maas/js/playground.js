// Entry of a model's page: the form, its run, and the code for the same call.
import { watchCopies } from "./copy.js";
import { followForm } from "./playground-code.js";
import { watchForm } from "./playground-form.js";
import { watchRuns } from "./playground-run.js";

watchForm();
watchRuns();
followForm();
watchCopies();
