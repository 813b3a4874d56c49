// Package trips starts, follows and ends trips.
package trips

import (
	"errors"
	"time"

	"example.com/fleet/internal/config"
	"example.com/fleet/internal/model"
	"example.com/fleet/internal/store"
)

// ErrNotAllowed says that this driver or vehicle must not go.
var ErrNotAllowed = errors.New("not allowed to go")

// Start sends a vehicle out.
func Start(s *store.Store, vehicle *model.Vehicle, driver *model.Driver, purpose string) (*model.Trip, error) {
	if driver.Suspended || vehicle.Retired {
		return nil, ErrNotAllowed
	}
	now := time.Now()
	return s.AddTrip(&model.Trip{
		VehicleID: vehicle.ID,
		DriverID:  driver.ID,
		Purpose:   purpose,
		StartKm:   vehicle.Odometer,
		StartedAt: now,
		LastSeen:  now,
	}), nil
}

// Finish ends a trip and reads the distance into the vehicle.
func Finish(s *store.Store, trip *model.Trip, km int) error {
	vehicle, err := s.Vehicle(trip.VehicleID)
	if err != nil {
		return err
	}
	now := time.Now()
	trip.EndedAt = &now
	trip.EndKm = km
	vehicle.Odometer = km
	return nil
}

// CloseIdle finishes trips that have not moved for long.
func CloseIdle(s *store.Store) (int, error) {
	limit := time.Now().Add(-config.TripIdleLimit)
	closed := 0
	for _, trip := range s.Trips(func(t *model.Trip) bool { return t.EndedAt == nil && t.LastSeen.Before(limit) }) {
		if err := Finish(s, trip, trip.StartKm); err != nil {
			return closed, err
		}
		closed++
	}
	return closed, nil
}

// Summary is one line about a trip.
func Summary(trip *model.Trip) string {
	return trip.StartedAt.Format(time.DateOnly) + " " + trip.Purpose
}
