import { createApp } from "./app.ts";

createApp().listen(Number(process.env.PORT ?? 8080));
