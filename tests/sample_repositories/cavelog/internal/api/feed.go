package api

import (
	"net/http"
	"time"

	"example.com/cavelog/internal/registry"
)

type feature struct {
	Type       string         `json:"type"`
	Geometry   map[string]any `json:"geometry"`
	Properties map[string]any `json:"properties"`
}

// caveFeed feeds the map of the region. With `since` only what has changed.
func (s *Server) caveFeed(w http.ResponseWriter, r *http.Request) {
	since, _ := time.Parse(time.RFC3339, r.URL.Query().Get("since"))
	features := []feature{}
	for _, cave := range registry.Find(s.db, registry.Filter{Region: r.URL.Query().Get("region")}) {
		if cave.UpdatedAt.Before(since) {
			continue
		}
		features = append(features, feature{
			Type:       "Feature",
			Geometry:   map[string]any{"type": "Point", "coordinates": []float64{cave.Lon, cave.Lat}},
			Properties: map[string]any{"id": cave.ID, "name": cave.Name},
		})
	}
	writeJSON(w, http.StatusOK, map[string]any{"type": "FeatureCollection", "features": features})
}
