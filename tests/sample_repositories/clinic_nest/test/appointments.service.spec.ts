import { AppointmentsService } from '../src/appointments/appointments.service';

describe('AppointmentsService', () => {
  const sent: string[] = [];
  const sms = { send: async (_: string, text: string) => sent.push(text) > 0 };
  const rows = { save: async (row: unknown) => row };

  it('tells the patient when an appointment is cancelled', async () => {
    const service = new AppointmentsService(rows as never, {} as never, {} as never, sms as never, {} as never);
    await service.cancel({ patient: { phone: '555' }, status: 'booked' } as never, 'ill');
    expect(sent).toEqual(['Your appointment is cancelled.']);
  });

  it('keeps the reason of the cancellation', async () => {
    const service = new AppointmentsService(rows as never, {} as never, {} as never, sms as never, {} as never);
    const cancelled = await service.cancel({ patient: {}, status: 'booked' } as never, 'ill');
    expect(cancelled.remarks).toBe('ill');
  });
});
