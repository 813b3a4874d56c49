import { Type, type Static } from '@sinclair/typebox';

const Plan = Type.Union([Type.Literal('basic'), Type.Literal('team'), Type.Literal('enterprise')]);

export const NewSubscription = Type.Object({
  accountId: Type.String(),
  plan: Plan,
  seats: Type.Integer({ minimum: 1 }),
  coupon: Type.Optional(Type.String()),
});
export type NewSubscription = Static<typeof NewSubscription>;

export const PlanChange = Type.Object({
  plan: Plan,
  seats: Type.Integer({ minimum: 1 }),
});
export type PlanChange = Static<typeof PlanChange>;
