import { Router, type Request, type Response } from 'express';
import { deliveries } from '../db/store.js';
import { requireFound } from '../middleware/errors.js';
import { announced, receive } from '../services/deliveries.js';

export const deliveriesRouter = Router();

/** Deliveries that are still to come. */
export function listDeliveries(req: Request, res: Response): void {
  const { supplier } = req.query;
  res.json(announced(supplier ? Number(supplier) : undefined));
}

export function announceDelivery(req: Request, res: Response): void {
  const { supplierId, warehouseId, expectedOn, lines } = req.body;
  res.status(201).json(deliveries.insert({ id: deliveries.nextId(), supplierId, warehouseId, expectedOn, lines }));
}

/** The lorry is here: book everything in. */
export function receiveDelivery(req: Request, res: Response): void {
  res.json(receive(requireFound(deliveries.find((one) => one.id === Number(req.params.id)), 'delivery')));
}

deliveriesRouter.get('/', listDeliveries);
deliveriesRouter.post('/', announceDelivery);
deliveriesRouter.post('/:id/receive', receiveDelivery);
