// Package api has the routes and the handlers.
package api

import (
	"net/http"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"

	"example.com/cavelog/internal/store"
)

// Server is what the handlers need.
type Server struct {
	db        *store.DB
	rescueKey string
}

// NewRouter puts all routes together.
func NewRouter(db *store.DB, rescueKey string) http.Handler {
	s := &Server{db: db, rescueKey: rescueKey}
	r := chi.NewRouter()
	r.Use(middleware.Logger, middleware.Recoverer)

	r.Route("/api/v1", func(r chi.Router) {
		r.Get("/caves", s.listCaves)
		r.Get("/caves/{cave}", s.showCave)
		r.Get("/caves/{cave}/plan.svg", s.drawPlan)
		r.Get("/caves/{cave}/section.svg", s.drawSection)
		r.Post("/caves/{cave}/adjust", s.adjustCave)
		r.Post("/caves/{cave}/hazards", s.reportHazard)
		r.Post("/trips", s.createTrip)
		r.Post("/trips/{trip}/legs", s.addLeg)
		r.Post("/trips/{trip}/legs/upload", s.uploadLegs)
		r.Post("/trips/{trip}/adjust", s.adjustTrip)
		r.Delete("/legs/{leg}", s.deleteLeg)
	})
	r.Route("/api/v2", func(r chi.Router) {
		r.Get("/caves", s.searchCaves)
		r.Post("/trips/{trip}/legs", s.syncLegs)
	})
	r.Post("/disto/{serial}", s.pushShot)
	r.Get("/feed/caves.geojson", s.caveFeed)
	r.With(s.onlyRescue).Post("/rescue/v1/hazards", s.rescueHazard)
	return r
}

// onlyRescue lets the cave rescue through, and nobody else.
func (s *Server) onlyRescue(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.rescueKey == "" || r.Header.Get("X-Rescue-Key") != s.rescueKey {
			writeError(w, http.StatusUnauthorized, "wrong key")
			return
		}
		next.ServeHTTP(w, r)
	})
}
