package api

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"

	"example.com/cavelog/internal/hazard"
)

type hazardBody struct {
	Kind      string     `json:"kind"`
	Text      string     `json:"text"`
	Station   string     `json:"station"`
	Severity  int        `json:"severity"`
	ExpiresAt *time.Time `json:"expires_at"`
	Reporter  string     `json:"reporter"`
}

// reportHazard is a caver who tells us what is dangerous.
func (s *Server) reportHazard(w http.ResponseWriter, r *http.Request) {
	var body hazardBody
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		writeError(w, http.StatusBadRequest, err.Error())
		return
	}
	h, err := hazard.Raise(s.db, chi.URLParam(r, "cave"), hazard.Warning(body))
	if err != nil {
		fail(w, err)
		return
	}
	writeJSON(w, http.StatusCreated, h)
}

type rescueBody struct {
	CaveID   string `json:"cave_id"`
	Kind     string `json:"kind"`
	Text     string `json:"text"`
	Severity int    `json:"severity"`
	Incident string `json:"incident"`
}

// rescueHazard is the cave rescue, who name their incident as the reporter.
func (s *Server) rescueHazard(w http.ResponseWriter, r *http.Request) {
	var body rescueBody
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		writeError(w, http.StatusBadRequest, err.Error())
		return
	}
	h, err := hazard.Raise(s.db, body.CaveID, hazard.Warning{
		Kind: body.Kind, Text: body.Text, Severity: body.Severity, Reporter: "rescue " + body.Incident,
	})
	if err != nil {
		fail(w, err)
		return
	}
	writeJSON(w, http.StatusCreated, h)
}
