package api

import (
	"encoding/json"
	"net/http"

	"github.com/go-chi/chi/v5"

	"example.com/cavelog/internal/survey"
)

type shotBody struct {
	From     string  `json:"from"`
	To       string  `json:"to"`
	Distance float64 `json:"distance"`
	Azimuth  float64 `json:"azimuth"`
	Slope    float64 `json:"slope"`
}

// pushShot takes a shot right from the laser meter. A shot to nowhere is a
// splay, that is how the meters mark them.
func (s *Server) pushShot(w http.ResponseWriter, r *http.Request) {
	trip, ok := s.db.TripOfDevice(chi.URLParam(r, "serial"))
	if !ok {
		writeError(w, http.StatusConflict, "not paired with a trip")
		return
	}
	var body shotBody
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		writeError(w, http.StatusBadRequest, err.Error())
		return
	}
	leg, err := survey.AddLeg(s.db, trip, survey.Reading{
		From: body.From, To: body.To,
		Tape: body.Distance, Compass: body.Azimuth, Clino: body.Slope,
		Splay: body.To == "", Source: "disto",
	})
	if err != nil {
		fail(w, err)
		return
	}
	writeJSON(w, http.StatusCreated, leg)
}
