package store

import (
	"time"

	"example.com/cavelog/internal/model"
)

// AddHazard keeps a hazard.
func (db *DB) AddHazard(h *model.Hazard) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	db.Hazards[h.ID] = h
	return db.save()
}

// HazardsOf lists what is dangerous in a cave at the given time.
func (db *DB) HazardsOf(caveID string, at time.Time) []*model.Hazard {
	db.mu.RLock()
	defer db.mu.RUnlock()
	var found []*model.Hazard
	for _, h := range db.Hazards {
		if h.CaveID != caveID || (h.ExpiresAt != nil && h.ExpiresAt.Before(at)) {
			continue
		}
		found = append(found, h)
	}
	return found
}
