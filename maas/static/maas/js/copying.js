// Entry of pages whose only script is that what they name can be copied.
import { watchCopies } from "./copy.js";

watchCopies();
