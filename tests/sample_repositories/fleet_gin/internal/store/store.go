// Package store keeps the rows; this one in memory, the real one in a database.
package store

import (
	"errors"
	"sync"

	"example.com/fleet/internal/model"
)

// ErrNotFound says that there is no such row.
var ErrNotFound = errors.New("not found")

// Store is all tables.
type Store struct {
	mu       sync.Mutex
	vehicles map[int]*model.Vehicle
	drivers  map[int]*model.Driver
	trips    map[int]*model.Trip
	repairs  map[int]*model.Repair
}

// New makes an empty store.
func New() *Store {
	return &Store{
		vehicles: map[int]*model.Vehicle{},
		drivers:  map[int]*model.Driver{},
		trips:    map[int]*model.Trip{},
		repairs:  map[int]*model.Repair{},
	}
}

// Vehicle finds one vehicle.
func (s *Store) Vehicle(id int) (*model.Vehicle, error) {
	if row, ok := s.vehicles[id]; ok {
		return row, nil
	}
	return nil, ErrNotFound
}

// Vehicles lists those that keep returns true for.
func (s *Store) Vehicles(keep func(*model.Vehicle) bool) []*model.Vehicle {
	rows := []*model.Vehicle{}
	for _, row := range s.vehicles {
		if keep(row) {
			rows = append(rows, row)
		}
	}
	return rows
}

// Driver finds one driver.
func (s *Store) Driver(id int) (*model.Driver, error) {
	if row, ok := s.drivers[id]; ok {
		return row, nil
	}
	return nil, ErrNotFound
}

// Drivers lists all drivers.
func (s *Store) Drivers() []*model.Driver {
	rows := []*model.Driver{}
	for _, row := range s.drivers {
		rows = append(rows, row)
	}
	return rows
}

// Trip finds one trip.
func (s *Store) Trip(id int) (*model.Trip, error) {
	if row, ok := s.trips[id]; ok {
		return row, nil
	}
	return nil, ErrNotFound
}

// Trips lists those that keep returns true for.
func (s *Store) Trips(keep func(*model.Trip) bool) []*model.Trip {
	rows := []*model.Trip{}
	for _, row := range s.trips {
		if keep(row) {
			rows = append(rows, row)
		}
	}
	return rows
}

// AddTrip stores a new trip.
func (s *Store) AddTrip(row *model.Trip) *model.Trip {
	s.mu.Lock()
	defer s.mu.Unlock()
	row.ID = len(s.trips) + 1
	s.trips[row.ID] = row
	return row
}

// Repair finds one repair.
func (s *Store) Repair(id int) (*model.Repair, error) {
	if row, ok := s.repairs[id]; ok {
		return row, nil
	}
	return nil, ErrNotFound
}

// Repairs lists all repairs of a vehicle.
func (s *Store) Repairs(vehicleID int) []*model.Repair {
	rows := []*model.Repair{}
	for _, row := range s.repairs {
		if row.VehicleID == vehicleID {
			rows = append(rows, row)
		}
	}
	return rows
}

// AddRepair stores a new repair.
func (s *Store) AddRepair(row *model.Repair) *model.Repair {
	s.mu.Lock()
	defer s.mu.Unlock()
	row.ID = len(s.repairs) + 1
	s.repairs[row.ID] = row
	return row
}
