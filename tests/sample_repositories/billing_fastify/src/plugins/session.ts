import type { FastifyRequest } from 'fastify';
import { accounts, type Account } from '../store.js';
import { Problem } from './found.js';

/** The account whose customer is signed in. */
export function currentAccount(request: FastifyRequest): Account {
  const account = accounts.get(String(request.headers['x-account'] ?? ''));
  if (!account) {
    throw new Problem(401, 'sign in first');
  }
  return account;
}
