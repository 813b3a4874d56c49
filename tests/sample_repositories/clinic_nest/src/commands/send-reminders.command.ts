import { Command, CommandRunner, Option } from 'nest-commander';
import { AppointmentsService } from '../appointments/appointments.service';
import { REMIND_HOURS_BEFORE } from '../config';
import { SmsSender } from '../messages/sms.sender';

interface Options {
  practitioner?: number;
}

@Command({ name: 'send-reminders', description: 'Remind patients of tomorrow' })
export class SendRemindersCommand extends CommandRunner {
  constructor(
    private readonly appointments: AppointmentsService,
    private readonly sms: SmsSender,
  ) {
    super();
  }

  async run(_: string[], options: Options): Promise<void> {
    const from = new Date(Date.now() + REMIND_HOURS_BEFORE * 3_600_000);
    const to = new Date(from.getTime() + 3_600_000);
    const due = await this.appointments.find({
      from: from.toISOString(),
      to: to.toISOString(),
      status: 'booked',
      practitionerId: options.practitioner,
    });
    for (const { patient, startsAt } of due) {
      if (patient.phone) {
        await this.sms.send(patient.phone, `See you at ${startsAt.toISOString()}`);
      }
    }
  }

  @Option({ flags: '--practitioner <id>', description: 'Only appointments of one practitioner' })
  parsePractitioner(value: string): number {
    return Number(value);
  }
}
