import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AppointmentsController } from './appointments/appointments.controller';
import { AppointmentsService } from './appointments/appointments.service';
import { AuditService } from './audit/audit.service';
import { SendRecallsCommand } from './commands/send-recalls.command';
import { SendRemindersCommand } from './commands/send-reminders.command';
import { Appointment, AuditEntry, Patient, Practitioner, WaitingEntry } from './entities';
import { MailSender } from './messages/mail.sender';
import { SmsSender } from './messages/sms.sender';
import { PatientsController } from './patients/patients.controller';
import { PatientsService } from './patients/patients.service';
import { PractitionersController } from './practitioners/practitioners.controller';
import { PublicBookingController } from './public-booking/public-booking.controller';
import { WaitingListController } from './waiting-list/waiting-list.controller';
import { WaitingListService } from './waiting-list/waiting-list.service';

const tables = [Appointment, AuditEntry, Patient, Practitioner, WaitingEntry];

@Module({
  imports: [
    TypeOrmModule.forRoot({ type: 'sqlite', database: 'clinic.db', entities: tables }),
    TypeOrmModule.forFeature(tables),
  ],
  controllers: [
    AppointmentsController,
    PatientsController,
    PractitionersController,
    PublicBookingController,
    WaitingListController,
  ],
  providers: [
    AppointmentsService,
    AuditService,
    MailSender,
    PatientsService,
    SendRecallsCommand,
    SendRemindersCommand,
    SmsSender,
    WaitingListService,
  ],
})
export class AppModule {}
