import type { FastifyInstance, FastifyRequest } from 'fastify';
import { found } from '../plugins/found.js';
import { NewSubscription, PlanChange } from '../schemas/subscriptions.js';
import { changePlan, endSubscription, renew, subscribe } from '../services/subscriptions.js';
import { subscriptions, type Subscription } from '../store.js';

type WithId = { Params: { id: string } };

/** Subscriptions, for the back office. */
export async function adminSubscriptions(app: FastifyInstance): Promise<void> {
  app.get('/', listSubscriptions);
  app.post('/', { schema: { body: NewSubscription } }, createSubscription);
  app.put('/:id/plan', { schema: { body: PlanChange } }, setPlan);
  app.post('/:id/renew', renewNow);
  app.post('/:id/end', endNow);
}

function one(request: FastifyRequest<WithId>): Subscription {
  return found(subscriptions.get(request.params.id), 'subscription');
}

async function listSubscriptions() {
  return [...subscriptions.values()];
}

async function createSubscription(request: FastifyRequest<{ Body: NewSubscription }>) {
  return subscribe(request.body);
}

async function setPlan(request: FastifyRequest<WithId & { Body: PlanChange }>) {
  return changePlan(one(request), request.body);
}

/** Renews before the day has come. */
async function renewNow(request: FastifyRequest<WithId>) {
  return renew(one(request));
}

async function endNow(request: FastifyRequest<WithId>) {
  return endSubscription(one(request));
}
