// Entry of the quickstart: code that is copied, in the language chosen last, with a key that leaves with its page.
import { watchCopies } from "./copy.js";
import { rememberLanguage } from "./languages.js";
import { forgetForm } from "./shown-once.js";

watchCopies();
rememberLanguage();
forgetForm();
