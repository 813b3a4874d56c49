// Package parcels moves parcels.
package parcels

import "sync"

// Parcel is a parcel, and what was noted when it was moved last.
type Parcel struct {
	Number int    `json:"number"`
	State  string `json:"state"`
	Note   string `json:"note,omitempty"`
}

// Depot holds parcels, by their number.
type Depot struct {
	mutex   sync.Mutex
	parcels map[int]Parcel
}

// NewDepot gives an empty depot.
func NewDepot() *Depot {
	return &Depot{parcels: map[int]Parcel{}}
}

// Add takes a parcel in.
func (d *Depot) Add(number int) Parcel {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	parcel := Parcel{Number: number, State: "in the depot"}
	d.parcels[number] = parcel
	return parcel
}

// Find gives the parcel with a number.
func (d *Depot) Find(number int) (Parcel, bool) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	parcel, known := d.parcels[number]
	return parcel, known
}

// Remove takes a parcel out of the books.
func (d *Depot) Remove(number int) bool {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	_, known := d.parcels[number]
	delete(d.parcels, number)
	return known
}

// Count says how many parcels are in each state.
func (d *Depot) Count() map[string]int {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	counts := map[string]int{}
	for _, parcel := range d.parcels {
		counts[parcel.State]++
	}
	return counts
}
