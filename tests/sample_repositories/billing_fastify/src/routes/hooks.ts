import type { FastifyInstance } from 'fastify';
import { found } from '../plugins/found.js';
import { markPaid } from '../services/charging.js';
import { invoices } from '../store.js';

/** What the payment provider tells us. */
export async function hooks(app: FastifyInstance): Promise<void> {
  app.post<{ Body: { invoiceId: string; event: string } }>('/payments', async (request, reply) => {
    const invoice = found(invoices.get(request.body.invoiceId), 'invoice');
    if (request.body.event === 'charge.succeeded') {
      markPaid(invoice);
    }
    return reply.code(204).send();
  });
}
