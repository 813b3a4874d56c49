package api

import (
	"encoding/json"
	"net/http"

	"github.com/go-chi/chi/v5"

	"example.com/cavelog/internal/model"
	"example.com/cavelog/internal/survey"
)

type legBody struct {
	From     string  `json:"from"`
	To       string  `json:"to"`
	Tape     float64 `json:"tape"`
	Compass  float64 `json:"compass"`
	Clino    float64 `json:"clino"`
	Left     float64 `json:"left"`
	Right    float64 `json:"right"`
	Splay    bool    `json:"splay"`
	Surface  bool    `json:"surface"`
	Backward bool    `json:"backward"`
}

func (b legBody) reading(source string) survey.Reading {
	return survey.Reading{
		From: b.From, To: b.To,
		Tape: b.Tape, Compass: b.Compass, Clino: b.Clino,
		Left: b.Left, Right: b.Right,
		Splay: b.Splay, Surface: b.Surface, Backward: b.Backward,
		Source: source,
	}
}

// addLeg is the form on the web page: one leg.
func (s *Server) addLeg(w http.ResponseWriter, r *http.Request) {
	var body legBody
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		writeError(w, http.StatusBadRequest, err.Error())
		return
	}
	leg, err := survey.AddLeg(s.db, chi.URLParam(r, "trip"), body.reading("web"))
	if err != nil {
		fail(w, err)
		return
	}
	writeJSON(w, http.StatusCreated, leg)
}

// uploadLegs takes a Survex file. Nothing is kept if `check` is set.
func (s *Server) uploadLegs(w http.ResponseWriter, r *http.Request) {
	readings, err := survey.ParseSurvex(r.Body)
	if err != nil {
		writeError(w, http.StatusUnprocessableEntity, err.Error())
		return
	}
	if flag(r, "check") {
		writeJSON(w, http.StatusOK, map[string]int{"readable": len(readings)})
		return
	}
	legs := []*model.Leg{}
	for _, reading := range readings {
		leg, err := survey.AddLeg(s.db, chi.URLParam(r, "trip"), reading)
		if err != nil {
			fail(w, err)
			return
		}
		legs = append(legs, leg)
	}
	writeJSON(w, http.StatusCreated, legs)
}

type syncBody struct {
	Legs []legBody `json:"legs"`
	// SkipBad goes on after a leg that can't be right.
	SkipBad bool `json:"skip_bad"`
}

// syncLegs is the phone app coming home: all the legs of the day.
func (s *Server) syncLegs(w http.ResponseWriter, r *http.Request) {
	var body syncBody
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		writeError(w, http.StatusBadRequest, err.Error())
		return
	}
	kept, bad := 0, []string{}
	for _, b := range body.Legs {
		if _, err := survey.AddLeg(s.db, chi.URLParam(r, "trip"), b.reading("app")); err != nil {
			if !body.SkipBad {
				fail(w, err)
				return
			}
			bad = append(bad, err.Error())
			continue
		}
		kept++
	}
	writeJSON(w, http.StatusOK, map[string]any{"kept": kept, "bad": bad})
}

// deleteLeg takes a leg out again.
func (s *Server) deleteLeg(w http.ResponseWriter, r *http.Request) {
	if err := s.db.RemoveLeg(chi.URLParam(r, "leg")); err != nil {
		fail(w, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}
