// Entry of a model's page: the form, its run, and the code for the same call.
import { watchCopies } from "./copy.js";
import { followForm } from "./playground-code.js";
import { watchForm } from "./playground-form.js";
import { watchRuns } from "./playground-run.js";
import { watchTensors } from "./playground-tensors.js";

watchTensors();
watchForm();
watchRuns();
followForm();
watchCopies();
