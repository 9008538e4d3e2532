// POST to the API as the signed-in person.

// Token of the sign-out form, which is on every page of a signed-in person.
const csrfToken = () => document.querySelector("input[name=csrfmiddlewaretoken]").value;

/** The answer's JSON; throws an Error whose message is meant for the person. */
export async function post(url, body) {
  let response;
  try {
    response = await fetch(url, { method: "POST", body, headers: { "X-CSRFToken": csrfToken() } });
  } catch {
    throw new Error("The server could not be reached, or it hung up. Check the connection and try again.");
  }
  const answer = await response.json().catch(() => ({}));
  if (response.ok) return answer;
  throw new Error(inWords(response.status, answer));
}

function inWords(status, problem) {
  if (status === 401) return "You are signed out by now. Load the page again and sign in.";
  if (problem.detail) return problem.detail;
  return `The server answered ${status} without saying why. Try again.`;
}
