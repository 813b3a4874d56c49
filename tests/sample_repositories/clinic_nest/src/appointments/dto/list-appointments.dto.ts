import { IsDateString, IsIn, IsInt, IsOptional } from 'class-validator';
import { Type } from 'class-transformer';

export class ListAppointmentsDto {
  @IsOptional()
  @IsDateString()
  from?: string;

  @IsOptional()
  @IsDateString()
  to?: string;

  /** Only the appointments of one doctor, nurse or therapist. */
  @IsOptional()
  @Type(() => Number)
  @IsInt()
  practitionerId?: number;

  @IsOptional()
  @IsIn(['booked', 'arrived', 'done', 'cancelled'])
  status?: 'booked' | 'arrived' | 'done' | 'cancelled';
}
