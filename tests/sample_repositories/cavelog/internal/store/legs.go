package store

import (
	"sort"

	"example.com/cavelog/internal/model"
)

// Trip finds a trip by its id.
func (db *DB) Trip(id string) (*model.Trip, error) {
	db.mu.RLock()
	defer db.mu.RUnlock()
	if trip, ok := db.Trips[id]; ok {
		return trip, nil
	}
	return nil, ErrNotFound
}

// AddTrip keeps a trip.
func (db *DB) AddTrip(trip *model.Trip) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	db.Trips[trip.ID] = trip
	return db.save()
}

// TripOfDevice says with which trip a laser meter is paired.
func (db *DB) TripOfDevice(serial string) (string, bool) {
	db.mu.RLock()
	defer db.mu.RUnlock()
	id, ok := db.Devices[serial]
	return id, ok
}

// AddLeg keeps a leg.
func (db *DB) AddLeg(leg *model.Leg) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	db.Legs[leg.ID] = leg
	return db.save()
}

// RemoveLeg forgets a leg.
func (db *DB) RemoveLeg(id string) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	if _, ok := db.Legs[id]; !ok {
		return ErrNotFound
	}
	delete(db.Legs, id)
	return db.save()
}

// LegsOfTrip lists the legs of a trip in the order of their ids.
func (db *DB) LegsOfTrip(tripID string) []*model.Leg {
	db.mu.RLock()
	defer db.mu.RUnlock()
	var legs []*model.Leg
	for _, leg := range db.Legs {
		if leg.TripID == tripID {
			legs = append(legs, leg)
		}
	}
	sort.Slice(legs, func(i, j int) bool { return legs[i].ID < legs[j].ID })
	return legs
}

// LegsOfCave lists the legs of all trips to a cave.
func (db *DB) LegsOfCave(caveID string) []*model.Leg {
	var legs []*model.Leg
	for _, trip := range db.Trips {
		if trip.CaveID == caveID {
			legs = append(legs, db.LegsOfTrip(trip.ID)...)
		}
	}
	return legs
}
