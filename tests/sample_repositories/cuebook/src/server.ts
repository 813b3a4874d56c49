import { buildApp } from "./app.js";
import { config } from "./config.js";

buildApp().listen(config.port, () => {
  console.log(`cuebook listens on ${config.port}`);
});
