// Entry of the quickstart: code to copy in the last chosen language, with a key that is removed with its page.
import { watchCopies } from "./copy.js";
import { rememberLanguage } from "./languages.js";
import { forgetForm } from "./shown-once.js";

watchCopies();
rememberLanguage();
forgetForm();
