import { BadRequestException, Body, Controller, Delete, Get, Param, Post } from '@nestjs/common';
import { IsDateString, IsEmail, IsInt, IsString } from 'class-validator';
import { AppointmentsService } from '../appointments/appointments.service';
import { AuditService } from '../audit/audit.service';
import { BOOKING_HORIZON_DAYS } from '../config';
import { PatientsService } from '../patients/patients.service';

export class PublicBookingDto {
  @IsString()
  name!: string;

  @IsEmail()
  email!: string;

  @IsInt()
  practitionerId!: number;

  @IsDateString()
  startsAt!: string;
}

/** What patients do for themselves on the website, without an account. */
@Controller('public/appointments')
export class PublicBookingController {
  constructor(
    private readonly appointments: AppointmentsService,
    private readonly patients: PatientsService,
    private readonly audit: AuditService,
  ) {}

  @Post()
  async book(@Body() body: PublicBookingDto): Promise<{ code: string }> {
    const startsAt = new Date(body.startsAt);
    if (startsAt.getTime() > Date.now() + BOOKING_HORIZON_DAYS * 86_400_000) {
      throw new BadRequestException(`at most ${BOOKING_HORIZON_DAYS} days ahead`);
    }
    await this.audit.log('website booking');
    const patient = await this.patients.knownOrNew(body.email, body.name);
    const booked = await this.appointments.book({
      patientId: patient.id,
      practitionerId: body.practitionerId,
      startsAt,
      minutes: 20,
    });
    return { code: booked.code };
  }

  @Get(':code')
  async show(@Param('code') code: string): Promise<{ startsAt: Date; status: string }> {
    const { startsAt, status } = await this.appointments.byCode(code);
    return { startsAt, status };
  }

  @Delete(':code')
  async withdraw(@Param('code') code: string): Promise<{ status: string }> {
    await this.audit.log(`website cancellation ${code}`);
    const { status } = await this.appointments.cancel(await this.appointments.byCode(code));
    return { status };
  }
}
