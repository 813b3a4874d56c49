// Package store keeps everything in one JSON file.
package store

import (
	"encoding/json"
	"errors"
	"os"
	"sync"

	"example.com/cavelog/internal/model"
)

// ErrNotFound says that there is nothing with that id.
var ErrNotFound = errors.New("not found")

// DB is the file, read into memory.
type DB struct {
	mu      sync.RWMutex
	file    string
	Caves   map[string]*model.Cave   `json:"caves"`
	Trips   map[string]*model.Trip   `json:"trips"`
	Legs    map[string]*model.Leg    `json:"legs"`
	Hazards map[string]*model.Hazard `json:"hazards"`
	// Fixed are the adjusted stations of a cave.
	Fixed map[string]map[string]model.Point `json:"fixed"`
	// Devices are the laser meters, and the trip each is paired with.
	Devices map[string]string `json:"devices"`
}

// Open reads the file; a missing one is an empty store.
func Open(file string) (*DB, error) {
	db := &DB{
		file:    file,
		Caves:   map[string]*model.Cave{},
		Trips:   map[string]*model.Trip{},
		Legs:    map[string]*model.Leg{},
		Hazards: map[string]*model.Hazard{},
		Fixed:   map[string]map[string]model.Point{},
		Devices: map[string]string{},
	}
	raw, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return db, nil
	}
	if err != nil {
		return nil, err
	}
	return db, json.Unmarshal(raw, db)
}

// save writes the file; the caller holds the lock.
func (db *DB) save() error {
	raw, err := json.Marshal(db)
	if err != nil {
		return err
	}
	return os.WriteFile(db.file, raw, 0o640)
}
