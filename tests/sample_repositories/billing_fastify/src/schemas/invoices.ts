import { Type, type Static } from '@sinclair/typebox';

export const InvoiceQuery = Type.Object({
  accountId: Type.Optional(Type.String()),
  unpaid: Type.Optional(Type.Boolean({ description: 'Only invoices that nobody has paid yet' })),
  issuedFrom: Type.Optional(Type.String({ format: 'date' })),
  issuedTo: Type.Optional(Type.String({ format: 'date' })),
});
export type InvoiceQuery = Static<typeof InvoiceQuery>;

export const NewInvoice = Type.Object({
  accountId: Type.String(),
  cents: Type.Integer({ minimum: 1 }),
  memo: Type.Optional(Type.String()),
});
export type NewInvoice = Static<typeof NewInvoice>;

export const RefundBody = Type.Object({
  cents: Type.Integer({ minimum: 1 }),
  reason: Type.String(),
});
export type RefundBody = Static<typeof RefundBody>;
