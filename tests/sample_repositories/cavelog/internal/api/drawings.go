package api

import (
	"net/http"

	"github.com/go-chi/chi/v5"

	"example.com/cavelog/internal/draw"
)

func drawOptions(r *http.Request) draw.Options {
	return draw.Options{Scale: number(r, "scale", 4), Splays: flag(r, "splays"), Names: flag(r, "names")}
}

func writeSVG(w http.ResponseWriter, svg string) {
	w.Header().Set("Content-Type", "image/svg+xml")
	_, _ = w.Write([]byte(svg))
}

// drawPlan looks from above.
func (s *Server) drawPlan(w http.ResponseWriter, r *http.Request) {
	cave := chi.URLParam(r, "cave")
	writeSVG(w, draw.Sheet(s.db.Fixed[cave], s.db.LegsOfCave(cave), draw.Plan, drawOptions(r)))
}

// drawSection looks from the south. `lift` is the exaggeration of heights.
func (s *Server) drawSection(w http.ResponseWriter, r *http.Request) {
	cave := chi.URLParam(r, "cave")
	points := s.db.Fixed[cave]
	if lift := number(r, "lift", 1); lift != 1 {
		points = draw.Stretch(points, lift)
	}
	writeSVG(w, draw.Sheet(points, s.db.LegsOfCave(cave), draw.Section, drawOptions(r)))
}
