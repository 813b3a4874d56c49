import { Command, CommandRunner, Option } from 'nest-commander';
import { MailSender } from '../messages/mail.sender';
import { PatientsService } from '../patients/patients.service';

interface Options {
  months?: number;
}

@Command({ name: 'send-recalls', description: 'Invite patients who have not been here for long' })
export class SendRecallsCommand extends CommandRunner {
  constructor(
    private readonly patients: PatientsService,
    private readonly mail: MailSender,
  ) {
    super();
  }

  async run(_: string[], options: Options): Promise<void> {
    const day = new Date();
    day.setMonth(day.getMonth() - (options.months ?? 24));
    for (const patient of await this.patients.notSeenSince(day)) {
      if (patient.email) {
        await this.mail.send(patient.email, 'Time for a check-up', `Dear ${patient.name}, we have not seen you for long.`);
      }
    }
  }

  @Option({ flags: '--months <number>', description: 'Months since the last visit' })
  parseMonths(value: string): number {
    return Number(value);
  }
}
