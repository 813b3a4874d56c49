import Fastify, { type FastifyInstance } from 'fastify';
import { PORT } from './config.js';
import { adminCoupons } from './routes/admin-coupons.js';
import { adminInvoices } from './routes/admin-invoices.js';
import { adminSubscriptions } from './routes/admin-subscriptions.js';
import { account } from './routes/account.js';
import { hooks } from './routes/hooks.js';

export function buildApp(): FastifyInstance {
  const app = Fastify({ logger: true });
  app.register(adminInvoices, { prefix: '/admin/invoices' });
  app.register(adminSubscriptions, { prefix: '/admin/subscriptions' });
  app.register(adminCoupons, { prefix: '/admin/coupons' });
  app.register(account, { prefix: '/account' });
  app.register(hooks, { prefix: '/hooks' });
  return app;
}

if (process.argv[1]?.endsWith('app.js')) {
  await buildApp().listen({ port: PORT });
}
