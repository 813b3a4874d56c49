import { Router } from 'express';
import { suppliers } from '../db/store.js';
import { requireFound } from '../middleware/errors.js';

export const suppliersRouter = Router();

suppliersRouter.get('/', (_req, res) => {
  res.json(suppliers.all());
});

suppliersRouter.get('/:id', (req, res) => {
  res.json(requireFound(suppliers.find((one) => one.id === Number(req.params.id)), 'supplier'));
});

suppliersRouter.patch('/:id', (req, res) => {
  const supplier = requireFound(suppliers.find((one) => one.id === Number(req.params.id)), 'supplier');
  const { name, contact, leadDays } = req.body;
  Object.assign(supplier, { name, contact, leadDays });
  res.json(supplier);
});
