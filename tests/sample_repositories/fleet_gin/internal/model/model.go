// Package model holds the rows.
package model

import "time"

// Vehicle is a van or a car.
type Vehicle struct {
	ID       int       `json:"id"`
	Plate    string    `json:"plate"`
	Kind     string    `json:"kind"`
	Depot    string    `json:"depot"`
	Odometer int       `json:"odometer"`
	Retired  bool      `json:"retired"`
	Comment  string    `json:"comment"`
	Bought   time.Time `json:"bought"`
}

// Driver is somebody who may drive.
type Driver struct {
	ID        int    `json:"id"`
	Name      string `json:"name"`
	Phone     string `json:"phone"`
	License   string `json:"license"`
	Suspended bool   `json:"suspended"`
	Comment   string `json:"comment"`
}

// Trip is a vehicle on the road with a driver.
type Trip struct {
	ID        int        `json:"id"`
	VehicleID int        `json:"vehicle_id"`
	DriverID  int        `json:"driver_id"`
	Purpose   string     `json:"purpose"`
	StartKm   int        `json:"start_km"`
	EndKm     int        `json:"end_km"`
	StartedAt time.Time  `json:"started_at"`
	EndedAt   *time.Time `json:"ended_at"`
	LastSeen  time.Time  `json:"last_seen"`
}

// Repair is a stay in the workshop.
type Repair struct {
	ID        int        `json:"id"`
	VehicleID int        `json:"vehicle_id"`
	Garage    string     `json:"garage"`
	Problem   string     `json:"problem"`
	Cents     int        `json:"cents"`
	DoneAt    *time.Time `json:"done_at"`
}
