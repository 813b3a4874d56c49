import { ConflictException, Injectable, NotFoundException } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { randomBytes } from 'node:crypto';
import { Between, Repository } from 'typeorm';
import { Appointment, Patient, Practitioner } from '../entities';
import { MailSender } from '../messages/mail.sender';
import { SmsSender } from '../messages/sms.sender';
import { ListAppointmentsDto } from './dto/list-appointments.dto';

export interface Slot {
  patientId: number;
  practitionerId: number;
  startsAt: Date;
  minutes: number;
  remarks?: string;
}

@Injectable()
export class AppointmentsService {
  constructor(
    @InjectRepository(Appointment) private readonly appointments: Repository<Appointment>,
    @InjectRepository(Patient) private readonly patients: Repository<Patient>,
    @InjectRepository(Practitioner) private readonly practitioners: Repository<Practitioner>,
    private readonly sms: SmsSender,
    private readonly mail: MailSender,
  ) {}

  find(query: ListAppointmentsDto): Promise<Appointment[]> {
    const from = query.from ? new Date(query.from) : new Date(0);
    const to = query.to ? new Date(query.to) : new Date(8.64e15);
    return this.appointments.find({
      where: {
        startsAt: Between(from, to),
        status: query.status,
        practitioner: query.practitionerId ? { id: query.practitionerId } : undefined,
      },
      order: { startsAt: 'ASC' },
    });
  }

  async one(id: number): Promise<Appointment> {
    const appointment = await this.appointments.findOneBy({ id });
    if (!appointment) {
      throw new NotFoundException(`there is no appointment ${id}`);
    }
    return appointment;
  }

  async byCode(code: string): Promise<Appointment> {
    const appointment = await this.appointments.findOneBy({ code });
    if (!appointment) {
      throw new NotFoundException('this code is not valid');
    }
    return appointment;
  }

  /** Takes a slot for a patient and confirms it. */
  async book(slot: Slot): Promise<Appointment> {
    const patient = await this.patients.findOneByOrFail({ id: slot.patientId });
    const practitioner = await this.practitioners.findOneByOrFail({ id: slot.practitionerId });
    if (await this.overlaps(practitioner, slot.startsAt, slot.minutes)) {
      throw new ConflictException(`${practitioner.name} has somebody at that time`);
    }
    const code = randomBytes(4).toString('hex');
    const saved = await this.appointments.save(
      this.appointments.create({ patient, practitioner, startsAt: slot.startsAt, minutes: slot.minutes, code }),
    );
    await this.tell(patient, `Your appointment is on ${slot.startsAt.toISOString()}, code ${code}`);
    return saved;
  }

  /** Gives a slot back and tells the patient. */
  async cancel(appointment: Appointment, reason?: string): Promise<Appointment> {
    appointment.status = 'cancelled';
    appointment.remarks = reason;
    const saved = await this.appointments.save(appointment);
    await this.tell(appointment.patient, 'Your appointment is cancelled.');
    return saved;
  }

  async setStatus(id: number, status: Appointment['status']): Promise<Appointment> {
    const appointment = await this.one(id);
    appointment.status = status;
    return this.appointments.save(appointment);
  }

  private async overlaps(practitioner: Practitioner, startsAt: Date, minutes: number): Promise<boolean> {
    const ends = new Date(startsAt.getTime() + minutes * 60_000);
    const near = await this.appointments.findBy({ practitioner: { id: practitioner.id }, startsAt: Between(startsAt, ends) });
    return near.some((other) => other.status !== 'cancelled');
  }

  private async tell(patient: Patient, text: string): Promise<void> {
    if (patient.phone) {
      await this.sms.send(patient.phone, text);
    } else if (patient.email) {
      await this.mail.send(patient.email, 'Your appointment', text);
    }
  }
}
