// Package registry finds caves.
package registry

import (
	"sort"
	"strings"

	"example.com/cavelog/internal/model"
	"example.com/cavelog/internal/store"
)

// Filter narrows the search; zero values don't.
type Filter struct {
	Name      string
	Region    string
	MinLength float64
	MinDepth  float64
	OpenOnly  bool
}

// Find lists the caves that fit, by name.
func Find(db *store.DB, f Filter) []*model.Cave {
	var found []*model.Cave
	for _, cave := range db.AllCaves() {
		if fits(cave, f) {
			found = append(found, cave)
		}
	}
	sort.Slice(found, func(i, j int) bool { return found[i].Name < found[j].Name })
	return found
}

func fits(cave *model.Cave, f Filter) bool {
	if f.Name != "" && !strings.Contains(cave.Name, f.Name) {
		return false
	}
	if f.Region != "" && cave.Region != f.Region {
		return false
	}
	if f.OpenOnly && cave.Gated {
		return false
	}
	return cave.LengthM >= f.MinLength && cave.DepthM >= f.MinDepth
}
