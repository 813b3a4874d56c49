// Package storage holds the rows and finds them again.
package storage

import (
	"errors"
	"time"
)

// ErrNoRow says that nothing has this key.
var ErrNoRow = errors.New("no such row")

// Address is where somebody lives or works.
type Address struct {
	Name     string `json:"name"`
	Street   string `json:"street"`
	Postcode string `json:"postcode"`
	Country  string `json:"country"`
}

// Parcel is something on its way.
type Parcel struct {
	Code      string    `json:"code"`
	ShopID    string    `json:"shop_id"`
	DepotID   string    `json:"depot_id"`
	To        Address   `json:"to"`
	Grams     int       `json:"grams"`
	Status    string    `json:"status"`
	Attempts  int       `json:"attempts"`
	Fragile   bool      `json:"fragile"`
	Hint      string    `json:"hint"`
	Cents     int       `json:"cents"`
	HandedIn  time.Time `json:"handed_in"`
	Signature string    `json:"signature"`
}

// Event is one thing that happened to a parcel.
type Event struct {
	Code string    `json:"code"`
	At   time.Time `json:"at"`
	Text string    `json:"text"`
}

// Depot is a building where parcels wait.
type Depot struct {
	ID    string `json:"id"`
	City  string `json:"city"`
	Hours string `json:"hours"`
	Hint  string `json:"hint"`
}

// Pickup is a courier's visit to a shop.
type Pickup struct {
	ID     int       `json:"id"`
	ShopID string    `json:"shop_id"`
	On     time.Time `json:"on"`
	Done   bool      `json:"done"`
}

// DB is all tables.
type DB struct {
	Parcels map[string]*Parcel
	Depots  map[string]*Depot
	Pickups map[int]*Pickup
	Events  []Event
}

// Open makes an empty database.
func Open() *DB {
	return &DB{Parcels: map[string]*Parcel{}, Depots: map[string]*Depot{}, Pickups: map[int]*Pickup{}}
}

// Parcel finds one parcel.
func (db *DB) Parcel(code string) (*Parcel, error) {
	if parcel, ok := db.Parcels[code]; ok {
		return parcel, nil
	}
	return nil, ErrNoRow
}

// Depot finds one depot.
func (db *DB) Depot(id string) (*Depot, error) {
	if depot, ok := db.Depots[id]; ok {
		return depot, nil
	}
	return nil, ErrNoRow
}

// History is what happened to a parcel, in order.
func (db *DB) History(code string) []Event {
	events := []Event{}
	for _, event := range db.Events {
		if event.Code == code {
			events = append(events, event)
		}
	}
	return events
}
