// Creates elements with properties and contents.

export function el(name, properties = {}, ...contents) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...contents);
  return element;
}
