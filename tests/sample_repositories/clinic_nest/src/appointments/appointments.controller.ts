import { Body, Controller, Get, Param, ParseIntPipe, Post, Query } from '@nestjs/common';
import { AuditService } from '../audit/audit.service';
import { Appointment } from '../entities';
import { AppointmentsService } from './appointments.service';
import { CancelAppointmentDto } from './dto/cancel-appointment.dto';
import { CreateAppointmentDto } from './dto/create-appointment.dto';
import { ListAppointmentsDto } from './dto/list-appointments.dto';

/** The diary, as the people at the desk see it. */
@Controller('appointments')
export class AppointmentsController {
  constructor(
    private readonly appointments: AppointmentsService,
    private readonly audit: AuditService,
  ) {}

  @Get()
  async list(@Query() query: ListAppointmentsDto): Promise<Appointment[]> {
    await this.audit.log('list appointments');
    return this.appointments.find(query);
  }

  @Post()
  async create(@Body() body: CreateAppointmentDto): Promise<Appointment> {
    await this.audit.log(`book for patient ${body.patientId}`);
    return this.appointments.book({ ...body, startsAt: new Date(body.startsAt), minutes: body.minutes ?? 20 });
  }

  @Get(':id')
  async read(@Param('id', ParseIntPipe) id: number): Promise<Appointment> {
    await this.audit.log(`read appointment ${id}`);
    return this.appointments.one(id);
  }

  @Post(':id/cancel')
  async cancel(@Param('id', ParseIntPipe) id: number, @Body() body: CancelAppointmentDto): Promise<Appointment> {
    await this.audit.log(`cancel appointment ${id}`);
    return this.appointments.cancel(await this.appointments.one(id), body.reason);
  }

  @Post(':id/arrive')
  async arrive(@Param('id', ParseIntPipe) id: number): Promise<Appointment> {
    await this.audit.log(`arrival for ${id}`);
    return this.appointments.setStatus(id, 'arrived');
  }

  @Post(':id/finish')
  async finish(@Param('id', ParseIntPipe) id: number): Promise<Appointment> {
    await this.audit.log(`finish ${id}`);
    return this.appointments.setStatus(id, 'done');
  }
}
