import express from 'express';
import { settings } from './settings.js';
import { onError } from './middleware/errors.js';
import { api } from './routes/index.js';

export const app = express();
app.use(express.json());
app.use('/v1', api);
app.use(onError);

if (process.env.NODE_ENV !== 'test') {
  app.listen(settings.port);
}
