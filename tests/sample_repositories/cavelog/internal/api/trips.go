package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"

	"example.com/cavelog/internal/model"
	"example.com/cavelog/internal/survey"
)

type tripBody struct {
	CaveID      string    `json:"cave_id"`
	Date        time.Time `json:"date"`
	Team        []string  `json:"team"`
	Declination float64   `json:"declination"`
}

// createTrip opens the notebook of a day.
func (s *Server) createTrip(w http.ResponseWriter, r *http.Request) {
	var body tripBody
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		writeError(w, http.StatusBadRequest, err.Error())
		return
	}
	trip := &model.Trip{
		ID:          fmt.Sprintf("%s-%s", body.CaveID, body.Date.Format("20060102")),
		CaveID:      body.CaveID,
		Date:        body.Date,
		Team:        body.Team,
		Declination: body.Declination,
	}
	if err := s.db.AddTrip(trip); err != nil {
		fail(w, err)
		return
	}
	writeJSON(w, http.StatusCreated, trip)
}

// adjustTrip closes the loops of one trip.
func (s *Server) adjustTrip(w http.ResponseWriter, r *http.Request) {
	trip, err := s.db.Trip(chi.URLParam(r, "trip"))
	if err != nil {
		fail(w, err)
		return
	}
	loops, err := survey.Adjust(s.db, trip.CaveID, s.db.LegsOfTrip(trip.ID), adjustOptions(r))
	if err != nil {
		fail(w, err)
		return
	}
	writeJSON(w, http.StatusOK, loops)
}

// adjustCave closes the loops of a whole cave.
func (s *Server) adjustCave(w http.ResponseWriter, r *http.Request) {
	cave, err := s.db.Cave(chi.URLParam(r, "cave"))
	if err != nil {
		fail(w, err)
		return
	}
	loops, err := survey.Adjust(s.db, cave.ID, s.db.LegsOfCave(cave.ID), adjustOptions(r))
	if err != nil {
		fail(w, err)
		return
	}
	writeJSON(w, http.StatusOK, loops)
}

func adjustOptions(r *http.Request) survey.AdjustOptions {
	entrance := r.URL.Query().Get("entrance")
	if entrance == "" {
		entrance = "0"
	}
	return survey.AdjustOptions{Tolerance: number(r, "tolerance", 2), Entrance: entrance}
}
