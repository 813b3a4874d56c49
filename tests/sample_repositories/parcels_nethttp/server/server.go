// Package server is HTTP: shops, couriers and people who wait.
package server

import (
	"encoding/json"
	"errors"
	"net/http"

	"example.com/parcels/storage"
	"example.com/parcels/tracking"
)

// Server answers requests.
type Server struct {
	db *storage.DB
}

// New mounts everything on a mux.
func New(db *storage.DB) http.Handler {
	s := &Server{db: db}
	mux := http.NewServeMux()

	mux.HandleFunc("GET /shops/{shop}/parcels", s.listParcels)
	mux.HandleFunc("POST /shops/{shop}/parcels", s.handIn)
	mux.HandleFunc("POST /shops/{shop}/quotes", s.quote)
	mux.HandleFunc("GET /shops/{shop}/parcels/{code}/label", s.printLabel)
	mux.HandleFunc("POST /shops/{shop}/parcels/{code}/redirect", s.redirectForShop)
	mux.HandleFunc("DELETE /shops/{shop}/parcels/{code}", s.withdraw)
	mux.HandleFunc("POST /shops/{shop}/pickups", s.orderPickup)

	mux.HandleFunc("GET /courier/depots/{depot}/parcels", s.loadingList)
	mux.HandleFunc("POST /courier/parcels/{code}/out", s.takeOut)
	mux.HandleFunc("POST /courier/parcels/{code}/delivered", s.delivered)
	mux.HandleFunc("POST /courier/parcels/{code}/failed", s.failed)
	mux.HandleFunc("POST /courier/pickups/{id}/done", s.pickupDone)

	mux.HandleFunc("GET /track/{code}", s.track)
	mux.HandleFunc("POST /track/{code}/redirect", s.redirectForRecipient)
	mux.HandleFunc("GET /depots/{depot}", s.showDepot)
	return mux
}

// reply writes a value as JSON; every handler ends here.
func reply(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value)
}

// problem says why something was not done.
func problem(w http.ResponseWriter, err error) {
	status := http.StatusBadRequest
	switch {
	case errors.Is(err, storage.ErrNoRow):
		status = http.StatusNotFound
	case errors.Is(err, tracking.ErrWrongStatus):
		status = http.StatusConflict
	}
	reply(w, status, map[string]string{"error": err.Error()})
}

// parcelInPath finds the parcel that the path names.
func (s *Server) parcelInPath(r *http.Request) (*storage.Parcel, error) {
	return s.db.Parcel(r.PathValue("code"))
}
