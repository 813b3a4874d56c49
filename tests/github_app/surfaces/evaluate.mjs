// Evaluates expressions of an n8n workflow: `={{ … }}` with `$json` and `$('Node').first().json`, as n8n documents them.
import { readFileSync } from "node:fs";

const evaluate = (text, json, nodes) => {
  const $ = (name) => ({ first: () => ({ json: nodes[name] }) });
  const value = (code) => new Function("$json", "$", `return (${code});`)(json, $);
  const whole = /^=\{\{((?:(?!\}\}).|\n)*)\}\}$/.exec(text);
  if (whole) return value(whole[1]);
  return text.slice(1).replace(/\{\{(.*?)\}\}/gs, (_, code) => String(value(code)));
};
const requests = JSON.parse(readFileSync(0, "utf-8"));
console.log(JSON.stringify(requests.map(({ text, json, nodes }) => evaluate(text, json, nodes) ?? null)));
