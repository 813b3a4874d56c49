package store

import "example.com/cavelog/internal/model"

// Cave finds a cave by its id.
func (db *DB) Cave(id string) (*model.Cave, error) {
	db.mu.RLock()
	defer db.mu.RUnlock()
	if cave, ok := db.Caves[id]; ok {
		return cave, nil
	}
	return nil, ErrNotFound
}

// AllCaves lists the caves, in no order.
func (db *DB) AllCaves() []*model.Cave {
	db.mu.RLock()
	defer db.mu.RUnlock()
	all := make([]*model.Cave, 0, len(db.Caves))
	for _, cave := range db.Caves {
		all = append(all, cave)
	}
	return all
}

// SetFixed keeps the adjusted stations of a cave.
func (db *DB) SetFixed(caveID string, points map[string]model.Point) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.Fixed[caveID] == nil {
		db.Fixed[caveID] = map[string]model.Point{}
	}
	for name, point := range points {
		db.Fixed[caveID][name] = point
	}
	return db.save()
}
