package server

import (
	"encoding/json"
	"net/http"
	"strconv"

	"example.com/parcels/storage"
	"example.com/parcels/tracking"
)

type handover struct {
	Signature string `json:"signature"`
}

// loadingList is what a courier puts into the van in the morning.
func (s *Server) loadingList(w http.ResponseWriter, r *http.Request) {
	depot, err := s.db.Depot(r.PathValue("depot"))
	if err != nil {
		problem(w, err)
		return
	}
	postcode := r.URL.Query().Get("postcode")
	rows := []*storage.Parcel{}
	for _, parcel := range s.db.Parcels {
		if parcel.DepotID == depot.ID && (postcode == "" || parcel.To.Postcode == postcode) {
			rows = append(rows, parcel)
		}
	}
	reply(w, http.StatusOK, rows)
}

func (s *Server) takeOut(w http.ResponseWriter, r *http.Request) {
	parcel, err := s.parcelInPath(r)
	if err != nil {
		problem(w, err)
		return
	}
	tracking.Advance(s.db, parcel, "out", "in the van")
	reply(w, http.StatusOK, parcel)
}

// delivered is the courier at the door.
func (s *Server) delivered(w http.ResponseWriter, r *http.Request) {
	parcel, err := s.parcelInPath(r)
	if err != nil {
		problem(w, err)
		return
	}
	var body handover
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		problem(w, err)
		return
	}
	if err := tracking.Deliver(s.db, parcel, body.Signature); err != nil {
		problem(w, err)
		return
	}
	reply(w, http.StatusOK, parcel)
}

func (s *Server) failed(w http.ResponseWriter, r *http.Request) {
	parcel, err := s.parcelInPath(r)
	if err != nil {
		problem(w, err)
		return
	}
	if err := tracking.Fail(s.db, parcel); err != nil {
		problem(w, err)
		return
	}
	reply(w, http.StatusOK, parcel)
}

func (s *Server) pickupDone(w http.ResponseWriter, r *http.Request) {
	id, _ := strconv.Atoi(r.PathValue("id"))
	pickup, ok := s.db.Pickups[id]
	if !ok {
		problem(w, storage.ErrNoRow)
		return
	}
	pickup.Done = true
	reply(w, http.StatusOK, pickup)
}
