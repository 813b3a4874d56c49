import { Body, Controller, Get, Param, ParseIntPipe, Post } from '@nestjs/common';
import { IsBoolean, IsDateString, IsInt, IsString } from 'class-validator';
import { AuditService } from '../audit/audit.service';
import { Appointment, WaitingEntry } from '../entities';
import { WaitingListService } from './waiting-list.service';

export class AddWaitingDto {
  @IsInt()
  patientId!: number;

  @IsString()
  specialty!: string;

  @IsBoolean()
  urgent!: boolean;
}

export class PromoteDto {
  @IsInt()
  practitionerId!: number;

  @IsDateString()
  startsAt!: string;
}

/** Patients who want an earlier time. */
@Controller('waiting-list')
export class WaitingListController {
  constructor(
    private readonly waiting: WaitingListService,
    private readonly audit: AuditService,
  ) {}

  @Get()
  async list(): Promise<WaitingEntry[]> {
    await this.audit.log('list waiting');
    return this.waiting.all();
  }

  @Post()
  async add(@Body() body: AddWaitingDto): Promise<WaitingEntry> {
    await this.audit.log(`patient ${body.patientId} waits`);
    return this.waiting.add(body.patientId, body.specialty, body.urgent);
  }

  @Post(':id/promote')
  async promote(@Param('id', ParseIntPipe) id: number, @Body() body: PromoteDto): Promise<Appointment> {
    await this.audit.log(`promote ${id}`);
    return this.waiting.promote(id, body.practitionerId, new Date(body.startsAt));
  }
}
