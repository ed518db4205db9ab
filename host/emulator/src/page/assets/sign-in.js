// The form that asks for the token.

import { get } from "./api.js";
import { the } from "./dom.js";
import { forget, keep, tokenIn } from "./token.js";

/** Asks for the token, first saying what is wrong, if something is. */
export function ask(problem, done) {
  const section = the("sign-in");
  const form = section.querySelector("form");
  const error = the("sign-in-error");
  the("app").hidden = true;
  section.hidden = false;
  error.textContent = problem;
  the("token").focus();
  form.onsubmit = async (event) => {
    event.preventDefault();
    keep(tokenIn(the("token").value.trim()));
    try {
      await get("state");
      the("token").value = "";
      section.hidden = true;
      done();
    } catch (refused) {
      forget();
      error.textContent = refused.status === 401 ? "That is not the token." : refused.message;
    }
  };
}
