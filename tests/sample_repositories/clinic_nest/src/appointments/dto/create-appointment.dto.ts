import { IsDateString, IsInt, IsOptional, IsString, Max, Min } from 'class-validator';

export class CreateAppointmentDto {
  @IsInt()
  patientId!: number;

  @IsInt()
  practitionerId!: number;

  @IsDateString()
  startsAt!: string;

  @IsOptional()
  @IsInt()
  @Min(10)
  @Max(120)
  minutes?: number;

  @IsOptional()
  @IsString()
  remarks?: string;
}
