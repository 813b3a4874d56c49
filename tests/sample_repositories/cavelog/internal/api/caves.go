package api

import (
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"

	"example.com/cavelog/internal/registry"
)

// listCaves is the list on the club's web page.
func (s *Server) listCaves(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	found := registry.Find(s.db, registry.Filter{
		Name:      q.Get("name"),
		Region:    q.Get("region"),
		MinLength: number(r, "min_length", 0),
		MinDepth:  number(r, "min_depth", 0),
	})
	writeJSON(w, http.StatusOK, found)
}

// searchCaves is what the phone app asks; it gets the caves in pages.
func (s *Server) searchCaves(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	found := registry.Find(s.db, registry.Filter{
		Name:     q.Get("q"),
		Region:   q.Get("region"),
		OpenOnly: flag(r, "open"),
	})
	page, size := int(number(r, "page", 0)), int(number(r, "size", 30))
	from := min(max(page*size, 0), len(found))
	to := min(from+size, len(found))
	writeJSON(w, http.StatusOK, map[string]any{"caves": found[from:to], "total": len(found)})
}

// showCave is one cave with the hazards of today (or of the day `at`).
func (s *Server) showCave(w http.ResponseWriter, r *http.Request) {
	cave, err := s.db.Cave(chi.URLParam(r, "cave"))
	if err != nil {
		fail(w, err)
		return
	}
	at := time.Now()
	if day, err := time.Parse("2006-01-02", r.URL.Query().Get("at")); err == nil {
		at = day
	}
	writeJSON(w, http.StatusOK, map[string]any{"cave": cave, "hazards": s.db.HazardsOf(cave.ID, at)})
}
