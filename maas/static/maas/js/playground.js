// Entry of a model's page: the form, the run it starts, and the code that does the same.
import { watchCopies } from "./copy.js";
import { followForm } from "./playground-code.js";
import { watchForm } from "./playground-form.js";
import { watchRuns } from "./playground-run.js";

watchForm();
watchRuns();
followForm();
watchCopies();
